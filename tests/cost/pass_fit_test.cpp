// Tables made with known coefficients give these again; what a table does not determine is the roofline's.
#include "cost/measured/pass_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/property.h"

namespace spillway {
namespace {

struct Curve {
  double offset, linear, quadratic;

  double at(LayerSize size) const { return offset + linear * size.tokens + quadratic * size.pairs; }
};

LayerSize one_sequence(double tokens) {
  return {tokens, tokens * tokens};
}

Seconds roofline(LayerSize size) {
  return Seconds(1e-6 * size.tokens + 1e-10 * size.pairs);
}

// A pass over these layers, with the same size for all kinds.
FitRow row_of(std::vector<double> layers, const std::vector<Curve>& curves, LayerSize size) {
  double seconds = 0;
  for (std::size_t kind = 0; kind < layers.size(); ++kind) seconds += layers[kind] * curves[kind].at(size);
  const std::size_t kinds = layers.size();
  return {std::move(layers), std::vector<LayerSize>(kinds, size), std::vector<Seconds>(kinds, roofline(size)),
          Seconds(seconds), 1};
}

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)) + 1e-15;
}

RC_GTEST_PROP(PassFitProperties, FindsTheCoefficientsThatMadeTheTable, ()) {
  const auto draw = [](double unit) { return *rc::gen::inRange(0, 1000) * unit; };
  std::vector<Curve> curves;
  for (int kind = 0; kind < 3; ++kind) curves.push_back({draw(1e-6) + 1e-5, draw(1e-9), draw(1e-13)});
  const double inner = *rc::gen::inRange(1, 9);
  std::vector<FitRow> rows;
  for (const double tokens : {512.0, 1024.0, 3000.0, 8192.0}) {
    const LayerSize size = one_sequence(tokens);
    rows.push_back(row_of({1, inner, 0}, curves, size));
    rows.push_back(row_of({0, inner + 1, 0}, curves, size));
    rows.push_back(row_of({0, inner, 1}, curves, size));
  }
  const PassFit fit = fit_passes(rows, 3);
  RC_ASSERT(fit.deviation < 1e-7);
  const LayerSize within = one_sequence(2000), beyond = one_sequence(16384);
  for (std::size_t kind = 0; kind < 3; ++kind) {
    RC_ASSERT(fit.kinds[kind].form == FitForm::Curve);
    for (const LayerSize size : {within, beyond})
      RC_ASSERT(near(fit.kinds[kind].at(size, Seconds()).value(), curves[kind].at(size)));
    RC_ASSERT(fit.kinds[kind].covers(within) && !fit.kinds[kind].covers(beyond));
  }
}

TEST(PassFit, ScalesTheRooflineIfItKnowsOneSize) {
  const LayerSize size = one_sequence(1000);
  const PassFit fit = fit_passes(std::vector{row_of({4}, {{1e-3, 0, 0}}, size)}, 1);
  const double factor = 1e-3 / roofline(size).value();
  EXPECT_EQ(fit.kinds[0].form, FitForm::Factor);
  const LayerSize twice = one_sequence(2000);
  EXPECT_NEAR(fit.kinds[0].at(twice, roofline(twice)).value(), factor * roofline(twice).value(), 1e-12);
  EXPECT_TRUE(fit.kinds[0].covers(size));
  EXPECT_FALSE(fit.kinds[0].covers(twice));
}

TEST(PassFit, AddsAnOffsetAtTwoSizes) {
  std::vector<FitRow> rows;
  for (const double tokens : {1000.0, 4000.0}) {
    rows.push_back(row_of({2}, {{0, 0, 0}}, one_sequence(tokens)));
    rows.back().time = (roofline(one_sequence(tokens)) * 3 + Seconds(1e-3)) * 2;
  }
  const PassFit fit = fit_passes(rows, 1);
  EXPECT_EQ(fit.kinds[0].form, FitForm::OffsetAndFactor);
  EXPECT_NEAR(fit.kinds[0].offset.value(), 1e-3, 1e-10);
  EXPECT_NEAR(fit.kinds[0].factor, 3, 1e-6);
}

TEST(PassFit, KnowsNothingOfAKindThatWasNotMeasured) {
  const PassFit fit = fit_passes(std::vector{row_of({2, 0}, {{1e-3, 0, 0}, {0, 0, 0}}, one_sequence(10))}, 2);
  EXPECT_TRUE(fit.kinds[0].measured());
  EXPECT_FALSE(fit.kinds[1].measured());
}

TEST(PassFit, GivesKindsThatWereOnlyMeasuredTogetherOneFactor) {
  const LayerSize size = one_sequence(1000);
  FitRow row = row_of({1, 3}, {{0, 0, 0}, {0, 0, 0}}, size);
  row.roofline = {Seconds(2e-3), Seconds(1e-3)};
  row.time = Seconds(10e-3);
  const PassFit fit = fit_passes(std::vector{row}, 2);
  EXPECT_NEAR(fit.kinds[0].factor, 2, 1e-6);
  EXPECT_NEAR(fit.kinds[1].factor, 2, 1e-6);
}

TEST(PassFit, LeavesPairsOutWhereTheyGrowWithTokens) {
  std::vector<FitRow> rows;
  for (const double sequences : {1.0, 2.0, 3.0, 5.0})
    rows.push_back(row_of({1}, {{1e-4, 2e-7, 0}}, {sequences * 100, sequences * 100 * 100}));
  const PassFit fit = fit_passes(rows, 1);
  EXPECT_EQ(fit.kinds[0].form, FitForm::Curve);
  EXPECT_NEAR(fit.kinds[0].linear, 2e-7, 1e-12);
  EXPECT_EQ(fit.kinds[0].quadratic, 0);
}

TEST(PassFit, CountsAPassByItsRepeats) {
  std::vector<FitRow> rows = {row_of({1}, {{1e-3, 0, 0}}, one_sequence(1000)),
                              row_of({1}, {{1e-3, 0, 0}}, one_sequence(1000))};
  rows[0].repeats = 1e6;
  rows[1].time = Seconds(2e-3);
  const PassFit fit = fit_passes(rows, 1);
  EXPECT_NEAR(fit.kinds[0].at(one_sequence(1000), roofline(one_sequence(1000))).value(), 1e-3, 1e-8);
}

}  // namespace
}  // namespace spillway
