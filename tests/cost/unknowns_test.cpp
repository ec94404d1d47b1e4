// Draws around known figures: how far each varies, which vary together, and which stay fixed.
#include "cost/unknowns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "small_accelerator.h"
#include "small_job.h"

namespace spillway {
namespace {

RandomStream stream(std::uint32_t seed) {
  return RandomStream({seed});
}

AnalyticCosts small_costs() {
  AnalyticCosts costs = SmallJob().costs;
  costs.platform.accelerator = small_accelerator();
  costs.framework.hidden_tensor = chosen(0.9);
  return costs;
}

std::vector<double> thousand(auto value_of) {
  std::vector<double> values;
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    RandomStream random = stream(seed);
    values.push_back(value_of(drawn_about(small_costs(), random)));
  }
  return values;
}

double deviation_of_logarithms(const std::vector<double>& values, double about) {
  double sum = 0;
  for (const double value : values) sum += std::log(value / about) * std::log(value / about);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

TEST(LogNormal, HasItsDeviationAndIsCut) {
  RandomStream random = stream(1);
  std::vector<double> values;
  for (int i = 0; i < 20000; ++i) values.push_back(log_normal(random, 0.1));
  EXPECT_NEAR(deviation_of_logarithms(values, 1), 0.1, 0.003);
  EXPECT_LE(*std::ranges::max_element(values), std::exp(0.25) + 1e-12);
  EXPECT_GE(*std::ranges::min_element(values), std::exp(-0.25) - 1e-12);
}

TEST(LeftOut, IsMoreOfAStepWithImages) {
  AnalyticCosts costs = small_costs();
  ASSERT_TRUE(std::holds_alternative<VisionTower>(costs.blocks.front().architecture));
  EXPECT_EQ(left_out(costs), kLeftOutWithImages);
  costs.blocks.erase(costs.blocks.begin());
  EXPECT_EQ(left_out(costs), kLeftOut);
}

TEST(DrawnAbout, IsTheSameForTheSameStream) {
  RandomStream one = stream(3), other = stream(3);
  const AnalyticCosts a = drawn_about(small_costs(), one), b = drawn_about(small_costs(), other);
  EXPECT_EQ(a.operator_times->gemm({64, 64, 64}).time, b.operator_times->gemm({64, 64, 64}).time);
  EXPECT_EQ(a.platform.tiers[0].bandwidth.value, b.platform.tiers[0].bandwidth.value);
}

// A stated interval gives the draw 1.96 deviations either way; other figures are drawn by their evidence.
TEST(DrawnAbout, FollowsTheIntervalThatASourceStates) {
  const double bound = std::exp(1.96 * 0.05);
  const auto with_interval = [&](std::uint32_t seed) {
    AnalyticCosts costs = small_costs();
    costs.platform.ports[0].bandwidth.interval = {1 / bound, bound};
    RandomStream random = stream(seed);
    return drawn_about(costs, random).platform.ports[0].bandwidth.value /
           costs.platform.ports[0].bandwidth.value;
  };
  std::vector<double> values;
  for (std::uint32_t seed = 0; seed < 1000; ++seed) values.push_back(with_interval(seed));
  EXPECT_NEAR(deviation_of_logarithms(values, 1), 0.05, 0.004);
  const auto assumed =
      thousand([](const AnalyticCosts& c) { return c.platform.ports[0].bandwidth.value.value(); });
  EXPECT_NEAR(deviation_of_logarithms(assumed, 200e9), deviation_of(Evidence::Assumed), 0.02);
}

// Protocols are drawn after everything else, so earlier draws stay the same. Sweeps vary by the interval in
// which they contradict each other.
TEST(DrawnAbout, ProtocolsAndSweepsFollowTheirIntervals) {
  const double bound = std::exp(1.96 * 0.1);
  std::vector<double> steps, sweeps;
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    AnalyticCosts costs = small_costs();
    RandomStream without = stream(seed), with = stream(seed);
    costs.platform.tiers[0].collectives.push_back(
        {CollectiveOperation::AllGather,
         2,
         1,
         {{{Bytes(1), Seconds(1)}}, Evidence::Measured, "a sweep", RelativeInterval{1 / bound, bound}}});
    const AnalyticCosts plain = drawn_about(costs, without);
    const auto share = chosen(0.5);
    auto bulk_step = chosen(microseconds(6));
    bulk_step.interval = {1 / bound, bound};
    costs.platform.tiers[0].protocols =
        Protocols{share, share, bulk_step, chosen(microseconds(5)), share, chosen(microseconds(30))};
    const AnalyticCosts drawn = drawn_about(costs, with);
    EXPECT_EQ(drawn.platform.tiers[0].bandwidth.value, plain.platform.tiers[0].bandwidth.value);
    EXPECT_LE(drawn.platform.tiers[0].protocols->small.value, 1);
    steps.push_back(drawn.platform.tiers[0].protocols->bulk_step.value / microseconds(6));
    sweeps.push_back(drawn.platform.tiers[0].collectives[0].points.value[0].second.value());
  }
  EXPECT_NEAR(deviation_of_logarithms(steps, 1), 0.1, 0.008);
  EXPECT_NEAR(deviation_of_logarithms(sweeps, 1), 0.1, 0.008);
}

// Drawn values still form a valid platform and framework.
TEST(DrawnAbout, KeepsItsRanges) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    RandomStream random = stream(seed);
    const AnalyticCosts drawn = drawn_about(small_costs(), random);
    ASSERT_TRUE(check_platform(drawn.platform).empty()) << check_platform(drawn.platform)[0].pointer;
    ASSERT_TRUE(check_framework(drawn.framework, drawn.platform.accelerator).empty());
    EXPECT_EQ(drawn.platform.accelerator.memory.value, small_costs().platform.accelerator.memory.value);
  }
}

