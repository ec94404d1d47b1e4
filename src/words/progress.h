// How far a long computation is, as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spillway {

struct Progress {
  std::uint64_t done = 0;  // points, with those that were done before this run
  std::uint64_t total = 0;
  std::uint64_t done_before = 0;
  double seconds = 0;  // of this run
  std::string_view what = "points";
};

// " 42 %  4,200 of 10,000 points  815 points/s  7 s left"; rate and time left once there are any.
std::string progress_text(const Progress& progress);

// The line of a terminal of so many columns, which takes the place of the one before: as much of a bar and
// the text as fits.
std::string progress_line(const Progress& progress, std::size_t columns);

// Elsewhere lines stand below each other. Is it time for another one? At the end, and where 5 % and 2 s, or
// some progress and a minute, have passed.
bool is_line_due(const Progress& last, const Progress& now);

}  // namespace spillway
