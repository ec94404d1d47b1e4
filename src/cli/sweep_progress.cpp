#include "cli/sweep_progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>

namespace spillway {
namespace {

constexpr std::size_t kUsualColumns = 80;

}  // namespace

std::size_t terminal_columns() {
  if (!isatty(STDERR_FILENO)) return 0;
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

SweepProgress::~SweepProgress() {
  if (columns_ > 0 && !quiet_) std::cerr << '\n';
}

void SweepProgress::start(std::size_t done, std::size_t total) {
  now_ = shown_ = {.done = done, .total = total, .done_before = done, .what = what_};
  columns_ = terminal_columns();
  has_begun_ = true;
  show();
}

void SweepProgress::at(std::size_t done, std::size_t total) {
  if (!has_begun_) return start(done, total);
  now_.done = done;
  now_.seconds = watch_.seconds();
  if (columns_ > 0 || is_line_due(shown_, now_)) show();
}

void SweepProgress::show() {
  shown_ = now_;
  if (quiet_) return;
  if (columns_ > 0)
    std::cerr << progress_line(now_, columns_) << std::flush;
  else
    std::cerr << progress_text(now_) << '\n';
}

}  // namespace spillway
