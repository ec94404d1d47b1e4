// A property whose cases take long: SPILLWAY_LONG_PROP(Suite, Name, cases) { ... } is RC_GTEST_PROP, of which
// `make test` tries so many cases, and `make nightly` as many as of any other.
#pragma once

#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>

#include "support/nightly.h"
#include "support/property.h"

namespace spillway::testing {

// Fails the test if one of at most so many cases breaks the property.
template <typename Property>
void check_some(int cases, const Property& property) {
  const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  rc::detail::TestMetadata metadata;
  metadata.id = std::string(test->test_suite_name()) + "/" + test->name();
  metadata.description = test->name();
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  if (!is_nightly()) params.maxSuccess = std::min(params.maxSuccess, cases);
  const rc::detail::TestResult result = rc::detail::checkTestable(property, metadata, params);
  std::ostringstream said;
  rc::detail::printResultMessage(result, said);
  if (!result.is<rc::detail::SuccessResult>()) FAIL() << said.str();
  std::cout << said.str() << '\n';  // and how its cases were classified
}

}  // namespace spillway::testing

#define SPILLWAY_LONG_PROP(Suite, Name, cases)                               \
  void long_property_##Suite##_##Name();                                     \
  TEST(Suite, Name) {                                                        \
    ::spillway::testing::check_some(cases, &long_property_##Suite##_##Name); \
  }                                                                          \
  void long_property_##Suite##_##Name()
