// The progress of a long computation as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spillway {

struct Progress {
  std::uint64_t done = 0;  // points, including those done before this run
  std::uint64_t total = 0;
  std::uint64_t done_before = 0;
  double seconds = 0;  // of this run
  std::string_view what = "points";
};

// " 42 %  4,200 of 10,000 points  815 points/s  7 s left"; rate and time left appear once they are known.
std::string progress_text(const Progress& progress);

// A line for a terminal of `columns` columns that overwrites the previous one: as much of a bar and the text
// as fits.
std::string progress_line(const Progress& progress, std::size_t columns);

// Without a terminal, lines are appended. Returns true if a new line is due: at the end, after 5 % and 2 s,
// or after some progress and a minute.
bool is_line_due(const Progress& last, const Progress& now);

}  // namespace spillway
