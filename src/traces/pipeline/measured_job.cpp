#include "traces/pipeline/measured_job.h"

#include <filesystem>
#include <utility>

#include "traces/events/union_of_intervals.h"
#include "traces/formats/read_trace.h"

namespace spillway {
namespace {

constexpr double kComputesThrough = 0.1;

class ModeEvidence {
 public:
  explicit ModeEvidence(const MeasuredPipeline& pipeline) : pipeline_(pipeline), ranks_(pipeline.ranks) {}

  void add(const MeasuredStep& step) {
    for (auto& passes : ranks_) passes.clear();
    for (std::uint32_t stage = 0; stage < pipeline_.stages; ++stage) {
      for (const MeasuredPasses& passes : step.passes[stage]) add(rank_of(stage), passes);
    }
    for (auto& passes : ranks_) passes = union_of(std::move(passes));
    for (std::uint32_t stage = 0; stage + 1 < pipeline_.stages; ++stage) {
      if (rank_of(stage) == rank_of(stage + 1)) continue;
      for (const MeasuredTransfer& transfer : step.activations[stage]) weigh(rank_of(stage), transfer);
      for (const MeasuredTransfer& transfer : step.gradients[stage]) weigh(rank_of(stage + 1), transfer);
    }
  }

  TransferMode mode() const {
    const double share = sending_ > Seconds() ? computing_ / sending_ : 0;
    const bool blocks = sends_ > 0 && share <= kComputesThrough;
    TransferMode mode{blocks ? PointToPoint::Blocking : PointToPoint::Overlapped, sends_, share, {}};
    if (sends_ == 0)
      mode.notes.push_back({NoteKind::Guessed, 0,
                            "the trace has no sends, so transfers are assumed not to occupy their senders"});
    return mode;
  }

 private:
  std::size_t rank_of(std::uint32_t stage) const { return pipeline_.placement.stage_rank[stage].index(); }

  void add(std::size_t rank, const MeasuredPasses& passes) {
    ranks_[rank].push_back(passes.forward);
    ranks_[rank].push_back(passes.backward);
    if (passes.weight) ranks_[rank].push_back(*passes.weight);
  }

  void weigh(std::size_t rank, const MeasuredTransfer& transfer) {
    if (!transfer.sent) return;
    ++sends_;
    sending_ += transfer.sent->length();
    computing_ += covered(ranks_[rank], *transfer.sent);
  }

  const MeasuredPipeline& pipeline_;
  std::vector<std::vector<Interval>> ranks_;  // [rank]: when it computes in one step
  std::size_t sends_ = 0;
  Seconds sending_;
  Seconds computing_;
};

}  // namespace

TransferMode transfer_mode(const MeasuredPipeline& pipeline) {
  ModeEvidence evidence(pipeline);
  for (const MeasuredStep& step : pipeline.steps) evidence.add(step);
  return evidence.mode();
}

MeasuredJob measured_job(const std::string& path) {
  Trace trace = read_trace(path);
  MeasuredPipeline pipeline = measured_pipeline(trace);
  ScheduleMatch match = match_schedule(pipeline);
  TransferMode transfers = transfer_mode(pipeline);
  std::vector<Note> notes = std::move(trace.notes);
  for (const auto* more : {&match.differences, &transfers.notes})
    notes.insert(notes.end(), more->begin(), more->end());
  return {std::filesystem::path(path).stem().string(), std::move(pipeline), std::move(match),
          transfers.point_to_point, std::move(notes)};
}

}  // namespace spillway
