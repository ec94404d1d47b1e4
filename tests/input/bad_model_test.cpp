// Invalid sizes, durations and bytes, and the exact message of each.
#include <gtest/gtest.h>

#include "bad_experiment.h"

namespace spillway {
namespace {

TEST(BadExperiment, NegativeDuration) {
  EXPECT_EQ(with("\"forward_ms\": 1", "\"forward_ms\": -0.5"),
            Lines{"x.json: /model/blocks/0/profile/forward_ms: expected a number of at least 0, found -0.5"});
  EXPECT_EQ(with("\"p2p_ms\": 0.5", "\"p2p_ms\": -1"),
            Lines{"x.json: /network/p2p_ms: expected a number of at least 0, found -1"});
}

TEST(BadExperiment, NegativeBytes) {
  for (const std::string key : {"activation_bytes", "parameter_bytes", "gradient_bytes", "optimizer_bytes"})
    EXPECT_EQ(
        with("\"forward_ms\": 1", "\"forward_ms\": 1, \"" + key + "\": -1"),
        Lines{"x.json: /model/blocks/0/profile/" + key + ": expected a number of at least 0, found -1"});
}

TEST(BadExperiment, MemoryLimit) {
  const auto limited = [](const std::string& memory) {
    return with("\"network\"", "\"memory\": " + memory + ", \"network\"");
  };
  const std::string unstated =
      "x.json: /memory: expected activation_bytes in the profile of every block that runs a backward, which "
      "a memory limit needs, found an ";
  const std::string with_limit = unstated + "object with \"limit_gb\"";
  EXPECT_EQ(limited("{ \"limit_gb\": 1 }"), Lines{with_limit});
  EXPECT_EQ(limited("{ \"limit_gb\": 0 }"),
            (Lines{"x.json: /memory/limit_gb: expected a number above 0, found 0", with_limit}));
  EXPECT_EQ(limited("{}"),
            (Lines{"x.json: /memory/limit_gb: expected a value, found nothing", unstated + "empty object"}));
  EXPECT_EQ(limited("{ \"limit\": 1, \"limit_gb\": 1 }"),
            (Lines{"x.json: /memory/limit: expected a known key, such as \"limit_gb\", found \"limit\"",
                   unstated + "object with \"limit\", \"limit_gb\""}));
  EXPECT_EQ(limited("64").front(),
            "x.json: /memory: expected an object with keys such as \"limit_gb\", found 64");
}

// A frozen block at the input keeps nothing for a backward, so it need not state activation bytes.
TEST(BadExperiment, MemoryLimitWithBytesIsGood) {
  std::string text = kGood;
  text.replace(text.find("\"network\""), 9, "\"memory\": { \"limit_gb\": 1 }, \"network\"");
  const std::size_t last = text.rfind("\"forward_ms\": 1");
  EXPECT_EQ(experiment_complaints(text.replace(last, 0, "\"activation_bytes\": 5, ")), Lines{});
}

TEST(BadExperiment, WorkOfAnotherLength) {
  EXPECT_EQ(
      with("\"layers\": 4,", "\"layers\": 4, \"work_per_microbatch\": [1, 2],"),
      Lines{"x.json: /model/blocks/1/work_per_microbatch: expected a list of 3, one factor per microbatch, "
            "found a list of 2"});
  EXPECT_EQ(
      with("\"layers\": 4,", "\"layers\": 4, \"work_per_microbatch\": [[1, 2, 3], [1, 2, 3]],"),
      Lines{"x.json: /model/blocks/1/work_per_microbatch: expected a list of 1, one list of factors per "
            "replica, found a list of 2"});
}

TEST(BadExperiment, MoreWeightGradientActivationThanActivation) {
  EXPECT_EQ(with("\"forward_ms\": 1",
                 "\"activation_bytes\": 1, \"weight_gradient_activation_bytes\": 2, \"forward_ms\": 1"),
            Lines{"x.json: /model/blocks/0/profile/weight_gradient_activation_bytes: expected at most "
                  "activation_bytes, since these bytes are a part of them, found 2"});
}

TEST(BadExperiment, AFusedTimeThatNoOverlapTakes) {
  const auto fused = [](const std::string& ms) {
    return with("\"forward_ms\": 1", "\"fused_forward_backward_ms\": " + ms + ", \"forward_ms\": 1");
  };
  const std::string expected =
      "x.json: /model/blocks/0/profile/fused_forward_backward_ms: expected from 1.5 to 6.0, which is half to "
      "twice the 3.0 of the forward and the backward one after the other, found ";
  EXPECT_EQ(fused("1.4"), Lines{expected + "1.4"});
  EXPECT_EQ(fused("1e6"), Lines{expected + "1e+06"});
  EXPECT_EQ(fused("1.5"), Lines{});
  EXPECT_EQ(fused("6"), Lines{});
}

TEST(BadExperiment, APartOfActivationsThatAreNotStated) {
  EXPECT_EQ(with("\"forward_ms\": 1", "\"weight_gradient_activation_bytes\": 2, \"forward_ms\": 1"),
            Lines{"x.json: /model/blocks/0/profile/weight_gradient_activation_bytes: expected "
                  "activation_bytes beside it, since these bytes are a part of them, found 2"});
}

}  // namespace
}  // namespace spillway
