// Large numbers for people.
#pragma once

#include <cstdint>
#include <string>

namespace spillway {

// "8,291,375,616"
std::string with_commas(std::uint64_t number);

// "3,432,870" of 3432869.7, for a table whose heading is USD
std::string usd_cell(double usd);

// "3,432,870 USD"
std::string usd_text(double usd);

}  // namespace spillway
