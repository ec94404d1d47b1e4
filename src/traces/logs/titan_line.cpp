#include "base/text.h"
#include "traces/logs/log_lines.h"

namespace spillway {
namespace titan_lines {
namespace {

std::optional<Bytes> memory_in(std::string_view line) {
  constexpr double kGibibyte = 1024.0 * 1024 * 1024;
  const auto value = number_after(line, "memory:");
  const bool gibibytes = line.find("GiB(") != line.npos;
  return value && gibibytes ? std::optional(Bytes(*value * kGibibyte)) : std::nullopt;
}

// "[rank3]:" of torchrun.
std::optional<std::uint32_t> printed_rank(std::string_view line) {
  return rank_number(number_after(line, "[rank"));
}

constexpr double kTera = 1e12;
constexpr double kPercent = 0.01;

}  // namespace
}  // namespace titan_lines

std::optional<StepLine> titan_line(std::string_view line) {
  using namespace titan_lines;
  if (line.find("step:") == line.npos || line.find("tps:") == line.npos) return std::nullopt;
  const std::string text = without_colours(line);
  const auto number = whole_of(number_after(text, "step:"));
  const auto tokens = number_after(text, "tps:");
  if (!number || !tokens) return std::nullopt;
  StepLine step;
  step.number = *number;
  step.stamp = time_stamp(text);
  step.rank = printed_rank(text);
  step.tokens_per_s = tokens;
  step.memory = memory_in(text);
  if (const auto tera = number_after(text, "tflops:")) step.flops_per_s = *tera * kTera;
  if (const auto percent = number_after(text, "mfu:")) step.utilization = *percent * kPercent;
  if (!step.stamp) {
    step.refused_expected = "the time at which the line was written, since torchtitan prints no step time";
    step.refused_found = "none, such as 2025-06-16 22:31:04,970";
  }
  return step;
}

}  // namespace spillway
