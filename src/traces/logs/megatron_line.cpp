#include <algorithm>
#include <array>

#include "base/number.h"
#include "base/text.h"
#include "traces/logs/log_lines.h"

namespace spillway {
namespace megatron_lines {
namespace {

// Megatron writes "elapsed time per iteration (ms): 5361.6"; DeepSpeed's fork writes (s), and later
// "elapsed_time_per_iteration_ms=5361.6".
struct Elapsed {
  std::string_view unit;
  std::string_view value;
};

std::optional<Elapsed> elapsed_in(std::string_view line) {
  constexpr std::array<std::string_view, 2> keys = {"elapsed time per iteration",
                                                    "elapsed_time_per_iteration"};
  for (const std::string_view key : keys) {
    const std::size_t at = line.find(key);
    if (at == line.npos) continue;
    const std::string_view rest = line.substr(at + key.size());
    const std::size_t value = rest.find_first_of(":=");
    if (value == rest.npos) return std::nullopt;
    const std::string_view after = rest.substr(value + 1);
    return Elapsed{trimmed(rest.substr(0, value), " ()_"), trimmed(after.substr(0, after.find('|')))};
  }
  return std::nullopt;
}

std::optional<std::uint64_t> iteration_in(std::string_view line) {
  const std::size_t at = line.find("iteration");
  if (at == line.npos) return std::nullopt;
  const std::string_view rest = trimmed(line.substr(at + std::string_view("iteration").size()), " =\t");
  return number_from<std::uint64_t>(rest.substr(0, rest.find_first_not_of("0123456789")));
}

std::optional<double> first_of(std::string_view line, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (const auto value = number_after(line, key)) return value;
  return std::nullopt;
}

void set_time(const Elapsed& elapsed, StepLine& step) {
  const auto unit = seconds_of_unit(elapsed.unit);
  const auto value = positive_in(elapsed.value);
  if (!unit) {
    step.refused_expected = "an elapsed time per iteration in ms or s";
    step.refused_found = elapsed.unit.empty() ? "no unit" : "\"" + std::string(elapsed.unit) + '"';
  } else if (!value) {
    step.refused_expected = "a time above 0";
    step.refused_found = '"' + std::string(elapsed.value) + '"';
  } else {
    step.time = Seconds(*value * *unit);
  }
}

constexpr double kTera = 1e12, kPercent = 0.01;
constexpr double kGibibyte = 1024.0 * 1024 * 1024;  // MindSpeed-LLM writes these as GB

}  // namespace
}  // namespace megatron_lines

std::optional<StepLine> megatron_line(std::string_view line) {
  using namespace megatron_lines;
  const auto elapsed = elapsed_in(line);
  const auto number = elapsed ? iteration_in(line) : std::nullopt;
  if (!number) return std::nullopt;
  StepLine step;
  step.number = *number;
  step.stamp = time_stamp(line);
  set_time(*elapsed, step);
  step.batch = first_of(line, {"global batch size:", "global_batch_size="});
  step.samples_per_s = first_of(line, {"samples per second:", "samples_per_second="});
  const auto tera = first_of(
      line, {"(TFLOP/s/GPU):", "theoretical throughput per NPU (TFLOP/s/NPU):", "[LM]TFLOPs=", "TFLOPs:"});
  if (tera) step.flops_per_s = *tera * kTera;
  if (const auto percent = number_after(line, "| mfu:")) step.utilization = *percent * kPercent;
  if (const auto most = number_after(line, "max_memory_allocated(GB):"))
    step.memory = Bytes(*most * kGibibyte);
  return step;
}

}  // namespace spillway