// All products share one error, and attention has its own. Where a platform states no sustained rate, all
// products take up to a quarter longer.
TEST(DrawnAbout, OperatorsOfAKindErrAsOne) {
  const OperatorTimes known(small_accelerator());
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    RandomStream random = stream(seed);
    const OperatorTimes drawn = *drawn_about(small_costs(), random).operator_times;
    const double small = drawn.gemm({64, 64, 64}).time / known.gemm({64, 64, 64}).time;
    const double large = drawn.gemm({4096, 4096, 4096}).time / known.gemm({4096, 4096, 4096}).time;
    ASSERT_EQ(known.gemm({64, 64, 64}).evidence, known.gemm({4096, 4096, 4096}).evidence);
    EXPECT_NEAR(small, large, 1e-12);
  }
  const auto large = thousand([&](const AnalyticCosts& c) {
    return c.operator_times->gemm({4096, 4096, 4096}).time / known.gemm({4096, 4096, 4096}).time;
  });
  double mean = 0;
  for (const double value : large) mean += value / 1000;
  EXPECT_NEAR(mean, std::log(1 / 0.8) / 0.2, 0.02);  // of 1 / u, u from 0.8 to 1
}

std::vector<AnalyticCosts> drawn_of(const AnalyticCosts& costs, Unknowns of = all_unknowns()) {
  std::vector<AnalyticCosts> all;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    RandomStream random = stream(seed);
    all.push_back(drawn_about(costs, random, of));
  }
  return all;
}

std::pair<double, double> ends_of(const std::vector<AnalyticCosts>& all, auto value_of) {
  std::vector<double> values;
  for (const AnalyticCosts& one : all) values.push_back(value_of(one));
  const auto [least, most] = std::ranges::minmax(values);
  return {least, most};
}

double imbalance_of(const AnalyticCosts& costs) {
  return costs.parallelism.expert_imbalance;
}

// Eight experts on four devices, whose greatest variate is 1.029 in the mean.
TEST(DrawnAbout, RoutingThatNobodyStatesIsUnevenToOneSide) {
  AnalyticCosts costs = small_costs();
  costs.parallelism.expert = 4;
  const auto [least, most] = ends_of(drawn_of(costs), imbalance_of);
  EXPECT_GE(least, 1);
  EXPECT_LT(least, 1.05);
  EXPECT_NEAR(most, 1 + std::sqrt(std::expm1(0.49) / 2) * 1.029, 0.03);
  costs.parallelism.routing_stated = true;
  EXPECT_EQ(ends_of(drawn_of(costs), imbalance_of), (std::pair(1.0, 1.0)));
  costs.parallelism.routing_stated = false;
  costs.parallelism.expert = 1;
  EXPECT_EQ(ends_of(drawn_of(costs), imbalance_of), (std::pair(1.0, 1.0)));
}

