// Makespans against the closed forms of the literature: GPipe (Huang 2019), 1F1B and interleaved 1F1B
// (Narayanan 2021), and the latency term of 1F1B with overlapped transfers.
#include <gtest/gtest.h>

#include "support/pipelines.h"
#include "support/tolerance.h"

namespace spillway::testing {
namespace {

void expect_makespan(const std::string& text, std::uint32_t p, std::uint32_t m, double p2p, double expected) {
  const double forward = 3, input_gradient = 2.5, weight_gradient = 1.75;
  const double found =
      makespan(uniform(text, p, m), uniform_costs(forward, input_gradient, weight_gradient, p2p));
  EXPECT_NEAR(found, expected, kRelative * expected) << text << " P=" << p << " M=" << m;
}

constexpr double kF = 3, kB = 2.5 + 1.75;

TEST(ClosedForm, GPipeBubbleIsPMinus1TimesForwardPlusBackward) {
  for (std::uint32_t p = 1; p <= 8; ++p) {
    for (std::uint32_t m = 1; m <= 20; ++m) expect_makespan("gpipe", p, m, 0, (m + p - 1) * (kF + kB));
  }
}

TEST(ClosedForm, OneFOneBBubbleIsPMinus1TimesForwardPlusBackward) {
  for (std::uint32_t p = 1; p <= 8; ++p) {
    for (std::uint32_t m = 1; m <= 20; ++m) expect_makespan("1f1b", p, m, 0, (m + p - 1) * (kF + kB));
  }
}

TEST(ClosedForm, InterleavingDividesTheBubbleByTheChunks) {
  std::string text = "1f1b";
  for (std::uint32_t v = 2; v <= 4; ++v) {
    text += ",1f1b";
    for (std::uint32_t p = 2; p <= 8; ++p) {
      for (std::uint32_t groups = 1; groups <= 4; ++groups) {
        const std::uint32_t m = groups * p;
        expect_makespan(text, p, m, 0, (m * v + p - 1) * (kF + kB));
      }
    }
  }
}

TEST(ClosedForm, BreadthFirstGPipeDividesTheBubbleByTheChunks) {
  for (std::uint32_t p = 1; p <= 6; ++p) {
    for (std::uint32_t m = p; m <= 12; ++m)
      expect_makespan("gpipe,gpipe,gpipe", p, m, 0, (3 * m + p - 1) * (kF + kB));
  }
}

// facts: 1F1B adds [2(P-1)M/P + 2(P-2)] Tc where P divides M.
TEST(ClosedForm, LatencyOfOneFOneBGrowsWithTheMicrobatches) {
  const double latency = 0.01;
  for (std::uint32_t p = 2; p <= 8; ++p) {
    for (std::uint32_t groups = 1; groups <= 5; ++groups) {
      const std::uint32_t m = groups * p;
      const double added = (2.0 * (p - 1) * groups + 2.0 * (p - 2)) * latency;
      expect_makespan("1f1b", p, m, latency, (m + p - 1) * (kF + kB) + added);
    }
  }
}

// facts: Megatron's interleaved order adds (2Pv - 2) Tc where P divides M.
TEST(ClosedForm, LatencyOfInterleavingDoesNotGrow) {
  const double latency = 0.01;
  for (std::uint32_t p = 2; p <= 8; ++p) {
    for (std::uint32_t groups = 1; groups <= 4; ++groups) {
      const std::uint32_t m = groups * p;
      expect_makespan("1f1b,1f1b", p, m, latency, (2 * m + p - 1) * (kF + kB) + (4.0 * p - 2) * latency);
    }
  }
}

}  // namespace
}  // namespace spillway::testing
