#include "measured/files/refused_rows.h"

#include <utility>

namespace spillway {
namespace {

constexpr std::size_t kMostViolations = 20;

}  // namespace

void RefusedRows::refuse(std::string place, std::string expected, std::string found) {
  if (violations_.size() < kMostViolations) {
    violations_.push_back({file_, std::move(place), std::move(expected), std::move(found)});
  } else {
    ++beyond_;
  }
}

void RefusedRows::throw_if_any() const {
  if (violations_.empty()) return;
  auto all = violations_;
  if (beyond_ > 0)
    all.push_back({file_, "/", "no more of these", "and " + std::to_string(beyond_) + " more"});
  throw InputError(std::move(all));
}

}  // namespace spillway
