#include <gtest/gtest.h>

#include <string>

#include "launch/shell/arithmetic.h"
#include "support/property.h"

namespace spillway {
namespace {

using Whole = std::optional<std::int64_t>;

Whole value(const std::string& text) {
  return shell_arithmetic(text, [](std::string_view name) -> std::optional<std::string> {
    if (name == "N") return "12";
    if (name == "T") return "text";
    return std::nullopt;
  });
}

TEST(ShellArithmetic, PrecedenceIsThatOfC) {
  EXPECT_EQ(value("2+3*4"), 14);
  EXPECT_EQ(value("(2+3)*4"), 20);
  EXPECT_EQ(value("7/2*2"), 6);
  EXPECT_EQ(value("-7 % 4"), -3);
  EXPECT_EQ(value("2**3**2"), 512);
  EXPECT_EQ(value("1 + 2 == 3 && 4 < 3 || 5 >= 5"), 1);
  EXPECT_EQ(value("N > 8 ? N / 8 : 1"), 1);
  EXPECT_EQ(value("$N*2"), 24);
  EXPECT_EQ(value("!0 + 010"), 9);
}

TEST(ShellArithmetic, WhatIsNoNumberIsUnknown) {
  for (const char* text :
       {"", "2+", "2 3", "M", "T", "1/0", "(2", "09", "9223372036854775807+1", "2**64", "1 ? 2"})
    EXPECT_EQ(value(text), std::nullopt) << text;
  EXPECT_EQ(value(std::string(10000, '(') + "1"), std::nullopt);
}

RC_GTEST_PROP(ShellArithmetic, SumsAndProductsAreThoseOfWholeNumbers,
              (std::int32_t a, std::int32_t b, std::int16_t c)) {
  const std::string text =
      '(' + std::to_string(a) + ")+(" + std::to_string(b) + ")*(" + std::to_string(c) + ')';
  RC_ASSERT(value(text) == Whole(std::int64_t{a} + std::int64_t{b} * c));
}

}  // namespace
}  // namespace spillway
