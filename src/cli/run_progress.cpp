#include "cli/run_progress.h"

#include <iostream>
#include <string>

#include "cli/sweep_progress.h"
#include "words/progress.h"

namespace spillway {
namespace {

constexpr double kFirst = 1, kBetween = 0.1;  // seconds

}  // namespace

RunProgress::RunProgress(bool quiet) : columns_(quiet ? 0 : terminal_columns()) {}

RunProgress::~RunProgress() {
  if (shown_at_ > 0) std::cerr << '\r' << std::string(columns_ - 1, ' ') << '\r' << std::flush;
}

void RunProgress::advance(std::uint64_t done, std::uint64_t total) {
  const double now = watch_.seconds();
  if (columns_ == 0 || now < kFirst || now < shown_at_ + kBetween) return;
  shown_at_ = now;
  std::cerr << progress_line({.done = done, .total = total, .seconds = now, .what = "draws"}, columns_)
            << std::flush;
}

}  // namespace spillway
