#include "sweep/plot/scale.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "support/property.h"
#include "sweep/plot/colours.h"
#include "sweep/plot/gnuplot.h"

namespace spillway::testing {
namespace {

PictureAxis axis_of(std::vector<double> numbers) {
  return {"x", std::vector<std::string>(numbers.size(), "v"), numbers};
}

TEST(AxisScale, GeometricNumbersAreLogarithmic) {
  EXPECT_TRUE(AxisScale::by_value(axis_of({1, 2, 4})).is_logarithmic());
  EXPECT_TRUE(AxisScale::by_value(axis_of({0.1, 1, 10, 100})).is_logarithmic());
  EXPECT_FALSE(AxisScale::by_value(axis_of({1, 2})).is_logarithmic());
  EXPECT_FALSE(AxisScale::by_value(axis_of({0, 2, 4})).is_logarithmic());
  EXPECT_FALSE(AxisScale::by_value(axis_of({1, 2, 3})).is_logarithmic());
  EXPECT_FALSE(AxisScale::side_by_side(axis_of({1, 2, 4})).is_logarithmic());
}

TEST(AxisScale, OneValueHasRoomAroundIt) {
  for (double value : {0.0, 5.0, -3.0}) {
    const AxisScale scale = AxisScale::by_value(axis_of({value}));
    EXPECT_LT(scale.low(), value);
    EXPECT_GT(scale.high(), value);
  }
}

TEST(AxisScale, EvenValuesAreWrittenInEvenSteps) {
  const AxisScale scale = AxisScale::side_by_side(axis_of({1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(scale.written(700, std::vector<double>(7, 50)), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(scale.written(280, std::vector<double>(7, 50)), (std::vector<std::size_t>{0, 2, 4, 6}));
}

RC_GTEST_PROP(AxisScale, WrittenValuesNeverTouch, ()) {
  const auto steps = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 50)));
  std::vector<double> numbers, extents;
  for (int step : steps) {
    numbers.push_back(numbers.empty() ? step : numbers.back() + step);
    extents.push_back(*rc::gen::inRange(1, 80));
  }
  const AxisScale scale = AxisScale::by_value(axis_of(numbers));
  const auto place = [&](double value) {
    return scale.is_logarithmic() ? std::log(value / scale.low()) / std::log(scale.high() / scale.low())
                                  : (value - scale.low()) / (scale.high() - scale.low());
  };
  const auto written = scale.written(500, extents);
  RC_ASSERT(written.front() == 0u);
  for (std::size_t i = 1; i < written.size(); ++i)
    RC_ASSERT(500 * (place(numbers[written[i]]) - place(numbers[written[i - 1]])) + 1e-6 >=
              (extents[written[i]] + extents[written[i - 1]]) / 2);
}

TEST(ColourScale, RunsFromStopToStop) {
  const ColourScale viridis = ColourScale::sequential(0, 9);
  EXPECT_EQ(to_string(viridis.at(0)), "#440154");
  EXPECT_EQ(to_string(viridis.at(3)), "#31688e");
  EXPECT_EQ(to_string(viridis.at(9)), "#fde725");
  EXPECT_TRUE(is_dark(viridis.at(0)));
  EXPECT_FALSE(is_dark(viridis.at(9)));
}

TEST(ColourScale, DivergesByTheDistanceFromTheCentre) {
  const ColourScale scale = ColourScale::diverging(0.9, 1.5, 1, true);
  EXPECT_EQ(to_string(scale.at(1)), "#f7f7f7");
  EXPECT_EQ(to_string(scale.at(1.5)), "#053061");
  EXPECT_EQ(to_string(scale.at(0.9)), "#fddbc7");
  EXPECT_EQ(to_string(ColourScale::diverging(0.9, 1.5, 1, false).at(1.5)), "#67001f");
}

TEST(Gnuplot, ItsComplaintsAreReported) {
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no gnuplot";
  try {
    drawn_by_gnuplot("set terminal svg\nplot $nowhere using 1:2\n");
    FAIL() << "drew nothing";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("nowhere"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace spillway::testing
