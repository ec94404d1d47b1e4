#include "report/step/throughput_table.h"

#include <fmt/format.h>

#include <vector>

#include "report/step/by_draw.h"
#include "words/spread.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

double mean_flops(const ScheduleResult& schedule) {
  return spread(by_draw(schedule, [](const DrawResult& d) { return d.account->model_flops.value(); })).mean;
}

std::vector<std::string> line(const ScheduleResult& schedule, bool priced) {
  const auto of = [&](auto value_of) { return spread(throughput_by_draw(schedule, value_of)).mean; };
  const double devices = schedule.draws.front().account->devices;
  std::vector<std::string> cells = {
      schedule.name,
      fmt::format("{:.2f} %", 100 * of([](const Throughput& t) { return t.mfu; })),
      fmt::format("{:.0f}", of([](const Throughput& t) { return t.useful_tokens_per_second; })),
      fmt::format("{:.1f}", of([&](const Throughput& t) { return t.useful_tokens_per_second / devices; })),
      fmt::format("{:.1f} %", 100 * of([](const Throughput& t) { return t.fill; })),
      fmt::format("{:.3e}", mean_flops(schedule))};
  if (!priced) return cells;
  cells.push_back(fmt::format("{:.2f}", of([](const Throughput& t) { return t.cost->step.value(); })));
  cells.push_back(
      fmt::format("{:.0f}", of([](const Throughput& t) { return t.cost->trillion_useful_tokens.value(); })));
  return cells;
}

std::string price_line(const StepAccount& account, std::size_t columns) {
  if (!account.price) return {};
  return wrapped("  USD: ",
                 fmt::format("{:.4g} per device hour, the platform's price (spillway explain prints its "
                             "source), times all devices and the step time",
                             account.price->value()),
                 columns);
}

std::string conventions(const StepAccount& account) {
  return fmt::format(
      "model FLOPs of the step, with padding / ({} devices x {:.4g} TFLOP/s x makespan); model FLOPs: {}; "
      "useful tokens: text and image tokens of the samples, without padding; fill: useful tokens / all "
      "tokens that the backbone computes",
      account.devices, account.peak.value() / 1e12, kFlopsConvention);
}

}  // namespace

std::string throughput_table(const Evaluation& evaluation, std::size_t columns) {
  const std::optional<StepAccount>& account = evaluation.schedules.front().draws.front().account;
  if (!account) return {};
  const bool priced = account->price.has_value();
  std::vector<std::vector<std::string>> rows = {
      {"throughput", "MFU", "useful tokens/s", "per device", "fill", "model FLOPs"}};
  if (priced) rows.front().insert(rows.front().end(), {"USD/step", "USD/1e12 useful"});
  for (const ScheduleResult& schedule : evaluation.schedules) rows.push_back(line(schedule, priced));
  return '\n' + table_text(rows) + wrapped("  MFU: ", conventions(*account), columns) +
         price_line(*account, columns);
}

}  // namespace spillway
