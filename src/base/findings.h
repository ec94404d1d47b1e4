// The violations found so far in one input.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"

namespace spillway {

// Keeps the first `most` violations and only counts the rest, so that a garbage input gives a short message.
// A violation that is found twice is kept once, because readers may check one value for several reasons.
class Findings {
 public:
  static constexpr std::size_t kMost = 1000;
  explicit Findings(std::string file = "", std::size_t most = kMost) : file_(std::move(file)), most_(most) {}

  const std::string& file() const { return file_; }
  bool empty() const { return violations_.empty(); }
  const std::vector<Violation>& all() const { return violations_; }
  // Returns true if the same violation is known already, in whatever file.
  bool has(const Violation& same) const;

  // A place in the file: a JSON pointer ("" is shown as "/", the whole document) or "line 7".
  void add(const std::string& place, std::string expected, std::string found);
  // Adds violations that have their pointers, and a file where it is not this one.
  void add(std::vector<Violation> violations);

  // Returns true if a further violation would only be counted. Callers ask before they build an expensive
  // message.
  bool is_full() const { return violations_.size() >= most_; }
  void count_one_more() { ++beyond_; }

  // Returns the kept violations, and after them the number of the others.
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
