// Reads single lines of training logs. Private to src/traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.h"

namespace spillway {

// A line of a step, before it is compared with others.
struct StepLine {
  std::uint64_t number = 0;
  std::optional<Seconds> time = {};   // of an iteration; empty if the line does not say
  std::optional<Seconds> stamp = {};  // when it was written, since 1970
  std::optional<std::uint32_t> rank = {};
  std::optional<double> batch = {}, samples_per_s = {}, tokens_per_s = {}, flops_per_s = {}, utilization = {};
  std::optional<Bytes> memory = {};
  std::string refused_expected = {}, refused_found = {};  // why the line cannot be used; empty if it can
};

// Each returns nothing for any other line.
std::optional<StepLine> megatron_line(std::string_view line);
std::optional<StepLine> titan_line(std::string_view line);
std::optional<StepLine> json_step_line(std::string_view line);

// One value of a timer: its name, and the times of the fastest and the slowest rank, or of one rank. They may
// be any numbers.
struct TimerValue {
  std::string_view name;
  Seconds least;
  Seconds most;
  std::optional<std::uint32_t> rank = {};
  bool slowest_only = false;  // of all ranks: both are the slowest rank's
};

// Reads Megatron's timers, which take several lines.
class TimerLines {
 public:
  // Returns the values on this line; empty if it has none.
  std::vector<TimerValue> take(std::string_view line);

 private:
  enum class Block { None, MinMax, Max, Ranks };
  std::vector<TimerValue> in_block(std::string_view line);

  Block block_ = Block::None;
  std::string name_;  // of the ranks that follow
};

// Small parts of lines: a date and time as "2025-06-16 22:31:04,970"; text without a terminal's colours.
std::optional<Seconds> time_stamp(std::string_view line);
std::string without_colours(std::string_view line);

// The first number at or after `at`, which may have separators of thousands: "5,593".
std::optional<double> number_after(std::string_view line, std::string_view key);

// A number that counts something, or numbers a step or a rank: whole, and from 0 to 2^53. Nothing for others.
std::optional<std::uint64_t> whole_of(std::optional<double> number);
std::optional<std::uint32_t> rank_number(std::optional<double> number);

// A finite number above 0, the whole text.
std::optional<double> positive_in(std::string_view text);

// Seconds of a unit: "ms", "s", "sec", "seconds". Nothing for any other, such as "us".
std::optional<double> seconds_of_unit(std::string_view unit);

}  // namespace spillway
