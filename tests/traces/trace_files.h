// Trace files, plain, packed or cut, and short texts of what was read from them.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "measured_files.h"
#include "traces/events/trace.h"

namespace spillway::testing {

// Packs the file beside the plain one.
inline std::string gzipped(const std::string& path) {
  EXPECT_EQ(std::system(("gzip -kf '" + path + "'").c_str()), 0);
  return path + ".gz";
}

inline void cut_in_half(const std::string& path) {
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
}

// Returns the first violation that `read` throws; fails the test if it throws none.
template <class Read>
Violation violation_of(Read&& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.violations().at(0);
  }
  ADD_FAILURE() << "was not refused";
  return {};
}

inline std::vector<std::string> texts(const std::vector<Note>& notes) {
  std::vector<std::string> all;
  for (const Note& note : notes) all.push_back(to_string(note));
  return all;
}

// Returns "forward r0 s1 m2 100+50": rank, stage, microbatch (- if unknown), start and duration in whole
// microseconds.
inline std::string text(const TraceEvent& event) {
  const auto us = [](Seconds t) { return std::to_string(static_cast<long>(t.value() * 1e6 + 0.5)); };
  const std::string microbatch = event.microbatch == kUnknown ? "-" : std::to_string(event.microbatch);
  return std::string(to_string(event.kind)) + " r" + std::to_string(event.rank) + " s" +
         std::to_string(event.stage) + " m" + microbatch + ' ' + us(event.start) + '+' + us(event.duration);
}

inline std::vector<std::string> texts(const std::vector<TraceEvent>& events) {
  std::vector<std::string> all;
  for (const TraceEvent& event : events) all.push_back(text(event));
  return all;
}

}  // namespace spillway::testing
