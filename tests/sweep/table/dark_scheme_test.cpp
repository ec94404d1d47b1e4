// Pictures of sweeps in the dark.
#include "sweep/plot/dark_scheme.h"

#include <gtest/gtest.h>

#include <string>

namespace spillway {
namespace {

// The numbers on cells keep their colours, since the cells do.
TEST(SweepDarkScheme, LeavesCellsAndTheirNumbers) {
  const std::string cell = "<polygon fill = 'rgb( 34, 168, 132)'/>", number = "<g fill=\"rgb(16,20,24)\">";
  const std::string dark =
      with_dark_scheme("<svg><title></title><path stroke='rgb(223, 227, 232)'/>" + cell + number);
  EXPECT_NE(dark.find(":not(polygon)[fill=\"rgb( 34, 168, 132)\"]"), std::string::npos) << dark;
  EXPECT_EQ(dark.find("[fill=\"rgb(16,20,24)\"]"), std::string::npos) << dark;
  EXPECT_NE(dark.find("[stroke=\"rgb(223, 227, 232)\"]{stroke:"), std::string::npos) << dark;
}

}  // namespace
}  // namespace spillway
