#include <memory>
#include <utility>

#include "base/error.h"
#include "compare/parts.h"
#include "compare/read_sides.h"
#include "traces/formats/read_trace.h"
#include "traces/pipeline/measured_job.h"
#include "traces/pipeline/pipeline.h"
#include "validate/replay.h"

namespace spillway {
namespace {

Derived order_of(const std::string& path, const MeasuredPipeline& pipeline) try {
  return measured_order(pipeline, transfer_mode(pipeline).point_to_point);
} catch (const InputError& bad) {
  throw InputError(located(bad.violations(), path, ""));
}

// Returns a timeline of one lane, the mean over all lanes. The times of a lane count from the start of its
// span.
Timeline mean_timeline(const Timeline& all, const std::vector<Interval>& spans) {
  const std::size_t events = all.end.events();
  Timeline mean{PerEvent<Seconds>(events, 1), PerEvent<Seconds>(events, 1)};
  for (std::uint32_t index = 0; index < events; ++index) {
    Seconds start, end;
    for (std::uint32_t lane = 0; lane < spans.size(); ++lane) {
      start += all.start.at(EventId(index), lane) - spans[lane].start;
      end += all.end.at(EventId(index), lane) - spans[lane].start;
    }
    mean.start.fill(EventId(index), start / static_cast<double>(spans.size()));
    mean.end.fill(EventId(index), end / static_cast<double>(spans.size()));
  }
  return mean;
}

Parts parts_of(const MeasuredPipeline& pipeline, const Order& order, const Timeline& timeline,
               const std::vector<Interval>& spans) {
  std::vector<LaneParts> lanes;
  for (std::uint32_t lane = 0; lane < spans.size(); ++lane)
    lanes.push_back({spans[lane].length(),
                     components(order, timeline, lane, spans[lane], pipeline.steps[lane].collectives)});
  return passes_parts(lanes);
}

Node layout_in_trace(const MeasuredPipeline& pipeline) {
  const auto number = [](std::uint64_t value) { return Node{value}; };
  return {Object{{"layout",
                  {Object{{"ranks", number(pipeline.ranks)},
                          {"microbatches", number(pipeline.microbatches)},
                          {"replicas", number(pipeline.replicas)}}}}}};
}

SideRun run_in_trace(const std::string& path, const MeasuredPipeline& pipeline) {
  auto derived = std::make_shared<const Derived>(order_of(path, pipeline));
  const Timeline timeline = measured_times(pipeline, *derived).timeline;
  const std::vector<Interval> all = spans(derived->order, timeline);
  Parts passes = parts_of(pipeline, derived->order, timeline, all);
  const Parts ranks = rank_parts(passes.of("compute"), passes.of("transfer") + passes.of("collective"),
                                 passes.of("wait") + passes.of("host gap"));
  SideRun run{.name = match_schedule(pipeline).schedule,
              .figures = {{"makespan_s", passes.length.value(), {}}},
              .parts = {std::nullopt, passes, ranks},
              .ranks = {},
              .events = SideEvents{derived, mean_timeline(timeline, all)}};
  run.ranks = times_by_rank(*run.events);
  return run;
}

// Returns notes on the data that were dropped, guessed, missing or corrected.
std::vector<std::string> done_to(const Trace& trace, const MeasuredPipeline& pipeline) {
  std::vector<std::string> texts;
  for (const auto* notes : {&trace.notes, &pipeline.notes})
    for (const Note& note : *notes)
      if (note.kind != NoteKind::Read) texts.push_back(to_string(note));
  return texts;
}

}  // namespace

Side trace_side(const std::string& path) {
  const Trace trace = read_trace(path);
  const MeasuredPipeline pipeline = measured_pipeline(trace);
  return {.file = path,
          .kind = SideKind::Trace,
          .seed = 0,
          .draws = 0,
          .stated = layout_in_trace(pipeline),
          .document = std::nullopt,
          .runs = {run_in_trace(path, pipeline)},
          .notes = done_to(trace, pipeline)};
}

}  // namespace spillway
