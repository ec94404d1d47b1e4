// The output of write_chrome_trace, read back as a measured trace.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cctype>
#include <fstream>
#include <map>
#include <string>
#include <tuple>

#include "base/error.h"
#include "evaluations.h"
#include "report/trace/chrome_trace.h"
#include "support/temporary_folder.h"
#include "traces/formats/read_trace.h"

namespace spillway::testing {
namespace {

// A key is kind, replica, rank, stage, microbatch.
using Key = std::tuple<TraceKind, std::size_t, std::size_t, std::size_t, std::size_t>;
using Times = std::map<Key, std::pair<double, double>>;

Trace read_back(const ScheduleResult& result) {
  const TemporaryFolder folder;
  const std::string path = folder.file("own.json");
  std::ofstream out(path);
  write_chrome_trace(out, result);
  out.close();
  return read_trace(path);
}

ScheduleResult pipelined(const std::string& schedule_text, PointToPoint point_to_point,
                         std::uint32_t replicas) {
  const Model model({{"llm", Role::Backbone, 8, true}});
  DeriveOptions options{.pipeline = {2, 4, replicas}};
  options.point_to_point = point_to_point;
  return result_of(schedule_text, derive(model, schedule(schedule_text), Cut{}, options),
                   uniform_costs(1, 0.75, 0.5, 0.0625));
}

std::optional<TraceKind> sent(const Event& event) {
  if (event.kind != EventKind::Collective) return std::nullopt;
  return event.comm == Comm::Send ? TraceKind::SendForward : TraceKind::SendBackward;
}

// Returns the times of passes and of both sides of transfers, from the timeline itself.
Times expected(const ScheduleResult& result) {
  const Derived& derived = *result.derived;
  Times times;
  for (std::uint32_t lane = 0; lane < result.first.timeline.start.lanes(); ++lane) {
    for (std::uint32_t rank = 0; rank < derived.order.rank_count(); ++rank) {
      for (EventId id : derived.order.nodes(RankId(rank))) {
        const Event& event = derived.order.event(id);
        const std::pair span = {result.first.timeline.start.at(id, lane).value(),
                                result.first.timeline.end.at(id, lane).value()};
        if (span.first == span.second) continue;  // at the turn of a V nothing is sent
        const std::size_t microbatch = event.microbatch.index(), stage = derived.stage(event.stage).index;
        if (event.computes()) times[{TraceKind(event.kind), lane, rank, stage, microbatch}] = span;
        const auto kind = sent(event);
        if (!kind) continue;
        const auto far = static_cast<TraceKind>(static_cast<int>(*kind) + 1);
        times[{*kind, lane, rank, stage, microbatch}] = span;
        times[{far, lane, event.peer_rank.index(), derived.stage(event.peer_stage).index, microbatch}] = span;
      }
    }
  }
  return times;
}

class OwnTrace : public ::testing::TestWithParam<std::tuple<std::string, PointToPoint>> {};

TEST_P(OwnTrace, HoldsThePassesAndTransfersOfTheTimeline) {
  const auto [schedule_text, point_to_point] = GetParam();
  const ScheduleResult result = pipelined(schedule_text, point_to_point, 2);
  const Trace trace = read_back(result);
  EXPECT_EQ(trace.format, "spillway");
  EXPECT_EQ(trace.schedule, schedule_text);
  const Times times = expected(result);
  std::size_t found = 0;
  for (const TraceEvent& event : trace.events) {
    if (!is_compute(event.kind) && !is_transfer(event.kind)) continue;
    const auto at = times.find({event.kind, event.replica, event.rank, event.stage, event.microbatch});
    ASSERT_NE(at, times.end()) << trace.names[event.name];
    EXPECT_NEAR(event.start.value(), at->second.first, 1e-9);
    EXPECT_NEAR(event.end().value(), at->second.second, 1e-9);
    ++found;
  }
  EXPECT_EQ(found, times.size());
  EXPECT_EQ(trace.notes, std::vector<Note>{});
}

INSTANTIATE_TEST_SUITE_P(Schedules, OwnTrace,
                         ::testing::Combine(::testing::Values("1f1b", "gpipe", "zb-h1", "zb-v", "wave(1)"),
                                            ::testing::Values(PointToPoint::Overlapped,
                                                              PointToPoint::Blocking)),
                         [](const auto& run) {
                           std::string name = std::get<0>(run.param) + '_';
                           name += to_string(std::get<1>(run.param));
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

TEST(OwnTraceOfTransposed, KeepsTheBackboneAndCountsTheEncoder) {
  const Trace trace = read_back(result_of("mpipe", two_by_two(), two_by_two_costs()));
  std::size_t passes = 0;
  for (const TraceEvent& event : trace.events) passes += is_compute(event.kind);
  EXPECT_EQ(passes, 8u);
  ASSERT_EQ(trace.notes.size(), 1u);
  EXPECT_EQ(trace.notes[0].kind, NoteKind::Dropped);
  EXPECT_EQ(trace.notes[0].count, 3u);  // two encodes and the gather of one
}

}  // namespace
}  // namespace spillway::testing