TEST(DrawnAbout, PaddingAndTheTimeBetweenStepsAreDrawnUnlessStated) {
  const auto padded = [](const AnalyticCosts& one) {
    return one.framework.pads_to.value == PadsTo::Microbatch ? 1.0 : 0.0;
  };
  const auto between = [](const AnalyticCosts& one) { return one.framework.between_steps.value.value(); };
  AnalyticCosts costs = small_costs();
  EXPECT_EQ(ends_of(drawn_of(costs), padded), (std::pair(0.0, 1.0)));
  const auto [soon, late] = ends_of(drawn_of(costs), between);
  EXPECT_GE(soon, 0);
  EXPECT_NEAR(late, 0.060, 0.002);
  costs.framework.pads_to = chosen(PadsTo::None);
  costs.framework.between_steps = chosen(milliseconds(20));
  costs.framework.between_steps.interval = {0.5, 2};
  EXPECT_EQ(ends_of(drawn_of(costs), padded), (std::pair(0.0, 0.0)));
  EXPECT_NEAR(ends_of(drawn_of(costs), between).second, 0.020 * std::pow(2, 2.5 / 1.96), 0.006);
}

// One thread runs a framework's launches and its modules. The counts of kernels err for themselves.
TEST(DrawnAbout, HostsOfAFrameworkErrAsOne) {
  AnalyticCosts costs = small_costs();
  costs.framework.launch = chosen(microseconds(8));
  costs.framework.operators["gemm"].forward_host = chosen(microseconds(100));
  costs.framework.operators["norm"].gradient_host = chosen(microseconds(50));
  costs.framework.operators["norm"].forward_kernels = chosen(4.0);
  bool apart = false;
  for (const AnalyticCosts& one : drawn_of(costs)) {
    const double launch = one.framework.launch->value / microseconds(8);
    EXPECT_NEAR(one.framework.operators.at("gemm").forward_host->value / microseconds(100), launch, 1e-12);
    EXPECT_NEAR(one.framework.operators.at("norm").gradient_host->value / microseconds(50), launch, 1e-12);
    apart = apart || std::abs(one.framework.operators.at("norm").forward_kernels->value / 4 - launch) > 0.1;
  }
  EXPECT_TRUE(apart);
}

// Products of experts without a table follow the interval of their efficiency, here to one side.
TEST(DrawnAbout, ProductsOfExpertsFollowTheIntervalOfTheirEfficiency) {
  AnalyticCosts costs = small_costs();
  Sourced<double>& efficiency = costs.platform.accelerator.efficiency.grouped_gemm;
  ASSERT_TRUE(costs.platform.accelerator.operators->grouped_gemms.empty());
  efficiency = chosen(0.6);
  efficiency.interval = {0.5, 1};
  const OperatorTimes known(costs.platform.accelerator);
  const GroupedGemmShape shape{4, 4096, 4096, 4096};
  const auto longer = [&](const AnalyticCosts& one) {
    return one.operator_times->grouped_gemm(shape).time / known.grouped_gemm(shape).time;
  };
  const auto [least, most] = ends_of(drawn_of(costs, Unknown::ExpertProducts), longer);
  EXPECT_NEAR(least, 1, 1e-12);
  EXPECT_NEAR(most, std::pow(2, 2.5 / 1.96), 0.2);
}

// Nothing but what is asked for moves, and it moves as if all did.
TEST(DrawnAbout, DrawsAnUnknownAlone) {
  AnalyticCosts costs = small_costs();
  costs.parallelism.expert = 4;
  const std::vector<AnalyticCosts> all = drawn_of(costs), routing = drawn_of(costs, Unknown::Routing),
                                   network = drawn_of(costs, Unknown::Network);
  const auto bandwidth = [](const AnalyticCosts& c) { return c.platform.ports[0].bandwidth.value; };
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(imbalance_of(routing[i]), imbalance_of(all[i]));
    EXPECT_EQ(bandwidth(routing[i]), bandwidth(costs));
    EXPECT_EQ(routing[i].operator_times->gemm({64, 64, 64}).time,
              OperatorTimes(costs.platform.accelerator).gemm({64, 64, 64}).time);
    EXPECT_EQ(bandwidth(network[i]), bandwidth(all[i]));
    EXPECT_EQ(imbalance_of(network[i]), 1);
    EXPECT_EQ(network[i].framework.between_steps.value, Seconds());
  }
}

}  // namespace
}  // namespace spillway
