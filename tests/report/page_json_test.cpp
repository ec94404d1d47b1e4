// The data of a run's page, against the timeline that it is made of.
#include "report/run/page_json.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "evaluations.h"
#include "report/page/column.h"
#include "report/page/html.h"
#include "report/run/drawn_timeline.h"
#include "report/step/activity.h"
#include "report/step/verdict.h"
#include "timing/critical_path.h"

namespace spillway::testing {
namespace {

using Json = nlohmann::ordered_json;

std::string bytes_from(const std::string& base64) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits, bytes;
  for (char c : base64)
    if (c != '=')
      for (int bit = 5; bit >= 0; --bit) bits += digits.find(c) >> bit & 1U ? '1' : '0';
  for (std::size_t i = 0; i + 8 <= bits.size(); i += 8)
    bytes += static_cast<char>(std::stoi(bits.substr(i, 8), nullptr, 2));
  return bytes;
}

std::vector<std::uint32_t> numbers(const Json& column) {
  const std::size_t size = column["bits"].get<std::size_t>() / 8;
  const std::string bytes = bytes_from(column["base64"]);
  std::vector<std::uint32_t> values(bytes.size() / size);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    values[i / size] |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << 8 * (i % size);
  return values;
}

TEST(Column, IsBase64) {
  const std::map<std::string, std::string> known = {{"", ""},
                                                    {"f", "Zg=="},
                                                    {"fo", "Zm8="},
                                                    {"foo", "Zm9v"},
                                                    {"foob", "Zm9vYg=="},
                                                    {"fooba", "Zm9vYmE="},
                                                    {"foobar", "Zm9vYmFy"}};  // RFC 4648, section 10
  for (const auto& [bytes, text] : known) EXPECT_EQ(base64(bytes), text);
}

TEST(Column, TakesAsManyBitsAsItsLargestNeeds) {
  for (const auto& [most, bits] :
       std::map<std::uint32_t, int>{{255, 8}, {256, 16}, {65535, 16}, {65536, 32}, {4294967295U, 32}}) {
    const std::vector<std::uint32_t> values = {0, most, 1, most / 2};
    const Json coded = column(values);
    EXPECT_EQ(coded["bits"], bits) << most;
    EXPECT_EQ(numbers(coded), values);
  }
}

ScheduleResult with_its_path(ScheduleResult result) {
  result.first.critical_path = critical_path(result.derived->order, result.first.timeline);
  return result;
}

Derived one_rank() {
  return derive(Model({{"llm", Role::Backbone, 1, true}}), schedule("1f1b"), Cut{}, {.pipeline = {1, 2, 1}});
}

const PageScale kTwoRanks{Seconds(12), {RankId(0), RankId(1)}};

// The values are worked by hand (evaluations.h).
TEST(TimelineColumns, HoldEveryEventThatTakesTime) {
  const ScheduleResult result = with_its_path(result_of("s", two_by_two(), two_by_two_costs()));
  const Json columns = timeline_columns(result, kTwoRanks, 1000);
  const auto first = columns["first"].get<std::vector<std::size_t>>();
  ASSERT_EQ(first.size(), 3u);
  std::size_t place = 0;
  const auto start = numbers(columns["start"]), end = numbers(columns["end"]),
             activity = numbers(columns["activity"]);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(first[rank], place);
    std::multiset<std::string> expected, found;
    for (EventId id : result.derived->order.nodes(RankId(rank))) {
      const Seconds from = result.first.timeline.start.at(id, 0), to = result.first.timeline.end.at(id, 0);
      if (from == to) continue;
      expected.insert(
          std::to_string(kTwoRanks.ticks(from)) + ' ' + std::to_string(kTwoRanks.ticks(to)) + ' ' +
          std::to_string(static_cast<int>(activity_of(*result.derived, result.derived->order.event(id)))));
    }
    for (; place < first[rank + 1]; ++place) {
      found.insert(std::to_string(start[place]) + ' ' + std::to_string(end[place]) + ' ' +
                   std::to_string(activity[place]));
      EXPECT_LE(place > first[rank] ? start[place - 1] : 0, start[place]);
    }
    EXPECT_EQ(found, expected);
  }
  EXPECT_EQ(place, start.size());
}

// On ranks as busy as these, an event starts when the event that it waited for ends.
TEST(TimelineColumns, SayWhatAnEventWaitedFor) {
  const ScheduleResult result = with_its_path(result_of("s", two_by_two(), two_by_two_costs()));
  const Json columns = timeline_columns(result, kTwoRanks, 1000);
  const auto start = numbers(columns["start"]), end = numbers(columns["end"]),
             before = numbers(columns["before"]);
  for (std::size_t i = 0; i < start.size(); ++i)
    EXPECT_EQ(start[i], before[i] == 0 ? 0 : end[before[i] - 1]) << i;
}

