// Checks the bytes in stores and pipes: every outcome comes back as it was, and other bytes are refused.

#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstring>
#include <limits>
#include <string>

#include "base/error.h"
#include "evaluate/point.h"
#include "support/property.h"
#include "support/random_outcome.h"

namespace spillway {
namespace {

using testing::random_count;
using testing::random_outcome;

RC_GTEST_PROP(OutcomeBytes, ComesBackAsItWas, ()) {
  const PointOutcome outcome = random_outcome();
  const PointOutcome back = outcome_from(bytes_of(outcome));
  RC_ASSERT(back == outcome);
  RC_ASSERT(bytes_of(back) == bytes_of(outcome));  // -0.0 equals 0.0; their bytes differ
}

TEST(OutcomeBytes, NotANumberComesBackToo) {
  const Seconds none(std::numeric_limits<double>::quiet_NaN());
  const StepFigures figures{none, -0.0, 0, StepSpill{}};
  const std::string bytes = bytes_of({"", 0, {outcome_of("s", {&figures, 1})}});
  EXPECT_EQ(bytes_of(outcome_from(bytes)), bytes);
}

// Pins the format itself, so that no change of it goes without a new format number.
TEST(OutcomeBytes, AreTheSameOnEveryMachine) {
  const std::string bytes = bytes_of({"no", 0, {{"s", {}, {}, {}, {Seconds(1.5)}}}});
  const std::string form(
      "\5"
      "\2\0\0\0no"
      "\0\0\0\0"
      "\1\0\0\0"
      "\1\0\0\0s"
      "\0\0\0\0"
      "\1\0\0\0"
      "\0\0\0\0\0\0\xf8\x3f"
      "\0"
      "\0"
      "\0\0\0\0"
      "\0\0\0\0"
      "\0"
      "\0\0\0\0"
      "\0\0\0\0\0\0\0\0"
      "\x0e\x88\x71\xc2\xfe\xc2\xb1\xfd",
      67);
  EXPECT_EQ(bytes, form);
}

// Makes one to four random changes: a byte gets another value, the end is cut off, or bytes are inserted.
std::string mutated(std::string bytes) {
  for (std::size_t times = 1 + random_count(3); times > 0; --times) {
    const std::size_t at = random_count(bytes.size());
    switch (random_count(2)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 + random_count(254)));
        break;
      case 1:
        bytes.resize(at);
        break;
      default:
        bytes.insert(at, std::string(1 + random_count(8), static_cast<char>(random_count(255))));
    }
  }
  return bytes;
}

RC_GTEST_PROP(OutcomeBytes, DamageIsRefused, ()) {
  const std::string bytes = bytes_of(random_outcome());
  const std::string damaged = mutated(bytes);
  if (damaged == bytes) return;
  RC_ASSERT_THROWS_AS(outcome_from(damaged), InputError);
}

std::string sealed(std::string body) {
  const std::uint64_t sum = XXH3_64bits(body.data(), body.size());
  for (std::size_t byte = 0; byte < sizeof sum; ++byte) body += static_cast<char>(sum >> 8 * byte);
  return body;
}

// With a valid checksum only the parts can reveal the damage. Accepted bytes are an outcome's only encoding.
RC_GTEST_PROP(OutcomeBytes, SealedDamageIsRefusedOrAnOutcome, ()) {
  std::string body = bytes_of(random_outcome());
  body.resize(body.size() - 8);
  const std::string bytes = sealed(mutated(body));
  try {
    RC_ASSERT(bytes_of(outcome_from(bytes)) == bytes);
  } catch (const InputError& error) {
    RC_ASSERT(error.violations().size() == 1u);
  }
}

std::string refusal(const std::string& bytes) {
  try {
    outcome_from(bytes);
  } catch (const InputError& error) {
    return error.violations()[0].expected + ", found " + error.violations()[0].found;
  }
  return "";
}

TEST(OutcomeBytes, SayWhatIsWrong) {
  EXPECT_EQ(refusal(""), "an outcome, found 0 bytes");
  EXPECT_EQ(refusal("text, not an outcome"), "an outcome of format 5, found format 116");
  EXPECT_EQ(refusal(std::string("\5\0\0\0\0\0\0\0\0\0\0\0\0", 13)),
            "an outcome whose checksum holds, found a damaged one");
  EXPECT_EQ(refusal(sealed(std::string("\5\xff\xff\xff\xff", 5))),
            "an outcome with room for a part of length 4294967295, found 0 bytes left");
  EXPECT_EQ(refusal(sealed(std::string("\5\0\0\0\0\0\0\0\0\xff\xff\xff\xff", 13))),
            "an outcome with room for a part of length 4294967295, found 0 bytes left");
  EXPECT_EQ(
      refusal(sealed(std::string("\5\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22) + std::string(8, '\0'))),
      "a baseline among 0 schedules, found 1");
  EXPECT_EQ(refusal(sealed(std::string("\5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 23) +
                           std::string(8, '\0'))),
            "the end of an outcome, found 1 byte more");
}

}  // namespace
}  // namespace spillway
