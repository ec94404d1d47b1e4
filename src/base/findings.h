// The violations found so far in one input.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"

namespace spillway {

// So that garbage makes a message and not a flood, violations beyond the first `most` are only counted.
// Readers that look at one value for several reasons may find the same of it: a violation is kept once.
class Findings {
 public:
  static constexpr std::size_t kMost = 1000;
  explicit Findings(std::string file = "", std::size_t most = kMost) : file_(std::move(file)), most_(most) {}

  const std::string& file() const { return file_; }
  bool empty() const { return violations_.empty(); }
  const std::vector<Violation>& all() const { return violations_; }
  // Whether the same is known already, whatever file it was found in.
  bool has(const Violation& same) const;

  // A place in the file: a JSON pointer ("" is shown as "/", the whole document) or "line 7".
  void add(const std::string& place, std::string expected, std::string found);
  // Violations that have their places, and their file where it is another one.
  void add(std::vector<Violation> violations);

  // Where what is found costs much to say: is there no room left, so that one more is only counted?
  bool is_full() const { return violations_.size() >= most_; }
  void count_one_more() { ++beyond_; }

  // Those kept, and behind them how many there are beyond.
  std::vector<Violation> listed() const;
  // Throws InputError with these if there are any.
  void throw_if_any() const;

 private:
  void add(Violation violation);

  std::string file_;
  std::size_t most_;
  std::vector<Violation> violations_;
  std::size_t beyond_ = 0;
};

}  // namespace spillway
