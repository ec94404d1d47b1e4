// Flows that end when they would alone, and those that SimGrid runs, against all of them in SimGrid.
#include "sim/traffic.h"

#include <gtest/gtest.h>

#include "small_cluster.h"
#include "support/property.h"
#include "support/tolerance.h"
#include "whole_simgrid.h"

namespace spillway::testing {
namespace {

constexpr std::uint32_t kSenders = 8, kCounterparts = 2;

// A message between two ranks or a ring over all of them; what it sends, and what its price has beside that.
struct Sent {
  RankId from;
  RankId to;
  bool ring;
  Bytes bytes;
  Seconds beside;
  std::vector<std::uint32_t> after;

  std::vector<Flow> flows() const {
    Event event{};
    event.kind = ring ? EventKind::DpReduce : EventKind::Collective;
    event.group = Group::ReplicaGroup;
    event.rank = from;
    event.peer_rank = ring ? from : to;
    std::vector<Flow> all;
    flows_of(event, ReplicaId(0), {kSenders, 1, kCounterparts}, all);
    if (bytes == Bytes(0)) all.clear();
    return all;
  }
  Routes::Carries carries() const { return ring ? Routes::Carries::Port : Routes::Carries::Message; }
};

std::ostream& operator<<(std::ostream& out, const Sent& sent) {
  out << (sent.ring ? "ring" : "send") << ' ' << sent.from.index() << "->" << sent.to.index() << ' '
      << sent.bytes.value() << " B beside " << sent.beside.value() << " s after";
  for (const std::uint32_t before : sent.after) out << ' ' << before;
  return out << '\n';
}

// Few ranks, so that they meet; few sizes and delays, so that many begin and end together; and some of any.
rc::Gen<Sent> some_sent(std::uint32_t number) {
  return rc::gen::exec([=] {
    Sent sent{};
    sent.from = RankId(*rc::gen::inRange(0u, kSenders));
    sent.to = RankId((sent.from.index() + *rc::gen::inRange(1u, kSenders)) % kSenders);
    sent.ring = *rc::gen::inRange(0, 8) == 0;
    const int any = *rc::gen::inRange(1, 1'000'000);
    sent.bytes = Bytes(*rc::gen::element(0.0, 1.0, 1e5, 2e5, 3e5, 1e7, any * 1.0));
    sent.beside = microseconds(*rc::gen::element(0.0, 0.0, 1.0, 2.0, 100.0, any * 1e-4));
    const int waits = number == 0 ? 0 : *rc::gen::element(0, 1, 1, 2);
    for (int i = 0; i < waits; ++i) sent.after.push_back(*rc::gen::inRange(0u, number));
    return sent;
  });
}

using Sendings = std::vector<Sent>;

rc::Gen<Sendings> some_sendings() {
  return rc::gen::exec([] {
    Sendings all;
    const std::uint32_t count = *rc::gen::inRange(1u, 40u);
    for (std::uint32_t number = 0; number < count; ++number) all.push_back(*some_sent(number));
    return all;
  });
}

Seconds flowing(const Sent& sent, Routes& routes) {
  Seconds slowest;
  for (const Flow flow : sent.flows())
    slowest = std::max(slowest, sent.bytes / routes.between(flow, sent.carries()).alone);
  return slowest;
}

std::vector<Seconds> replayed(const Sendings& all, Replay& replay, Routes& routes) {
  HandOrder order(kSenders);
  for (const Sent& sent : all) {
    const Seconds price = flowing(sent, routes) + sent.beside;
    const auto event = sent.ring
                           ? order.reduce(Group::ReplicaGroup, sent.from.index(), price, sent.bytes.value())
                           : order.send(sent.from.index(), sent.to.index(), price, sent.bytes.value());
    for (const std::uint32_t before : sent.after) order.edge(before, event);
  }
  const auto run = std::move(order).run(replay);
  std::vector<Seconds> ends;
  for (std::uint32_t event = 0; event < all.size(); ++event) ends.emplace_back(run.end(event));
  return ends;
}

std::vector<PlainEvent> plain(const Sendings& all) {
  std::vector<PlainEvent> events;
  for (const Sent& sent : all)
    events.push_back({sent.after, sent.beside, sent.flows(), sent.carries(), sent.bytes});
  return events;
}

void expect_same(const std::vector<Seconds>& found, const std::vector<Seconds>& expected) {
  const Seconds longest = *std::max_element(expected.begin(), expected.end());
  for (std::size_t i = 0; i < found.size(); ++i)
    RC_ASSERT(std::abs((found[i] - expected[i]).value()) <= kRelative * longest.value());
}

TEST(Traffic, EndsAsAllOfItInSimGridAndAsAFluid) {
  Routes routes(small_cluster(), kSenders * kCounterparts);
  EXPECT_TRUE(rc::check([&] {
    const auto cases = *rc::gen::container<std::vector<Sendings>>(8, some_sendings());
    std::vector<std::vector<Seconds>> found;
    SimGridTurn().restart_clock();
    {
      Replay replay(Fabric{{kSenders, 1, 1}, kCounterparts, small_cluster()});
      for (const Sendings& each : cases) found.push_back(replayed(each, replay, routes));
    }
    SimGridTurn().restart_clock();
    WholeSimGrid simgrid(small_cluster(), kSenders * kCounterparts);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::vector<PlainEvent> events = plain(cases[i]);
      expect_same(found[i], simgrid.ends(events));
      expect_same(found[i], Fluid(events, routes).ends());
    }
  }));
}

// 4 sends to 6 when 2 begins to send to both 4 and 6: three flows at 50 GB/s, whichever is named first.
// SimGrid 3.32 lets the first one go on at 100 where flows wait for latencies of their own.
TEST(Traffic, FlowsThatBeginTogetherSlowDownWhatIsUnderWay) {
  for (const std::uint32_t first : {2u, 3u}) {
    Replay replay(Fabric{{16, 1, 1}, 1, small_cluster()});
    HandOrder order(16);
    const auto under_way = order.send(0, 2, Seconds(1e7 / 100e9), 1e7);
    for (const std::uint32_t to : {first, 5 - first})
      order.send(1, to, microseconds(7) + Seconds(5e6 / 100e9), 5e6);
    EXPECT_NEAR(std::move(order).run(replay).end(under_way), 150e-6, 150e-15);
  }
}

}  // namespace
}  // namespace spillway::testing
