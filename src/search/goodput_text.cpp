#include <fmt/format.h>

#include <string>
#include <vector>

#include "memory/memory_text.h"
#include "search/plan_goodput.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/with_commas.h"
#include "words/wording.h"

namespace spillway {
namespace {

// Returns a time with the unit that people use for it.
std::string long_time_text(Seconds time) {
  const double seconds = time.value();
  if (seconds < 120) return duration_text(time);
  if (seconds < 7'200) return fmt::format("{:.1f} min", seconds / 60);
  if (seconds < 2 * kSecondsOfADay) return fmt::format("{:.1f} h", seconds / 3'600);
  return fmt::format("{:.4g} days", seconds / kSecondsOfADay);
}

// Returns ", A instead of B" for values with and without failures.
std::string instead(const std::string& with, const std::string& without) {
  return ", " + with + " instead of " + without;
}

std::string gain_text(const PlanJob& job, const EvaluatedPlan& plan, const PlanGoodput& goodput) {
  std::string text = percent(goodput.share, 1) + " of the time trains";
  if (goodput.days)
    text += instead(fmt::format("{:.1f} days", *goodput.days), fmt::format("{:.1f}", *days_of(job, plan)));
  if (goodput.price)
    text += instead(usd_text(goodput.price->value()), usd_text(price_of(job, plan)->value()));
  return text + fmt::format("; a checkpoint every {}{}", counted(goodput.steps, "step"),
                            goodput.stated ? ", as stated" : "");
}

std::string failures_text(const Reliability& reliability, const PlanGoodput& goodput) {
  std::string text = "one in " + long_time_text(goodput.run.between_failures);
  if (goodput.failures) text += fmt::format(", {:.4g} in all", *goodput.failures);
  return text + fmt::format("; one device fails each {:.6g} hours ({}); a restart takes {}",
                            reliability.device_mtbf.value() / 3'600, reliability.source,
                            long_time_text(reliability.restart));
}

std::string checkpoints_text(const Reliability& reliability, const PlanGoodput& goodput) {
  return fmt::format("{} in {}, ", bytes_text(goodput.checkpoint), long_time_text(goodput.write)) +
         (reliability.blocks
              ? "while training stands still"
              : "beside training, which stands still for " + duration_text(goodput.run.stall)) +
         "; one after " + long_time_text(goodput.interval) + " of training";
}

std::string intervals_text(const PlanGoodput& goodput) {
  const auto& [steps, simulated] = goodput.simulated;
  const Seconds step = goodput.interval / static_cast<double>(goodput.steps);
  return fmt::format("{} by Young, {} by Daly, {} exactly, {} in a simulation, where {} +- {} trains",
                     long_time_text(goodput.young), long_time_text(goodput.daly),
                     long_time_text(goodput.best), long_time_text(step * static_cast<double>(steps)),
                     percent(simulated.mean, 2), percent(1.96 * simulated.deviation, 2));
}

std::string spares_text(const PlanGoodput& goodput) {
  if (!goodput.spares) return "not counted, since no repair_hours are stated; a restart has all its nodes";
  const PlanSpares& spares = *goodput.spares;
  const std::string text = fmt::format("{} of {}: enough nodes work {} of the time; ", spares.nodes,
                                       counted(spares.node_devices, "device"), percent(spares.enough, 2));
  return text + (spares.needed ? fmt::format("{:.4g} % needs {}", 100 * spares.chance, *spares.needed)
                               : fmt::format("no number gives {:.4g} %", 100 * spares.chance));
}

}  // namespace

std::string goodput_text(const PlanJob& job, const EvaluatedPlan& plan, const PlanGoodput& goodput,
                         std::size_t number, bool in_detail) {
  const Reliability& reliability = *job.clusters[plan.layout.cluster].reliability;
  const auto line = [](const std::string& heading, const std::string& words) {
    return wrapped(heading, words, kTableColumns);
  };
  std::string text = line(fmt::format("  plan {} with failures: ", number), gain_text(job, plan, goodput));
  if (!in_detail) return text;
  return text + line("    failures: ", failures_text(reliability, goodput)) +
         line("    checkpoints: ", checkpoints_text(reliability, goodput)) +
         line("    best interval: ", intervals_text(goodput)) +
         line("    spare nodes: ", spares_text(goodput));
}

std::optional<std::string> failures_off_text(const PlanJob& job) {
  std::vector<std::string> off;
  for (const JobCluster& cluster : job.clusters)
    if (!cluster.reliability && is_first_as_stated(job, cluster)) off.push_back(cluster.platform().name);
  if (off.empty()) return std::nullopt;
  return "failures are off on " + joined(off, " and on ") +
         ": no reliability is stated, so days and USD are those of a run that never fails";
}

}  // namespace spillway
