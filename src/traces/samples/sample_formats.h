// The formats of single measurements of messages: how each is told and read. One more is a file that defines
// its record, and its name here, twice; nothing else knows of it. Formats are looked for in the order of the
// list. Private to src/traces.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "traces/samples/samples.h"

namespace spillway {

struct SampleFormat {
  std::string_view of;                    // "measurements of ..."; empty: nobody's in particular
  std::array<std::string_view, 2> words;  // its heading is told by both in one line
  bool text;                              // a table of text rather than CSV
  // Throws InputError with the rows that will not do: the first twenty, the others counted.
  // What the file does not say is `given`'s, before it is guessed.
  Samples (*read)(const std::string& path, const TimedGroup& given);
};

extern const SampleFormat kVidurCsv, kAiconfiguratorCsv, kNcclTestsText, kHcclTestText, kMessageCsv;
inline constexpr std::array kSampleFormats = {&kVidurCsv, &kAiconfiguratorCsv, &kNcclTestsText,
                                              &kHcclTestText, &kMessageCsv};

}  // namespace spillway
