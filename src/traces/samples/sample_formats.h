// The formats of message measurements: how each is recognized and read. A new format is a file that defines
// its record, and its name here, twice. No other file names it. Formats are tried in the order of the list.
// Private to src/traces.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "traces/samples/samples.h"

namespace spillway {

struct SampleFormat {
  std::string_view of;                    // "measurements of ..."; empty if they have no particular source
  std::array<std::string_view, 2> words;  // both are in one line of its heading
  bool text;                              // true for a table of text, false for CSV
  // Throws InputError with the first twenty bad rows and the number of the others. `given` supplies what the
  // file does not state, before anything is guessed.
  Samples (*read)(const std::string& path, const TimedGroup& given);
};

extern const SampleFormat kVidurCsv, kAiconfiguratorCsv, kNcclTestsText, kHcclTestText, kMessageCsv;
inline constexpr std::array kSampleFormats = {&kVidurCsv, &kAiconfiguratorCsv, &kNcclTestsText,
                                              &kHcclTestText, &kMessageCsv};

}  // namespace spillway
