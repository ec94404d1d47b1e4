#include "ask/asked_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "ask/asked_framework.h"
#include "ask/asked_text.h"
#include "ask/replaced_terms.h"
#include "base/error.h"
#include "base/files.h"
#include "base/number.h"
#include "base/printable.h"
#include "base/text.h"
#include "cost/network/parallelism.h"
#include "cost/slabs/recomputation.h"
#include "experiment/derive_options.h"
#include "input/experiment/experiment.h"
#include "input/experiment/whole_paths.h"
#include "json/document.h"
#include "json/shipped_files.h"
#include "json/word_of.h"
#include "search/layout_rules.h"
#include "search/schedule_names.h"
#include "search/software/narrowed_job.h"
#include "search/stage_layers.h"

namespace spillway {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& pointer, const std::string& expected,
                         const std::string& found) {
  throw InputError({{file, pointer, expected, printable(found)}});
}

// A schedule is compared by the layers of its stages, whatever rule gave them.
ScheduleSpec by_stages(const Experiment& experiment) {
  ScheduleSpec spec = experiment.schedules.front();
  const Outline outline =
      derive_outline(experiment.model, spec.schedule, spec.cut, derive_options(experiment, spec));
  spec.split = StageSplit::ByCount;
  spec.cut = {};
  spec.encoder_ranks = spec.microbatch_group = 0;
  spec.layers_per_rank.clear();
  for (const Stage& stage : outline.stages) spec.layers_per_rank.push_back(stage.layers.size());
  return spec;
}

// The schedule as one that a job could search, whose stages are those of the experiment.
ScheduleChoice given_choice(const ScheduleSpec& spec) {
  ScheduleChoice choice{.text = to_string(spec.schedule),
                        .schedule = spec.schedule,
                        .split = spec.split,
                        .owner = spec.owner,
                        .input = spec.input,
                        .moves_samples = spec.regrouping.rule != Regrouping::Rule::AsDrawn};
  choice.name = spec.name;
  choice.given = spec;
  return choice;
}

// Contract: the file holds an experiment.
Node whole_document(const std::string& path) {
  Findings none;
  Node document = *read_json(Source(path), none);
  make_paths_whole(document, path);
  return document;
}

class ExperimentAsked {
 public:
  ExperimentAsked(const PlanJob& job, const std::string& path)
      : job_(job), path_(path), asked_(read_experiment(Source(path), {})), document_(whole_document(path)) {}

  AskedLayout layout() {
    if (!on_platform(asked_.costs))
      refuse(path_, "/", "an experiment on a platform, as the job's layouts are", "given durations");
    AskedLayout all{job_, layout_of(), path_, false, 0, notes()};
    all.layout.schedule = all.job.search.schedules.size();
    all.job.search.schedules.push_back(given_choice(asked_.schedules.front()));
    all.planned = all.layout.schedule;
    take_own_framework(all, costs().framework, clusters_alike(job_, all.layout.cluster));
    if (!broken_rules(all.job, all.layout).empty()) return all;
    SampleCache samples;
    StageLayers layers(all.job, samples);
    note_replaced_terms(all, layers);
    find_schedule(all, layers);
    return all;
  }

 private:
  const AnalyticCosts& costs() const { return *on_platform(asked_.costs); }

  PlanLayout layout_of() const {
    const Parallelism& parallel = costs().parallelism;
    const auto [ranks, microbatches, replicas] = asked_.pipeline;
    const std::uint32_t devices = ranks * replicas * parallel.members();
    check_model();
    return {cluster_with(devices), devices,         ranks,         parallel.tensor,
            parallel.context,      parallel.expert, replicas,      microbatches,
            microbatch(),          recompute(),     parallel.data, /*schedule=*/0};
  }

  std::uint32_t microbatch() const {
    const WorkloadSpec& workload = std::get<AnalyticExperiment>(asked_.costs).workload;
    if (workload.packing == Packing::Unpacked) return workload.samples_per_microbatch;
    return workload.packing == Packing::Packed ? 1 : workload.sequences_per_microbatch;
  }

  void check_model() const {
    const std::uint32_t layers = job_.clusters.front().base.model.layer_count();
    if (asked_.model.layer_count() != layers)
      refuse(path_, "/model", fmt::format("the job's model, of {} layers", layers),
             fmt::format("{} layers", asked_.model.layer_count()));
  }

