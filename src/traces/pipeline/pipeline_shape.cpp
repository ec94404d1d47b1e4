#include "traces/pipeline/pipeline_shape.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace spillway {
namespace {

constexpr std::size_t kMostNamed = 8;

// The passes of one rank, or of one stage.
struct PassCount {
  std::size_t forwards = 0;
  std::size_t backwards = 0;

  void add(TraceKind kind) { ++(kind == TraceKind::Forward ? forwards : backwards); }
};

struct Survey {
  std::vector<PassCount> ranks;
  std::vector<PassCount> stages;
  std::vector<std::uint32_t> stage_rank;   // the rank of the stage's first pass
  std::vector<std::uint32_t> second_rank;  // another rank that runs the stage, or kUnknown
  std::uint32_t neighbours = 0;            // stages up to the highest that a transfer names
  std::uint32_t replicas = 0;
  std::size_t passes = 0;
  std::size_t numbered = 0;

  void pass(const TraceEvent& event) {
    ++passes;
    if (event.microbatch != kUnknown) ++numbered;
    if (event.rank >= ranks.size()) ranks.resize(event.rank + 1u);
    if (event.stage >= stages.size()) {
      stages.resize(event.stage + 1u);
      stage_rank.resize(stages.size(), kUnknown);
      second_rank.resize(stages.size(), kUnknown);
    }
    ranks[event.rank].add(event.kind);
    stages[event.stage].add(event.kind);
    std::uint32_t& rank = stage_rank[event.stage];
    if (rank == kUnknown) rank = event.rank;
    if (rank != event.rank) second_rank[event.stage] = event.rank;
    replicas = std::max(replicas, event.replica + 1u);
  }

  void transfer(const TraceEvent& event) {
    const bool upwards = event.kind == TraceKind::SendForward || event.kind == TraceKind::ReceiveBackward;
    neighbours = std::max(neighbours, event.stage + (upwards ? 2u : 1u));
  }
};

Survey survey_of(const Trace& trace) {
  Survey survey;
  for (const TraceEvent& event : trace.events) {
    if (is_compute(event.kind)) survey.pass(event);
    if (is_transfer(event.kind)) survey.transfer(event);
  }
  return survey;
}

// "rank 2", "ranks 0, 3 and 5"
std::string named(const std::string& what, const std::vector<std::size_t>& numbers) {
  std::string text = what + (numbers.size() == 1 ? " " : "s ");
  const std::size_t shown = std::min(numbers.size(), kMostNamed);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == numbers.size();
    text += (i == 0 ? "" : last ? " and " : ", ") + std::to_string(numbers[i]);
  }
  return shown == numbers.size() ? text : text + " and " + std::to_string(numbers.size() - shown) + " more";
}

// Adds one violation if any entry has no pass of this direction.
void check_all_pass(const Trace& trace, const std::string& what, const std::vector<PassCount>& all,
                    std::size_t PassCount::*direction, const std::string& word,
                    std::vector<Violation>& violations) {
  std::vector<std::size_t> none;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].*direction == 0) none.push_back(i);
  if (none.empty()) return;
  const std::string where =
      none.size() == all.size() ? "any " + what : named(what, none) + " of " + std::to_string(all.size());
  violations.push_back({file_of(trace), "/", "a " + word + " of every microbatch on every " + what,
                        "none on " + where + " in any of " + counted(trace.steps.size(), "step")});
}

void check_one_rank_each(const Trace& trace, const Survey& survey, std::vector<Violation>& violations) {
  for (std::size_t stage = 0; stage < survey.second_rank.size(); ++stage) {
    if (survey.second_rank[stage] == kUnknown) continue;
    violations.push_back({file_of(trace), "/",
                          "each stage on one rank (two copies of a model, as in DualPipe, are not supported)",
                          "stage " + std::to_string(stage) + " on ranks " +
                              std::to_string(survey.stage_rank[stage]) + " and " +
                              std::to_string(survey.second_rank[stage])});
    return;
  }
}

constexpr std::string_view kPassesNeeded =
    "forward and backward passes (ranges named PP:0F0, or Forward 0 and Backward 0, from "
    "torch.distributed.pipelining; Megatron's, Primus's or Ascend's own)";

std::vector<Violation> violations_of(const Trace& trace, Survey& survey) {
  if (survey.passes == 0)
    return {{file_of(trace), "/", std::string(kPassesNeeded),
             "none among " + counted(trace.events.size(), "event")}};
  if (survey.numbered == 0)
    return {{file_of(trace), "/", "passes with the number of their microbatch",
             "none of " + std::to_string(survey.passes) + " passes has one"}};
  std::vector<Violation> violations;
  if (survey.neighbours > survey.stages.size()) survey.stages.resize(survey.neighbours);
  check_all_pass(trace, "rank", survey.ranks, &PassCount::forwards, "forward", violations);
  check_all_pass(trace, "rank", survey.ranks, &PassCount::backwards, "backward", violations);
  if (violations.empty()) {  // otherwise the stages of those ranks would be named again
    check_all_pass(trace, "stage", survey.stages, &PassCount::forwards, "forward", violations);
    check_all_pass(trace, "stage", survey.stages, &PassCount::backwards, "backward", violations);
  }
  check_one_rank_each(trace, survey, violations);
  return violations;
}

}  // namespace

std::string file_of(const Trace& trace) {
  return trace.files.empty() ? trace.format : trace.files.front();
}

PipelineShape pipeline_shape(const Trace& trace) {
  Survey survey = survey_of(trace);
  if (auto violations = violations_of(trace, survey); !violations.empty())
    throw InputError(std::move(violations));
  PipelineShape shape{static_cast<std::uint32_t>(survey.ranks.size()),
                      static_cast<std::uint32_t>(survey.stages.size()),
                      survey.replicas,
                      {},
                      {}};
  std::vector<std::uint32_t> chunks(shape.ranks);
  for (std::uint32_t rank : survey.stage_rank) {
    shape.stage_rank.push_back(RankId(rank));
    shape.stage_chunk.push_back(chunks[rank]++);
  }
  return shape;
}

}  // namespace spillway
