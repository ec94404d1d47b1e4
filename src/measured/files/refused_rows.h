// What is wrong with the rows of a file, place by place. Private to src/measured.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"

namespace spillway {

class RefusedRows {
 public:
  explicit RefusedRows(std::string file) : file_(std::move(file)) {}

  bool none() const { return violations_.empty(); }
  // `place`: "line 7", or "/" for the file.
  void refuse(std::string place, std::string expected, std::string found);

  // Throws InputError if anything was refused: the first twenty, the others counted.
  void throw_if_any() const;

 private:
  std::string file_;
  std::vector<Violation> violations_;
  std::size_t beyond_ = 0;  // refused, and only counted
};

}  // namespace spillway
