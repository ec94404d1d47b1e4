#include "traces/samples/pass_kernels.h"

#include <gtest/gtest.h>

#include "../support/property.h"

namespace spillway {
namespace {

TraceEvent event(TraceKind kind, int start, int duration, std::uint16_t rank = 0) {
  return {Seconds(start), Seconds(duration), 0, 0, 0, 0, rank, rank, 0, kind};
}

Trace kernel_trace(std::vector<TraceEvent> events) {
  Trace trace;
  trace.steps = {"0"};
  trace.names = {"kernel"};
  trace.events = std::move(events);
  normalise(trace);
  return trace;
}

TEST(PassKernels, SplitASpanIntoKernelsCollectivesAndGaps) {
  const Trace trace = kernel_trace({event(TraceKind::Forward, 10, 20), event(TraceKind::Kernel, 10, 4),
                                    event(TraceKind::Kernel, 12, 4), event(TraceKind::Collective, 15, 5),
                                    event(TraceKind::Kernel, 28, 9), event(TraceKind::Kernel, 5, 9)});
  const auto passes = pass_kernels(trace);
  ASSERT_EQ(passes.size(), 1u);
  EXPECT_EQ(passes[0].kernels, 3u);  // without the one that began before the pass
  EXPECT_EQ(passes[0].kernel_busy, Seconds(8));
  EXPECT_EQ(passes[0].collective, Seconds(4));
  EXPECT_EQ(passes[0].host_gap, Seconds(8));
}

TEST(PassKernels, KernelsOfAnotherRankAreNotItsOwn) {
  const Trace trace = kernel_trace({event(TraceKind::Forward, 0, 5, 0), event(TraceKind::Kernel, 0, 2, 0),
                                    event(TraceKind::Forward, 0, 5, 1), event(TraceKind::Kernel, 2, 3, 1),
                                    event(TraceKind::Kernel, 2, 3, 1), event(TraceKind::Forward, 0, 5, 2)});
  const auto passes = pass_kernels(trace);
  ASSERT_EQ(passes.size(), 2u);  // rank 2 has no kernels, so it is left out
  EXPECT_EQ(passes[0].kernel_busy, Seconds(2));
  EXPECT_EQ(passes[1].kernel_busy, Seconds(3));
}

// Times are whole numbers: the slow version checks for each second which events run in it.
PassKernels slow(const Trace& trace, const TraceEvent& pass) {
  PassKernels all{pass.step, pass.replica,  pass.rank, pass.stage, pass.kind, pass.microbatch,
                  0,         pass.duration, {},        {},         {}};
  for (int second = 0; second < pass.duration.value(); ++second) {
    const Seconds now = pass.start + Seconds(second);
    bool kernel = false;
    bool collective = false;
    for (const TraceEvent& other : trace.events) {
      if (other.start < pass.start || other.start > now || other.end() <= now) continue;
      kernel = kernel || other.kind == TraceKind::Kernel;
      collective = collective || other.kind == TraceKind::Collective;
    }
    (kernel ? all.kernel_busy : collective ? all.collective : all.host_gap) += Seconds(1);
  }
  for (const TraceEvent& other : trace.events)
    all.kernels += other.kind == TraceKind::Kernel && other.start >= pass.start && other.start < pass.end();
  return all;
}

RC_GTEST_PROP(PassKernels, EqualWhatEachSecondSays, ()) {
  std::vector<TraceEvent> events = {event(TraceKind::Kernel, 99, 1)};
  const auto count = *rc::gen::inRange(1, 30);
  for (int i = 0; i < count; ++i) {
    const auto kind = *rc::gen::element(TraceKind::Forward, TraceKind::Backward, TraceKind::Kernel,
                                        TraceKind::Kernel, TraceKind::Collective);
    events.push_back(event(kind, *rc::gen::inRange(0, 40), *rc::gen::inRange(0, 12)));
  }
  const Trace trace = kernel_trace(std::move(events));
  std::vector<PassKernels> expected;
  for (const TraceEvent& pass : trace.events)
    if (is_compute(pass.kind)) expected.push_back(slow(trace, pass));
  RC_ASSERT(pass_kernels(trace) == expected);
}

TEST(MeanPasses, AreByRankStageAndKind) {
  const auto pass = [](std::uint16_t rank, TraceKind kind, std::size_t kernels, double busy, double gap) {
    return PassKernels{0,  0,           rank, rank, kind, 0, kernels, Seconds(busy + gap), Seconds(busy),
                       {}, Seconds(gap)};
  };
  const auto means = mean_passes({pass(1, TraceKind::Forward, 5, 2, 1), pass(0, TraceKind::Backward, 2, 4, 0),
                                  pass(1, TraceKind::Forward, 8, 4, 2)});
  ASSERT_EQ(means.size(), 2u);
  EXPECT_EQ(means[0].rank, 0);
  EXPECT_EQ(means[0].kind, TraceKind::Backward);
  EXPECT_EQ(means[1].passes, 2u);
  EXPECT_EQ(means[1].kernels, 6.5);
  EXPECT_EQ(means[1].kernel_busy, Seconds(3));
  EXPECT_EQ(means[1].host_gap, Seconds(1.5));
  EXPECT_EQ(means[1].span, Seconds(4.5));
}

}  // namespace
}  // namespace spillway
