#include "report/step/chrome_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "evaluations.h"

namespace spillway::testing {
namespace {

using nlohmann::json;
using Track = std::pair<int, int>;

json trace_of(const ScheduleResult& result) {
  std::ostringstream out;
  write_chrome_trace(out, result);
  return json::parse(out.str());
}

json trace_of(PointToPoint point_to_point, std::uint32_t replicas = 1) {
  return trace_of(result_of("mpipe", two_by_two(point_to_point, replicas), two_by_two_costs()));
}

Track track_of(const json& event) {
  return {event["pid"], event["tid"]};
}

std::map<Track, std::vector<json>> complete_events(const json& trace) {
  std::map<Track, std::vector<json>> by_track;
  for (const json& event : trace)
    if (event["ph"] == "X") by_track[track_of(event)].push_back(event);
  return by_track;
}

TEST(ChromeTrace, OneNamedTrackPerRankAndReplica) {
  const json trace = trace_of(PointToPoint::Overlapped, 3);
  std::set<Track> named;
  for (const json& event : trace)
    if (event["ph"] == "M" && event["name"] == "thread_name") named.insert(track_of(event));
  const std::set<Track> all = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}};
  EXPECT_EQ(named, all);
  std::set<Track> used;
  for (const auto& [track, events] : complete_events(trace)) used.insert(track);
  EXPECT_EQ(used, all);
}

TEST(ChromeTrace, CompleteEventsFollowOneAnother) {
  for (PointToPoint p2p : {PointToPoint::Overlapped, PointToPoint::Blocking}) {
    for (const auto& [track, events] : complete_events(trace_of(p2p))) {
      double free = 0;
      for (const json& event : events) {
        EXPECT_GE(event["ts"].get<double>(), free - 1e-3) << event;
        free = event["ts"].get<double>() + event["dur"].get<double>();
      }
    }
  }
}

// By hand in evaluations.h: rank 1 encodes microbatch 2 at 0 s and runs its first forward at 3 s.
TEST(ChromeTrace, EventsCarryThePapersNamesAndMicroseconds) {
  const auto events = complete_events(trace_of(PointToPoint::Overlapped)).at({0, 1});
  ASSERT_EQ(events.size(), 5u);
  const json encode = {{"ph", "X"},
                       {"name", "Fwd(enc,1,2)"},
                       {"cat", "encoder forward"},
                       {"pid", 0},
                       {"tid", 1},
                       {"ts", 0.0},
                       {"dur", 1e6},
                       {"args", {{"microbatch", 2}}}};
  EXPECT_EQ(events[0], encode);
  EXPECT_EQ(events[1]["name"], "Fwd(llm,1,1)");
  EXPECT_EQ(events[1]["ts"], 3e6);
}

TEST(ChromeTrace, OverlappedTransfersRunBesideAndCloseWhatTheyOpen) {
  const json trace = trace_of(PointToPoint::Overlapped);
  std::map<std::string, std::vector<std::string>> open;  // per row, the names not yet closed
  std::size_t transfers = 0;
  for (const json& event : trace) {
    if (event["ph"] == "b") {
      open[event["id"]].push_back(event["name"]);
      transfers += event.contains("args");
    } else if (event["ph"] == "e") {
      ASSERT_FALSE(open[event["id"]].empty());
      EXPECT_EQ(open[event["id"]].back(), event["name"]);
      open[event["id"]].pop_back();
    }
  }
  for (const auto& [row, names] : open) EXPECT_TRUE(names.empty()) << row;
  EXPECT_EQ(transfers,
            5u);  // Send twice, RecvGrad twice, Gather once; the Gather from rank 0 to itself takes no time
}

TEST(ChromeTrace, BlockingTransfersLieOnTheTrack) {
  const auto events = complete_events(trace_of(PointToPoint::Blocking)).at({0, 0});
  const auto sends =
      std::count_if(events.begin(), events.end(), [](const json& e) { return e["cat"] == "transfer"; });
  EXPECT_EQ(sends, 2);
}