TEST(TimelineColumns, TheCriticalPathGoesFromStartToEndWithoutAGap) {
  const ScheduleResult result = with_its_path(result_of("s", two_by_two(), two_by_two_costs()));
  const Json columns = timeline_columns(result, kTwoRanks, 1000);
  const auto start = numbers(columns["start"]), end = numbers(columns["end"]),
             critical = numbers(columns["critical"]);
  std::map<std::uint32_t, std::uint32_t> path;
  for (std::size_t i = 0; i < start.size(); ++i)
    EXPECT_TRUE(critical[i] != 1 || path.emplace(start[i], end[i]).second);
  std::uint32_t at = 0;
  while (path.contains(at)) at = path[at];
  EXPECT_EQ(at, kTwoRanks.ticks(Seconds(12)));
}

// Rank 1 waits for F1's input from 2 to 3, which is its fill; rank 0 for the gradients from 3 to 7 and from 9
// to 10.
TEST(TimelineColumns, SayWhyARankWasIdleBeforeAnEvent) {
  const ScheduleResult result = with_its_path(result_of("s", two_by_two(), two_by_two_costs()));
  const Json columns = timeline_columns(result, kTwoRanks, 1000);
  const auto start = numbers(columns["start"]), wait = numbers(columns["wait"]);
  const auto first = columns["first"].get<std::vector<std::size_t>>();
  const auto cause_at = [&](std::size_t row, double seconds) {
    std::string cause;
    for (std::size_t i = first[row]; i < first[row + 1]; ++i)
      if (start[i] == kTwoRanks.ticks(Seconds(seconds)) && wait[i] > 0) cause = causes_json()[wait[i] - 1];
    return cause;
  };
  EXPECT_EQ(cause_at(1, 3), "fill");
  EXPECT_EQ(cause_at(0, 7), "gradient");
  EXPECT_EQ(cause_at(0, 10), "gradient");
}

TEST(PageJson, ShowsAMeasuredStepOfAsManyRanks) {
  const ScheduleResult result = result_of("s", two_by_two(), two_by_two_costs());
  const Evaluation evaluation = evaluation_of(result);
  Timeline slower = result.first.timeline;
  for (PerEvent<Seconds>* times : {&slower.start, &slower.end})
    for (Seconds& time : times->flat()) time = time * 2;
  const Json page =
      Json::parse(page_json(evaluation, {.measured = TracedStep{"step 3", result.derived, slower}}));
  EXPECT_EQ(page["measured"]["name"], "step 3");
  EXPECT_EQ(page["measured"]["end_s"], 24);
  EXPECT_EQ(page["span_s"], 24);
  EXPECT_EQ(page["schedules"][0]["end_s"], 12);
  const ScheduleResult other = result_of("s", one_rank(), {{two_by_two_costs().blocks[0]}, Seconds()});
  EXPECT_TRUE(Json::parse(page_json(
      evaluation, {.measured = TracedStep{"", other.derived, other.first.timeline}}))["measured"]
                  .is_null());
}

TEST(TimelineColumns, ManyEventsBecomeSlices) {
  const ScheduleResult result = result_of("s", two_by_two(), two_by_two_costs());
  const Json columns = timeline_columns(result, kTwoRanks, 10);
  EXPECT_EQ(columns["thinned"]["slices"], 600);
  EXPECT_GT(columns["thinned"]["events"], 10);
  const auto start = numbers(columns["start"]), end = numbers(columns["end"]),
             activity = numbers(columns["activity"]);
  const auto first = columns["first"].get<std::vector<std::size_t>>();
  std::uint64_t computing = 0;  // rank 0: e1, F1, F2, and two backwards of 2 s each
  for (std::size_t i = first[0]; i < first[1]; ++i)
    if (activity[i] < static_cast<std::uint32_t>(Activity::Transfer)) computing += end[i] - start[i];
  EXPECT_NEAR(static_cast<double>(computing) / 4294967295.0 * 12, 7, 12.0 / 600);
}

TEST(PageJson, HoldsTheReportOfTheShownRanks) {
  const Evaluation evaluation = evaluation_of(result_of("s", two_by_two(), two_by_two_costs(), {1, 1.5}));
  const Json page = Json::parse(page_json(evaluation));
  EXPECT_EQ(page["kind"], "run");
  EXPECT_EQ(page["report"]["schedules"][0]["makespan_s"]["mean"], 15);
  EXPECT_EQ(page["schedules"][0]["makespans_s"], (std::vector<double>{12, 18}));
  EXPECT_EQ(page["report"]["schedules"][0]["ranks"].size(), 2u);
  double idle = 0;
  for (const auto& [cause, seconds] : page["schedules"][0]["bubble_s"].items())
    idle += seconds[0].get<double>();
  EXPECT_EQ(idle, page["report"]["schedules"][0]["ranks"][0]["bubble_s"]["mean"].get<double>());
}

TEST(Page, WhatIsWrittenIntoItCannotEndItsScript) {
  if (!has_page()) GTEST_SKIP() << "built without esbuild or D3";
  const auto written = [](const std::string& verdict) {
    std::ostringstream out;
    write_page(out, page_of("run", verdict, "{}"));
    return out.str();
  };
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  const std::string hostile = written("</script><script>alert(1)</script>");
  EXPECT_EQ(count(hostile, "</script>"), count(written("plain"), "</script>"));
  EXPECT_EQ(count(hostile, "alert(1)"), 0u);
}

}  // namespace
}  // namespace spillway::testing
