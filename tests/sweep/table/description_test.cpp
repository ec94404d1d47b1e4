// The description that sweep plot and the page of a sweep draw from.
#include "sweep/plot/description.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "outcomes.h"

namespace spillway::testing {
namespace {

using Json = nlohmann::json;

// 4 and 8 ranks, each with twice as many devices, x transfers of 1, 2 and 4 ms, added from the most. An owner
// map has two of the three transfers.
Json description() {
  const SweepHeading heading = heading_of({"/pipeline/ranks", "/devices", "/network/p2p_ms", "/owner"});
  SweepDescription description(heading);
  const PointOutcome outcome = point_of({schedule_of("slow", {4.0, 6.0}), schedule_of("fast", {2.0, 4.0})});
  for (const char* transfer : {"4", "2", "1"})
    for (const char* ranks : {"8", "4"})
      description.add({ranks, ranks == std::string("8") ? "16" : "8", transfer,
                       transfer == std::string("4") ? "\"greedy\"" : "\"min-max\""},
                      &outcome);
  return Json::parse(description.json());
}

TEST(SweepDescription, AxesThatGoTogetherAreOne) {
  const Json axes = description()["axes"];
  ASSERT_EQ(axes.size(), 4u);
  EXPECT_EQ(axes[0]["along"], 0);
  EXPECT_EQ(axes[1]["along"], 0);
  EXPECT_EQ(axes[2]["along"], 2);
  EXPECT_EQ(axes[3]["along"], 3);  // two transfers have one owner map
}

TEST(SweepDescription, ValuesAscendAndKnowTheirScale) {
  const Json axes = description()["axes"];
  EXPECT_EQ(axes[2]["label"], "network p2p (ms)");
  EXPECT_EQ(axes[2]["values"],
            Json::parse(R"([{"value":1,"text":"1"},{"value":2,"text":"2"},{"value":4,"text":"4"}])"));
  EXPECT_EQ(axes[2]["logarithmic"], true);
  EXPECT_EQ(axes[0]["logarithmic"], false);
  EXPECT_EQ(axes[0]["numeric"], true);
}

TEST(SweepDescription, FiguresSayWhatTheyAreAgainst) {
  const Json described = description();
  EXPECT_EQ(described["schedules"][0], Json::parse(R"({"name":"slow","shown":"slow","baseline":true})"));
  for (const Json& figure : described["figures"])
    if (figure["name"] == "speedup_mean") {
      EXPECT_EQ(figure["label"], "speedup over slow");
      EXPECT_EQ(figure["interval"], "speedup_ci95");
      EXPECT_EQ(figure["level"], 1);
      return;
    }
  FAIL() << described;
}

}  // namespace
}  // namespace spillway::testing