TEST(ChromeTrace, ReorderedMicrobatchesCarryTheirNumberInTheDraw) {
  const json trace = trace_of(swapped(result_of("mpipe", two_by_two(), two_by_two_costs())));
  int told = 0;
  for (const json& event : trace) {
    if (!event.contains("args") || !event["args"].contains("microbatch")) continue;
    EXPECT_EQ(event["args"]["sampled_as"], 3 - event["args"]["microbatch"].get<int>()) << event;
    ++told;
  }
  EXPECT_GE(told, 10);
  for (const json& event : trace_of(PointToPoint::Overlapped))
    EXPECT_FALSE(event.contains("args") && event["args"].contains("sampled_as")) << event;
}

// Three replicas with work and orders of their own: every number is that of the event on its own replica.
TEST(ChromeTrace, EveryReplicaHasNumbersOfItsOwn) {
  for (PointToPoint p2p : {PointToPoint::Overlapped, PointToPoint::Blocking}) {
    GivenCosts costs = two_by_two_costs();
    costs.blocks[1].work = {{1, 1}, {2, 1}, {1, 3}};
    ScheduleResult result = result_of("mpipe", two_by_two(p2p, 3), costs);
    result.order = MicrobatchOrder::HeaviestFirst;
    const MicrobatchId one(0), two(1);
    result.first.sampled_as = {{one, two}, {two, one}, {one, two}};
    std::map<std::string, EventId> by_name;  // but for reductions: those of both stages have one name
    for (std::uint32_t id = 0; id < result.derived->order.event_count(); ++id) {
      const Event& event = result.derived->order.event(EventId(id));
      if (event.kind == EventKind::DpReduce) continue;
      EXPECT_TRUE(by_name.emplace(event_name(event, *result.derived), EventId(id)).second);
    }
    int told = 0;
    for (const json& event : trace_of(result)) {
      const auto known = by_name.find(event.value("name", ""));
      if (known == by_name.end() || event["ph"] == "M") continue;
      const auto lane = event["pid"].get<std::uint32_t>();
      const double start = result.first.timeline.start.at(known->second, lane).value() * 1e6;
      const double end = result.first.timeline.end.at(known->second, lane).value() * 1e6;
      EXPECT_NEAR(event["ts"].get<double>(), event["ph"] == "e" ? end : start, 1e-3) << event;
      if (event.contains("dur")) {
        EXPECT_NEAR(event["dur"].get<double>(), end - start, 1e-3) << event;
      }
      if (!event.contains("args") || !event["args"].contains("microbatch")) continue;
      const auto position = event["args"]["microbatch"].get<std::uint32_t>() - 1;
      EXPECT_EQ(event["args"]["sampled_as"], result.first.sampled_as[lane][position].index() + 1) << event;
      ++told;
    }
    EXPECT_GE(told, 30);
  }
}

// Of the transposed encoder none; of the backbone behind it, from 0.
TEST(ChromeTrace, EventsOfPipelinedRegionsCarryTheirStage) {
  const auto events = complete_events(trace_of(PointToPoint::Blocking)).at({0, 0});
  for (const json& event : events) {
    if (event["cat"] == "encoder forward")
      EXPECT_FALSE(event["args"].contains("stage")) << event;
    else
      EXPECT_EQ(event["args"]["stage"], 0) << event;
    if (event["cat"] != "transfer") continue;
    EXPECT_EQ(event["args"]["to_stage"], 1) << event;
    EXPECT_EQ(event["args"]["to_rank"], 1) << event;
  }
}

TEST(ChromeTrace, NamesAreQuoted) {
  const json trace = trace_of(
      result_of("a \"name\"", two_by_two(PointToPoint::Overlapped, 1, "l\"l\\m\n"), two_by_two_costs()));
  EXPECT_EQ(complete_events(trace).at({0, 1})[1]["name"], "Fwd(l\"l\\m\n,1,1)");
}

}  // namespace
}  // namespace spillway::testing
