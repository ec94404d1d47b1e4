// CUDA graphs, host times of operators and the speed of hosts, against closed forms and against a simulation
// kernel by kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "cost/layers/execution.h"
#include "cost/slabs/slab_time.h"
#include "small_job.h"
#include "small_slab.h"
#include "support/property.h"

namespace spillway {
namespace {

constexpr Gradients kInputs{.weight = false, .input = true};

// Nine operators, of which attention has five: its norm, two products, attention itself and a sum.
Layer decoder_layer() {
  return rms_norm(64) + linear("qkv", 64, 192, Share::Columns) +
         attention(AttentionHeads{4, 4, 16, 16}, true) + linear("out", 64, 64, Share::Rows) + residual(64) +
         rms_norm(64) + inside(Module::Mlp, swiglu(64, 128)) + residual(64);
}

SlabTimes times_under(std::vector<Layer> layers, const Framework& framework, HostIssue host) {
  run_by(framework, layers);
  return slab_times(slab_operators(layers), Split(), kSixtyFour, small_times(), kInputs, host);
}

Framework covering(GraphCover cover) {
  return {.name = "x",
          .launch = chosen(Seconds(1)),
          .graphs = Sourced<GraphCover>{cover, Evidence::Measured, "a test"}};
}

// Kernels take microseconds, launches a second, a graph's launch ten.
TEST(Graphs, AreIssuedByOneLaunch) {
  const HostIssue host{.launch = Seconds(1), .in_order = true, .graph = Seconds(10)};
  const std::vector<Layer> three(3, decoder_layer());
  const auto forward = [&](GraphCover cover) {
    return times_under(three, covering(cover), host).forward.value();
  };
  EXPECT_NEAR(forward(GraphCover()), 3 * 10, 1e-3);
  EXPECT_NEAR(forward(GraphCover::layer()), 3 * 10, 1e-3);
  EXPECT_NEAR(forward(GraphCover().with(GraphPart::Attention)), 3 * (10 + 5), 1e-3);
  EXPECT_NEAR(forward(GraphCover().with(GraphPart::Mlp)), 3 * (5 + 10), 1e-3);
}

// Without host, a graph takes the device's time of its operators.
TEST(Graphs, TakeTheirOperatorsTimeOnTheDevice) {
  const std::vector<Layer> layers(2, decoder_layer());
  const HostIssue free{.in_order = true};
  const SlabTimes eager = times_under(layers, {}, {}),
                  graphs = times_under(layers, covering(GraphCover::step()), free);
  EXPECT_NEAR(graphs.forward / eager.forward, 1, 1e-12);
  EXPECT_NEAR(graphs.input_gradient / eager.input_gradient, 1, 1e-12);
}

std::vector<std::string_view> captured(Layer layer, GraphCover cover, LoadUnit unit = LoadUnit::Token) {
  std::vector<Layer> one = {std::move(layer)};
  run_by(covering(cover), one, unit);
  std::vector<std::string_view> names;
  for (const Operator& op : one[0].operators)
    if (op.captured) names.push_back(op.name);
  return names;
}

TEST(Graphs, CoverTheRouterUpToTheExchange) {
  const Layer layer = residual(64) + rms_norm(64) + inside(Module::Experts, routed_experts(64, 32, 8, 2));
  using Names = std::vector<std::string_view>;
  const GraphCover router = GraphCover().with(GraphPart::Router);
  EXPECT_EQ(captured(layer, router), (Names{"norm", "router"}));
  EXPECT_EQ(captured(layer, router.with(GraphPart::Preprocess)), (Names{"norm", "router", "dispatch"}));
  EXPECT_EQ(captured(layer, GraphCover().with(GraphPart::Mlp)), Names{});
  EXPECT_EQ(captured(layer, GraphCover::layer()).size(), layer.operators.size());
}

TEST(Graphs, OfLayersLeaveEndsAndEncodersOut) {
  const Layer layer = at_end(linear("logits", 64, 64, Share::Columns)) + rms_norm(64);
  EXPECT_EQ(captured(layer, GraphCover::layer()).size(), 1u);
  EXPECT_EQ(captured(layer, GraphCover::layer(), LoadUnit::Patch).size(), 0u);
  EXPECT_EQ(captured(layer, GraphCover::step(), LoadUnit::Patch).size(), 2u);
}

// The slow, obvious simulation of two clocks.
struct Clocks {
  double host = 0, device = 0;
  void issue(double launch, double length) {
    host += launch;
    device = std::max(device, host) + length;
  }
};

// Operators with kernels of their own are issued kernel by kernel; neighbours in a graph as one.
RC_GTEST_PROP(Graphs, AreTwoClocksKernelByKernel, ()) {
  const HostIssue host{.launch = microseconds(*rc::gen::inRange(1, 9)),
                       .in_order = true,
                       .graph = microseconds(*rc::gen::inRange(0, 30)),
                       .speed = *rc::gen::inRange(1, 4) * 0.5};
  Layer layer;
  for (int i = *rc::gen::inRange(1, 9); i > 0; --i) {
    layer += elementwise("residual", *rc::gen::inRange(1, 3'000'000), 64, Share::Tokens);
    Operator& op = layer.operators.back();
    op.captured = *rc::gen::arbitrary<bool>();
    op.kernels.forward = *rc::gen::inRange(1, 5);
    op.kernels.forward_host = microseconds(*rc::gen::inRange(0, 20));
  }
  const std::vector<Layer> layers(*rc::gen::inRange<std::size_t>(1, 4), layer);
  Clocks clocks;
  for (const Layer& one : layers) {
    double graph = 0;
    const auto launch_graph = [&] {
      if (graph > 0) clocks.issue(host.graph.value(), std::exchange(graph, 0.0));
    };
    for (const Operator& op : one.operators) {
      const double length = operator_passes(op, Split(), kSixtyFour, small_times()).forward.time.value();
      if (op.captured) {
        graph += length;
        continue;
      }
      launch_graph();
      const double each =
          host.launch.value() + op.kernels.forward_host.value() / host.speed / op.kernels.forward;
      for (double k = 0; k < op.kernels.forward; ++k) clocks.issue(each, length / op.kernels.forward);
    }
    launch_graph();
  }
  const SlabTimes times =
      slab_times(slab_operators(layers), Split(), kSixtyFour, small_times(), kInputs, host);
  RC_ASSERT(std::abs(times.forward.value() - std::max(clocks.host, clocks.device)) < 1e-12);
}

// Experts of a device: 8 of 16 on each of two devices.
TEST(Launches, AreOfEachExpertWhereTheFrameworkLoopsOverThem) {
  const std::vector<Layer> layers = {inside(Module::Experts, routed_experts(64, 32, 16, 2))};
  Framework framework{.name = "x", .launch = chosen(Seconds(1))};
  const HostIssue host{.launch = Seconds(1), .in_order = true, .experts = 2};
  const double together = times_under(layers, framework, host).forward.value();
  framework.kernels_per_expert = true;
  EXPECT_NEAR(times_under(layers, framework, host).forward.value(), together + 2 * (8 - 1), 1e-3);
}

double last_forward(const SmallJob& job) {
  const Derived derived = job.derive_as("1f1b", {}, {3, 3});
  return forward_of(job.priced(derived), 1);
}

// A host of half the speed takes twice as long for each launch.
TEST(HostSpeed, DividesTheHostsTimes) {
  SmallJob slow, twice;
  slow.costs.framework.launch = chosen(Seconds(1));
  slow.costs.framework.operators["norm"].forward_host = chosen(Seconds(3));
  slow.costs.platform.accelerator.host_speed = chosen(0.5);
  twice.costs.framework.launch = chosen(Seconds(2));
  twice.costs.framework.operators["norm"].forward_host = chosen(Seconds(6));
  EXPECT_NEAR(last_forward(slow) / last_forward(twice), 1, 1e-12);
}

// A latency of the device replaces the other where the host is apart.
TEST(DeviceLatency, IsThatOfKernelsIssuedAhead) {
  SmallJob job;
  job.costs.platform.accelerator.memory_latency = chosen(Seconds(5));
  const double all = last_forward(job);
  job.costs.platform.accelerator.device_latency = chosen(Seconds(0));
  EXPECT_EQ(last_forward(job), all);
  job.costs.framework.launch = chosen(Seconds(0));
  EXPECT_LT(last_forward(job), 5);
}

}  // namespace
}  // namespace spillway
