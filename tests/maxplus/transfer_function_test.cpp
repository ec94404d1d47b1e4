// The laws of composition on random matrices, against the least fixed point found the slow way.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "maxplus/composition.h"
#include "support/property.h"

namespace spillway::testing {
namespace {

Port port(std::uint32_t event) {
  return {EventId(event), 0};
}

// Returns parts over ports 0..n. Each port is an output of one part, or (owner `parts`) an input of the
// whole, and depends on some earlier ports. Delays are integers, so sums are exact in any order.
std::vector<TransferFunction> random_parts(std::uint32_t parts) {
  const std::uint32_t ports = number(1, 14);
  std::vector<std::vector<Port>> inputs(parts), outputs(parts);
  std::vector<std::uint32_t> owner;
  for (std::uint32_t p = 0; p < ports; ++p) owner.push_back(number(0, parts));
  for (std::uint32_t part = 0; part < parts; ++part) {
    for (std::uint32_t p = 0; p < ports; ++p) {
      if (owner[p] == part)
        outputs[part].push_back(port(p));
      else if (number(0, 1) == 0)
        inputs[part].push_back(port(p));
    }
  }
  std::vector<TransferFunction> drawn;
  for (std::uint32_t part = 0; part < parts; ++part) {
    TransferFunction& function = drawn.emplace_back(inputs[part], outputs[part]);
    for (std::size_t o = 0; o < outputs[part].size(); ++o) {
      const auto row = function.row(o);
      for (std::size_t c = 0; c < row.size(); ++c) {
        const bool earlier = c == 0 || inputs[part][c - 1] < outputs[part][o];
        if (earlier && number(0, 2) > 0) row[c] = number(0, 20);
      }
    }
  }
  return drawn;
}

bool equal(const TransferFunction& a, const TransferFunction& b) {
  if (!std::ranges::equal(a.inputs(), b.inputs()) || !std::ranges::equal(a.outputs(), b.outputs()))
    return false;
  for (std::size_t o = 0; o < a.outputs().size(); ++o) {
    if (!std::ranges::equal(a.row(o), b.row(o))) return false;
  }
  return true;
}

// Returns the least times that satisfy all parts, by iterating from "never" until no port changes.
std::vector<Seconds> least_fixed_point(const std::vector<TransferFunction>& parts,
                                       std::vector<Seconds> times) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const TransferFunction& part : parts) {
      std::vector<Seconds> arrivals;
      for (const Port input : part.inputs()) arrivals.push_back(times[input.event.index()]);
      const std::vector<Seconds> ends = completions(part, arrivals);
      for (std::size_t o = 0; o < ends.size(); ++o) {
        Seconds& known = times[part.outputs()[o].event.index()];
        changed = changed || known != ends[o];
        known = ends[o];
      }
    }
  }
  return times;
}

RC_GTEST_PROP(Composition, IsTheLeastFixedPointOfBothParts, ()) {
  const auto parts = random_parts(2);
  const TransferFunction both = compose(parts[0], parts[1]);
  std::vector<Seconds> times(20, kNoPath), arrivals;
  for (const Port input : both.inputs())
    arrivals.push_back(times[input.event.index()] = Seconds(number(0, 30)));
  times = least_fixed_point(parts, times);
  const std::vector<Seconds> ends = completions(both, arrivals);
  for (std::size_t o = 0; o < ends.size(); ++o) RC_ASSERT(ends[o] == times[both.outputs()[o].event.index()]);
}

RC_GTEST_PROP(Composition, IsCommutativeAndAssociative, ()) {
  const auto parts = random_parts(3);
  const auto &a = parts[0], &b = parts[1], &c = parts[2];
  RC_ASSERT(equal(compose(a, b), compose(b, a)));
  RC_ASSERT(equal(compose(compose(a, b), c), compose(a, compose(b, c))));
  RC_ASSERT(equal(compose(compose(a, c), b), compose(a, compose(b, c))));
}

RC_GTEST_PROP(Composition, HasAUnit, ()) {
  const auto parts = random_parts(1);
  RC_ASSERT(equal(compose(parts[0], TransferFunction({}, {})), parts[0]));
}

// f(max(s, t)) = max(f(s), f(t)).
RC_GTEST_PROP(TransferFunction, IsLinear, ()) {
  const auto part = random_parts(1)[0];
  std::vector<Seconds> s, t, later;
  for (std::size_t i = 0; i < part.inputs().size(); ++i) {
    s.push_back(Seconds(number(0, 30)));
    t.push_back(Seconds(number(0, 30)));
    later.push_back(std::max(s[i], t[i]));
  }
  const auto of_s = completions(part, s), of_t = completions(part, t), of_later = completions(part, later);
  for (std::size_t o = 0; o < of_s.size(); ++o) RC_ASSERT(of_later[o] == std::max(of_s[o], of_t[o]));
}

TEST(Composition, JoinsInBothDirections) {
  // Part a ends port 1 three seconds after 0, and 4 one second after 2; part b ends 2 five seconds after 1.
  TransferFunction a({port(0), port(2)}, {port(1), port(4)}), b({port(1)}, {port(2)});
  a.row(0)[1] = 3;
  a.row(1)[2] = 1;
  b.row(0)[1] = 5;
  const TransferFunction both = compose(a, b);
  ASSERT_EQ(both.inputs().size(), 1u);
  ASSERT_EQ(both.outputs().size(), 3u);
  EXPECT_EQ(both.delay(2, 0), Seconds(9));
  EXPECT_EQ(both.from_start(2), kNoPath);
  const std::vector<Port> last = {port(4)};
  EXPECT_EQ(restrict_to(both, last).delay(0, 0), Seconds(9));
}

TEST(Composition, RefusesWhatWaitsForItself) {
  TransferFunction a({port(2)}, {port(1)}), b({port(1)}, {port(2)});
  a.row(0)[1] = b.row(0)[1] = 1;
  EXPECT_THROW(compose(a, b), ContractBreach);
  EXPECT_THROW(compose(a, a), ContractBreach);
}

}  // namespace
}  // namespace spillway::testing
