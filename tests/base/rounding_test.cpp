// Every machine rounds a product before it is added. One instruction for both would round once, and the last
// bits of a step would differ between ARM and x86-64. The build asks for it (cmake/spillway.cmake).
#include <gtest/gtest.h>

namespace spillway {
namespace {

TEST(Rounding, AProductIsRoundedBeforeItIsAdded) {
  volatile double read = 1 + 0x1p-30;  // its square is 1 + 2^-29 + 2^-60, the last of which no double holds
  volatile double rounded = -(1 + 0x1p-29);
  const double factor = read, addend = rounded;
  EXPECT_EQ(factor * factor + addend, 0.0);
}

}  // namespace
}  // namespace spillway
