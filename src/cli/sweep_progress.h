// Progress of a sweep on standard error: a bar on a terminal, plain lines elsewhere.
#pragma once

#include <cstddef>

#include "base/stopwatch.h"
#include "words/progress.h"

namespace spillway {

// Returns the width of the terminal on standard error, or 0 if it is no terminal.
std::size_t terminal_columns();

class SweepProgress {
 public:
  // `what` names what is counted, in the plural.
  explicit SweepProgress(bool quiet, std::string_view what = "points") : quiet_(quiet), what_(what) {}
  ~SweepProgress();  // ends the line on a terminal

  // The first call begins the display.
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
  std::size_t columns_ = 0;  // of the terminal; 0: no terminal
};

}  // namespace spillway
