// What memory this process may have.
#pragma once

#include <cstdint>
#include <string>

namespace spillway {

// Bytes: the least of what the machine has, used or not, and of the limits of the process (ulimit -v) and of
// its control group. Linux's /proc and cgroups (v2 and v1); no limit where these say nothing.
std::uint64_t machine_memory();

// "2.1 GB".
std::string memory_text(double bytes);

// Throws Infeasible, with the sizes, where `bytes` are more than there are: "1000 ranks ... need about 6.3 GB
// of memory, and there are 3.9 GB". `what`: in the plural, as the sentence begins. Costs nothing below 256
// MB.
void require_memory(const std::string& what, double bytes);

}  // namespace spillway
