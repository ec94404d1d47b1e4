// The two clocks against the one profiled run at hand (Ascend/msinsight's example, PP2 x DP2 on 910B): its
// kernels as long as they were, a launch as long as the forwards of the first stage say, which wait for their
// host all along. The last stage, whose logits keep the device busy while the host issues the backward, says
// whether it comes out.
#include <gtest/gtest.h>

#include <algorithm>

#include "cost/slabs/host_queue.h"
#include "support/measured_data.h"
#include "traces/formats/read_trace.h"

namespace spillway {
namespace {

// A forward, or what follows without a transfer in between.
struct Stretch {
  Seconds start;
  Seconds end;
  std::vector<TraceEvent> kernels;

  Seconds busy() const {
    Seconds sum;
    for (const TraceEvent& kernel : kernels) sum += kernel.duration;
    return sum;
  }
  Seconds queued(Seconds launch) const {
    HostQueue queue;
    for (const TraceEvent& kernel : kernels)
      queue = queue.then(HostQueue::of_kernels(1, kernel.duration, launch));
    return queue.span();
  }
  Seconds longer(Seconds launch) const {
    return std::max(busy(), launch * static_cast<double>(kernels.size()));
  }
  double off(Seconds predicted) const { return predicted / (end - start) - 1; }
};

class HostQueueProfile : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto folder = testing::measured_data("ascend_910b_pp2");
    if (!folder) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
    trace_ = read_trace(*folder);
  }

  // What the rank of the first replica computes of a microbatch in these passes, joined.
  Stretch stretch(std::uint16_t rank, std::uint32_t microbatch, std::vector<TraceKind> passes) const {
    Stretch found{Seconds(1e9), Seconds(), {}};
    for (const TraceEvent& event : of_rank(rank)) {
      if (event.microbatch != microbatch || std::ranges::find(passes, event.kind) == passes.end()) continue;
      found.start = std::min(found.start, event.start);
      found.end = std::max(found.end, event.end());
    }
    for (const TraceEvent& event : of_rank(rank))
      if (event.kind == TraceKind::Kernel && event.start >= found.start && event.start < found.end)
        found.kernels.push_back(event);
    return found;
  }

  Seconds launch() const {
    Seconds span;
    double kernels = 0;
    for (const std::uint32_t microbatch : {0U, 1U}) {
      const Stretch forward = stretch(0, microbatch, {TraceKind::Forward});
      span += forward.end - forward.start;
      kernels += static_cast<double>(forward.kernels.size());
    }
    return span / kernels;
  }

 private:
  std::vector<TraceEvent> of_rank(std::uint16_t rank) const {
    std::vector<TraceEvent> events;
    for (const TraceEvent& event : trace_.events)
      if (event.replica == 0 && event.rank == rank) events.push_back(event);
    return events;
  }

  Trace trace_;
};

TEST_F(HostQueueProfile, TheLastStageTakesWhatItTook) {
  for (const std::uint32_t microbatch : {0U, 1U}) {
    const Stretch both = stretch(1, microbatch, {TraceKind::Forward, TraceKind::Backward});
    ASSERT_GT(both.kernels.size(), 900U);
    EXPECT_NEAR(both.off(both.queued(launch())), 0, 0.02);
    EXPECT_LT(both.off(both.longer(launch())), -0.15);  // as if either hid the other wherever it stands
  }
}

// Backwards are launched by another thread, here a tenth faster and there as quickly.
TEST_F(HostQueueProfile, TheFirstStagesBackwardsLieWithinAnEighth) {
  for (const std::uint32_t microbatch : {0U, 1U}) {
    const Stretch backward = stretch(0, microbatch, {TraceKind::Backward});
    ASSERT_GT(backward.kernels.size(), 500U);
    EXPECT_NEAR(backward.off(backward.queued(launch())), 0, 0.14);
  }
}

}  // namespace
}  // namespace spillway
