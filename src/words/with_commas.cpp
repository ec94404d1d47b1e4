#include "words/with_commas.h"

#include <cmath>

namespace spillway {

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string usd_cell(double usd) {
  return with_commas(static_cast<std::uint64_t>(std::llround(usd)));
}

std::string usd_text(double usd) {
  return usd_cell(usd) + " USD";
}

}  // namespace spillway
