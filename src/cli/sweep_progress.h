// How far a sweep is, on standard error: a bar on a terminal, plain lines elsewhere.
#pragma once

#include <cstddef>

#include "base/stopwatch.h"
#include "words/progress.h"

namespace spillway {

// Of the terminal that standard error is; 0 where it is none.
std::size_t terminal_columns();

class SweepProgress {
 public:
  // Of what is counted, in the plural.
  explicit SweepProgress(bool quiet, std::string_view what = "points") : quiet_(quiet), what_(what) {}
  ~SweepProgress();  // leaves the line of a terminal

  // The first time it begins.
  void at(std::size_t done, std::size_t total);

 private:
  void start(std::size_t done, std::size_t total);
  void show();

  bool quiet_;
  bool has_begun_ = false;
  std::string_view what_;
  Stopwatch watch_;
  Progress now_;
  Progress shown_;
  std::size_t columns_ = 0;  // of the terminal; 0 where there is none
};

}  // namespace spillway
