#include "twin/log_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"
#include "twin/measured_stages.h"
#include "words/duration_text.h"

namespace spillway {
namespace {

constexpr double kAlike = 1e-3;  // relative: the fastest and the slowest rank are one
constexpr double kRoundedBatch = 0.5;

struct TimedDirection {
  const char* timer;
  const char* direction;
};
constexpr std::array<TimedDirection, 3> kTimers = {
    {{"forward-compute", "forward"}, {"backward-compute", "backward"}, {"optimizer", "optimizer"}}};

class LogRows {
 public:
  LogRows(const StepLog& log, const Experiment& experiment, const TraceChoice& choice)
      : log_(log), experiment_(experiment), choice_(choice), costs_(*on_platform(experiment.costs)) {}

  TraceRows read() {
    require_all_steps(choice_, log_.file);
    require_timers();
    require_batch();
    contents_ = microbatch_contents(experiment_);
    schedule_ = one_stage_on_each_rank(experiment_, choice_, log_.file);
    TraceRows rows{{}, schedule_.name, {}};
    for (const TimedDirection& timed : kTimers)
      if (const LoggedTimer* timer = find_timer(timed.timer)) add(rows.rows, *timer, timed.direction);
    const std::string steps = "times are means over " + counted(log_.steady.steps, "steady step");
    rows.notes.push_back(contents_.drawn ? steps
                                         : steps +
                                               ", and each pass is an equal part of its timer: how passes "
                                               "differ among microbatches is not known");
    if (contents_.drawn) rows.notes.push_back(contents_.note());
    for (const Note& note : log_.notes) rows.notes.push_back(to_string(note));
    return rows;
  }

 private:
  [[noreturn]] void refuse(std::string expected, std::string found) const {
    throw InputError({{log_.file, "/", std::move(expected), std::move(found)}});
  }

  const LoggedTimer* find_timer(const char* name) const {
    const auto found = std::ranges::find(log_.timers, name, &LoggedTimer::name);
    return found == log_.timers.end() ? nullptr : &*found;
  }

  void require_timers() const {
    std::string missing;
    for (const char* name : {"forward-compute", "backward-compute"})
      if (!find_timer(name)) add_to_list(missing, name);
    if (missing.empty()) return;
    std::string found;
    for (const LoggedTimer& timer : log_.timers) add_to_list(found, timer.name);
    refuse("Megatron's timers forward-compute and backward-compute (--timing-log-level 2)",
           found.empty() ? "no timers" : found);
  }

  // Another batch is another job.
  void require_batch() const {
    const auto& workload = std::get<AnalyticExperiment>(experiment_.costs).workload;
    const std::optional<double>& batch = log_.steps.back().batch;
    if (!batch || workload.packing != Packing::TextOnly) return;
    const double stated = static_cast<double>(workload.sequences_per_microbatch) * costs_.equal_replicas *
                          experiment_.pipeline.microbatches * experiment_.pipeline.replicas;
    if (std::abs(*batch - stated) < kRoundedBatch) return;
    refuse("a global batch of " + std::to_string(std::lround(stated)) + ", as of " + experiment_.name,
           std::to_string(std::lround(*batch)));
  }

  // Of each chosen pipeline rank, its times.
  std::vector<std::pair<std::uint32_t, std::vector<Seconds>>> times(const LoggedTimer& timer) const {
    if (timer.by_rank.empty()) return {{measured_rank(experiment_, choice_, log_.file), alone(timer)}};
    const std::uint32_t ranks = experiment_.pipeline.ranks;
    const std::size_t devices = timer.by_rank.size();
    const std::size_t stated = std::size_t{ranks} * experiment_.pipeline.replicas * costs_.equal_replicas *
                               costs_.parallelism.members();
    if (devices != stated)
      refuse("the times of " + counted(stated, "rank") + ", the devices of " + experiment_.name,
             "those of " + counted(devices, "rank"));
    std::vector<std::pair<std::uint32_t, std::vector<Seconds>>> all;
    const auto of_rank = static_cast<std::ptrdiff_t>(devices / ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const bool chosen =
          choice_.ranks.empty() || std::ranges::find(choice_.ranks, rank) != choice_.ranks.end();
      const auto first = timer.by_rank.begin() + rank * of_rank;
      if (chosen) all.push_back({rank, {first, first + of_rank}});
    }
    return all;
  }

  // Of one pipeline rank, whose devices do the same.
  std::vector<Seconds> alone(const LoggedTimer& timer) const {
    const bool alike = timer.most <= timer.least * (1 + kAlike);
    if (alike && !timer.slowest_only) return {timer.least};
    if (experiment_.pipeline.ranks == 1)
      return timer.slowest_only ? std::vector{timer.most} : std::vector{timer.least, timer.most};
    refuse("the times of every rank (--timing-log-option all), or a log of one rank",
           timer.slowest_only ? "those of the slowest rank, whichever it is"
                              : "those of the fastest and the slowest rank, whichever they are");
  }

  void add(std::vector<MeasuredRow>& rows, const LoggedTimer& timer, const std::string& direction) const {
    const bool optimizer = direction == kOptimizerWord;
    const double parts = optimizer ? 1 : experiment_.pipeline.microbatches;
    for (const auto& [rank, seconds] : times(timer)) {
      const LayerRange layers = schedule_.stages[rank].layers;
      if (optimizer && !experiment_.model.trainable(layers)) continue;
      std::vector<double> ms;
      for (const Seconds time : seconds) {
        if (!(time > Seconds())) refuse("times above 0 of the timer " + timer.name, duration_text(time));
        ms.push_back(time / milliseconds(1) / parts);
      }
      rows.push_back({log_.file, "timer " + timer.name, layers_text(experiment_.model, layers), direction,
                      optimizer ? "" : contents_.tokens, optimizer ? "" : contents_.patches, std::move(ms)});
    }
  }

  const StepLog& log_;
  const Experiment& experiment_;
  const TraceChoice& choice_;
  const AnalyticCosts& costs_;
  MicrobatchContents contents_ = {};
  StagedSchedule schedule_;
};

}  // namespace

TraceRows log_rows(const StepLog& log, const Experiment& experiment, const TraceChoice& choice) {
  return LogRows(log, experiment, choice).read();
}

}  // namespace spillway