  // Returns a cluster on the experiment's platform. One with its number of devices comes before others, then
  // one with its framework, then the first.
  std::size_t cluster_with(std::uint32_t devices) const {
    const auto merit = [&](const JobCluster& cluster) {
      const bool has = std::ranges::find(cluster.devices, devices) != cluster.devices.end();
      return std::pair(has, cluster.analytic().costs.framework.name == costs().framework.name);
    };
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < job_.clusters.size(); ++i) {
      const JobCluster& cluster = job_.clusters[i];
      if (cluster.platform().name != costs().platform.name || cluster.is_bound) continue;
      if (!found || merit(job_.clusters[*found]) < merit(cluster)) found = i;
    }
    if (found) return *found;
    refuse(path_, "/platform", fmt::format("a cluster of the job: {}", joined(platform_names(job_))),
           costs().platform.name);
  }

  // Layouts of a plan recompute the same in all blocks that do not state their own.
  Recompute recompute() const {
    std::optional<Recompute> all;
    for (std::size_t block = 0; block < costs().blocks.size(); ++block) {
      if (block < job_.states_recompute.size() && job_.states_recompute[block]) continue;
      const Recomputation& one = costs().blocks[block].recompute;
      if (one != Recomputation(one.what) || one.what != all.value_or(one.what))
        refuse(path_, fmt::format("/model/blocks/{}/recompute", block),
               "none, selective, alternate or full, the same in all blocks, as in the layouts of a plan",
               "another recomputation");
      all = one.what;
    }
    return all.value_or(Recompute::None);
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> all;
    if (asked_.schedules.size() > 1)
      all.push_back(fmt::format("the first of its {} schedules, {}, is explained", asked_.schedules.size(),
                                asked_.schedules.front().name));
    return all;
  }

  void note_replaced_terms(AskedLayout& all, StageLayers& layers) const {
    const Experiment planned = layers.experiment_of(all.layout);
    Findings none;
    const Node document = *parse_json(experiment_text(all.job, all.layout, planned.schedules.front()), none);
    const std::vector<std::string> terms = replaced_terms({document_, asked_}, {document, planned});
    if (terms.empty()) return;
    all.notes.push_back(fmt::format("the job's {} {} used, not the experiment's", joined(terms, ", "),
                                    terms.size() == 1 ? "is" : "are"));
  }

  // Looks for the schedule among those of the job, with the same layers in each stage. Without them it is the
  // job's schedule with another split. Contract: the layout breaks no rule.
  void find_schedule(AskedLayout& all, StageLayers& layers) const {
    const ScheduleSpec own = by_stages(layers.experiment_of(all.layout));
    for (std::size_t i = 0; i + 1 < all.job.search.schedules.size(); ++i) {
      PlanLayout other = all.layout;
      other.schedule = i;
      if (all.job.search.schedules[i].schedule != own.schedule && !all.job.search.schedules[i].system)
        continue;
      if (!broken_rules(all.job, other).empty()) continue;
      const ScheduleSpec spec = by_stages(layers.experiment_of(other));
      if (!is_same_pipeline(spec, own)) continue;
      if (all.planned == all.layout.schedule) all.planned = i;
      if (spec.layers_per_rank != own.layers_per_rank) continue;
      all.layout = other;
      all.planned = i;
      all.lists_schedule = true;
      return;
    }
  }

  static bool is_same_pipeline(ScheduleSpec one, const ScheduleSpec& other) {
    one.layers_per_rank = other.layers_per_rank;
    one.owner = transposes(one.schedule) ? one.owner : other.owner;
    return is_same_schedule(one, other);
  }

  const PlanJob& job_;
  const std::string& path_;
  const Experiment asked_;
  const Node document_;
};

}  // namespace

AskedLayout asked_layout(const PlanJob& job, const std::string& text) {
  if (text.find_first_not_of(' ') == std::string::npos)
    refuse("command line", "--explain", "an experiment file, or a layout such as \"P=2 TP=4 1f1b\"",
           '"' + text + '"');
  const bool file = text.ends_with(".json") || (text.find('=') == std::string::npos && is_there(text));
  AskedLayout asked = file ? ExperimentAsked(job, text).layout() : layout_of_text(job, text);
  asked.job = with_other_frameworks(std::move(asked.job));
  return asked;
}

}  // namespace spillway
