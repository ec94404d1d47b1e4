// The violations found so far in one file.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace spillway {

class Findings {
 public:
  explicit Findings(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  bool empty() const { return violations_.empty(); }
  const std::vector<Violation>& all() const { return violations_; }
  // Whether the same is known already, whatever file it was found in.
  bool has(const Violation& same) const;

  // A place in the file: a JSON pointer ("" is shown as "/", the whole document) or "line 7".
  void add(const std::string& place, std::string expected, std::string found);
  // Violations that have their places, and their file where it is another one.
  void add(std::vector<Violation> violations);

  // Throws InputError if there are any. So that a file of garbage makes a message and not a flood, those
  // beyond the first thousand are only counted.
  void throw_if_any() const;

 private:
  void add(Violation violation);

  std::string file_;
  std::vector<Violation> violations_;
  std::size_t beyond_ = 0;
};

}  // namespace spillway
