#include "base/findings.h"

#include <algorithm>
#include <utility>

namespace spillway {

void Findings::add(const std::string& place, std::string expected, std::string found) {
  add(Violation{file_, place.empty() ? "/" : place, std::move(expected), std::move(found)});
}

void Findings::add(std::vector<Violation> violations) {
  for (Violation& violation : located(std::move(violations), file_, "")) add(std::move(violation));
}

void Findings::add(Violation violation) {
  if (std::ranges::find(violations_, violation) != violations_.end()) return;
  if (is_full()) return count_one_more();
  violations_.push_back(std::move(violation));
}

bool Findings::has(const Violation& same) const {
  return std::any_of(violations_.begin(), violations_.end(), [&](const Violation& known) {
    return known.pointer == same.pointer && known.expected == same.expected && known.found == same.found;
  });
}

std::vector<Violation> Findings::listed() const {
  std::vector<Violation> all = violations_;
  if (beyond_ > 0)
    all.push_back(
        {file_, "/", "at most " + std::to_string(most_) + " violations", std::to_string(beyond_) + " more"});
  return all;
}

void Findings::throw_if_any() const {
  if (!violations_.empty()) throw InputError(listed());
}

}  // namespace spillway
