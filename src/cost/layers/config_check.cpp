#include "cost/layers/config_check.h"

#include <string>
#include <utility>

namespace spillway {
namespace {

Violation at_key(const char* key, std::string expected, std::uint32_t found) {
  return {"", std::string("/") + key, std::move(expected), std::to_string(found)};
}

}  // namespace

std::vector<Violation> check_sizes(std::initializer_list<ConfigSize> sizes) {
  std::vector<Violation> violations;
  for (const ConfigSize& size : sizes) {
    if (size.value >= 1 && size.value <= size.largest) continue;
    violations.push_back(at_key(size.key, "1 to " + std::to_string(size.largest), size.value));
  }
  return violations;
}

void require_divides(std::vector<Violation>& violations, const char* key, std::uint32_t part,
                     std::uint32_t whole) {
  if (part == 0 || whole % part == 0) return;
  violations.push_back(at_key(key, "a divisor of " + std::to_string(whole), part));
}

void require_at_most(std::vector<Violation>& violations, const char* key, std::uint32_t value,
                     std::uint32_t largest) {
  if (value > largest) violations.push_back(at_key(key, "at most " + std::to_string(largest), value));
}

}  // namespace spillway
