// RapidCheck under GoogleTest with a fixed seed, so that every run of the tests checks the same cases. Set
// RC_PARAMS, for instance to "seed=7 max_success=5000", to look further, as `make nightly` does.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#include "support/nightly.h"
#include "support/numbers.h"

namespace spillway::testing {

// RapidCheck reads its parameters from the environment when the first property runs.
#ifndef SPILLWAY_PROPERTY_CASES
#define SPILLWAY_PROPERTY_CASES "300"  // a test program whose cases take long defines fewer
#endif
inline const int kFixedSeed = setenv("RC_PARAMS", "seed=20240607 max_success=" SPILLWAY_PROPERTY_CASES, 0);

// Fails the test if one of at most so many cases breaks the property. Nightly it tries as many as any other.
inline void check_some(int cases, void (*property)()) {
  const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  rc::detail::TestMetadata metadata;
  metadata.id = std::string(test->test_suite_name()) + "/" + test->name();
  metadata.description = test->name();
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  if (!is_nightly()) params.maxSuccess = std::min(params.maxSuccess, cases);
  const auto result = rc::detail::checkTestable(property, metadata, params);
  std::ostringstream said;
  rc::detail::printResultMessage(result, said);
  if (!result.template is<rc::detail::SuccessResult>()) FAIL() << said.str();
  std::cout << said.str() << std::endl;  // and how its cases were classified
}

}  // namespace spillway::testing

// RC_GTEST_PROP for a property whose cases take long: `make test` tries so many of them.
#define SPILLWAY_LONG_PROP(Suite, Name, cases)                                                     \
  void long_property_##Suite##_##Name();                                                           \
  TEST(Suite, Name) { ::spillway::testing::check_some(cases, &long_property_##Suite##_##Name); } \
  void long_property_##Suite##_##Name()
