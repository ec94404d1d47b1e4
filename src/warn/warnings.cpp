#include "warn/warnings.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "base/text.h"
#include "draws/fold.h"
#include "evaluate/fit.h"
#include "evaluate/memory_limit.h"
#include "experiment/encoder_images.h"
#include "memory/memory_text.h"
#include "warn/measured_doubts.h"

namespace spillway {
namespace {

std::string name_of(const IdleKey& key) {
  return key.pointer.substr(key.pointer.rfind('/') + 1);
}

bool alike(const IdleKey& a, const IdleKey& b) {
  return name_of(a) == name_of(b) && a.reason == b.reason;
}

std::string blocks_without_efficiency(const AnalyticCosts& costs, const Model& model) {
  std::string names;
  for (std::size_t i = 0; i < costs.blocks.size(); ++i)
    if (!costs.blocks[i].efficiency.compute) add_to_list(names, model.blocks()[i].name);
  return names;
}

std::string own_attention_warning(const AnalyticCosts& costs) {
  const Accelerator& accelerator = costs.platform.accelerator;
  std::string stated;
  for (const AttentionKernel& kernel : accelerator.attention_kernels) add_to_list(stated, kernel.name);
  const bool measured = !accelerator.operators->attentions.empty();
  return "framework " + costs.framework.name + " runs attention by " + costs.framework.attention->value +
         ", which platform " + costs.platform.name + " does not state (it states " +
         (stated.empty() ? "no attention kernel" : stated) +
         "); assumed instead: the platform's own attention, by " +
         (measured ? "its measured times" : "its efficiency");
}

// The range is that of measured over predicted steps in eager mode (docs/accuracy.md, "What misses").
constexpr const char* kEagerImages = "images in an eager host: steps 2 to 10 times longer were measured";

std::string host_warning(const AnalyticCosts& costs) {
  const std::string& framework = costs.framework.name;
  char host[32];
  std::snprintf(host, sizeof host, "%.4g us",
                costs.platform.accelerator.host_overhead.value / microseconds(1));
  return (framework.empty() ? "no framework is stated" : "framework " + framework + " states no launch_us") +
         ", so an operator is assumed to take its host " + host + "; " + kEagerImages +
         "; name the framework that runs this job (platforms/frameworks)";
}

std::string losses_warning(const WorkloadUse& use) {
  const WorkloadTally tally = use.all();
  return use.pointer + ": " + std::to_string(tally.clipped_samples) + " of " + std::to_string(tally.samples) +
         " samples do not fit " + use.limit + ' ' + std::to_string(use.limit_value) + " and lose " +
         losses_text(tally) + ", over " + counted(use.draws.size(), "draw");
}

void append(std::vector<Warning>& warnings, std::vector<Warning> more) {
  for (Warning& warning : more) warnings.push_back(std::move(warning));
}

std::vector<Warning> image_list_warnings(const Experiment& experiment) {
  std::vector<Warning> warnings;
  for (const PlacedWorkload& workload : workloads(experiment))
    for (const std::string& remark : workload.spec.patches.remarks)
      warnings.push_back({"image-list", workload.pointer + "/trace: " + remark});
  return warnings;
}

// Returns the warnings of readers, then those that follow from costs and draws.
std::vector<Warning> warnings_of(const Experiment& experiment, const std::vector<WorkloadUse>& uses) {
  std::vector<Warning> all = experiment.warnings;
  append(all, warnings_of(experiment.idle_keys));
  append(all, platform_warnings(experiment));
  append(all, image_list_warnings(experiment));
  append(all, straddling_warnings(experiment));
  append(all, warnings_of(uses));
  return all;
}

bool straddles(const Warning& warning) {
  return warning.code == "straddling" || warning.code == "aligned";
}

}  // namespace

std::vector<Warning> warnings_of(const std::vector<IdleKey>& idle) {
  std::vector<Warning> warnings;
  for (auto first = idle.begin(); first != idle.end(); ++first) {
    if (std::any_of(idle.begin(), first, [&](const IdleKey& key) { return alike(key, *first); })) continue;
    std::string places;
    for (auto key = first; key != idle.end(); ++key)
      if (alike(*key, *first)) add_to_list(places, key->pointer);
    const bool several = places.find(',') != std::string::npos;
    warnings.push_back(
        {"no-effect", places + (several ? " have no effect: " : " has no effect: ") + first->reason});
  }
  return warnings;
}

std::vector<Warning> platform_warnings(const Experiment& experiment) {
  const AnalyticCosts* priced = on_platform(experiment.costs);
  if (!priced) return {};
  const Platform& platform = priced->platform;
  const Accelerator& accelerator = platform.accelerator;
  std::vector<Warning> warnings;
  const std::string at_peak = blocks_without_efficiency(*priced, experiment.model);
  if (accelerator.operators->gemms.empty() && !is_stated(accelerator.efficiency.gemm) && !at_peak.empty())
    warnings.push_back({"at-peak", "platform " + platform.name +
                                       " states neither measured matrix products nor an efficiency for them, "
                                       "so they run at 100 % of its peak in " +
                                       at_peak +
                                       ", which no device reaches; its step times are bounds, so do not "
                                       "compare them with those of a platform that states an efficiency"});
  if (!priced->framework.launch && accelerator.host_overhead.evidence == Evidence::Assumed &&
      accelerator.host_overhead.value > Seconds() && encodes_images(experiment))
    warnings.push_back({"host-not-stated", host_warning(*priced), kEagerImages});
  if (takes_own_attention(priced->framework, accelerator))
    warnings.push_back({"attention-assumed", own_attention_warning(*priced)});
  if (!is_stated(accelerator.sustained))
    warnings.push_back(
        {"sustained-not-stated",
         "platform " + platform.name +
             " states no sustained-rate factor (sustained), so every operator keeps its full rate; it looks "
             "faster by that factor than a platform that states one"});
  return warnings;
}

std::vector<Warning> warnings_of(const std::vector<WorkloadUse>& uses) {
  std::vector<Warning> warnings;
  for (const WorkloadUse& use : uses)
    if (use.all().clipped_samples > 0) warnings.push_back({"dropped-data", losses_warning(use)});
  return warnings;
}

std::vector<Warning> warnings_of(const DrawCosts& costs) {
  return warnings_of(costs.experiment(), workload_uses(costs));
}

std::vector<Warning> memory_warnings(const Evaluation& evaluation, const ScheduleResult& schedule) {
  const std::optional<WorstPeak> worst = worst_peak(schedule);
  if (fits(worst, evaluation.memory_limit) != false) return {};
  return {{std::string(kDoesNotFit),
           "it needs " + bytes_text(worst->peak.parts.total()) + ", more than " +
               limit_text(*evaluation.memory_limit) +
               ", by the memory model; its figures are those that it would have if it fitted"}};
}

std::string limit_text(const MemoryLimit& limit) {
  return (limit.stated ? "the limit of " : "the accelerator's ") + bytes_text(limit.bytes);
}

std::string seconds_text(Seconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g s", time.value());
  return text;
}

Evaluation warned(Evaluation evaluation, const Experiment& read, const Engines& engines) {
  evaluation.warnings = warnings_of(with_fitted(read, evaluation.fitted), evaluation.workloads);
  append(evaluation.warnings, measured_doubts(read));
  for (ScheduleResult& schedule : evaluation.schedules)
    append(schedule.warnings, memory_warnings(evaluation, schedule));
  if (!engines.references) return evaluation;
  for (std::size_t i = 0; i < evaluation.schedules.size(); ++i)
    append(evaluation.schedules[i].warnings, sink_warnings(read, read.schedules[i], evaluation.fitted));
  if (std::erase_if(evaluation.warnings, straddles) > 0)
    append(evaluation.warnings, priced_straddling_warnings(read, evaluation.fitted));
  return evaluation;
}

PointOutcome warned_point(const Experiment& experiment, Caches& caches) {
  DrawCosts costs(folded(experiment, Links::Own), &caches.samples);
  return warned_point(costs, caches.orders);
}

PointOutcome warned_point(DrawCosts& costs, OrderCache& orders, const PointWork& work) {
  PointOutcome outcome = evaluate_point(costs, orders, work);
  outcome.warnings = warnings_of(costs);
  return outcome;
}

}  // namespace spillway
