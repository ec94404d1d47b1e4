// Traffic times flows that no other can slow down and gives the others to SimGrid. All of them are compared
// with a run wholly in SimGrid and with a fluid model.
#include "sim/traffic.h"

#include <gtest/gtest.h>

#include <sstream>

#include "sim/simgrid/clock.h"
#include "small_cluster.h"
#include "support/long_property.h"
#include "support/property.h"
#include "support/tolerance.h"
#include "whole_simgrid.h"

namespace spillway::testing {
namespace {

constexpr std::uint32_t kSenders = 8, kCounterparts = 2;

// A message between two ranks or a ring over all ranks. Its price is the time of `bytes` plus `beside`.
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
    flows_of(event, ReplicaId(0), DeviceGrid{kSenders, 1, kCounterparts}, all);
    if (bytes == Bytes(0)) all.clear();
    return all;
  }
};

std::ostream& operator<<(std::ostream& out, const Sent& sent) {
  out << (sent.ring ? "ring" : "send") << ' ' << sent.from.index() << "->" << sent.to.index() << ' '
      << sent.bytes.value() << " B beside " << sent.beside.value() << " s after";
  for (const std::uint32_t before : sent.after) out << ' ' << before;
  return out << '\n';
}

// There are few ranks, so that flows meet, and few sizes and delays, so that many begin and end together.
// Some sizes and delays are arbitrary.
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
    slowest = std::max(slowest, sent.bytes / routes.between(flow, Routes::Carries::Message).alone);
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
  for (const Sent& sent : all) {
    events.push_back({sent.after, sent.beside, {}, false, sent.bytes});
    for (const Flow flow : sent.flows()) events.back().flows.push_back({flow.from, flow.to});
  }
  return events;
}

void expect_same(const std::vector<Seconds>& found, const std::vector<Seconds>& expected) {
  const Seconds longest = *std::max_element(expected.begin(), expected.end());
  for (std::size_t i = 0; i < found.size(); ++i)
    RC_ASSERT(std::abs((found[i] - expected[i]).value()) <= kRelative * longest.value());
}

TEST(Traffic, EndsAsAllOfItInSimGridAndAsAFluid) {
  Routes routes(small_cluster(), kSenders * kCounterparts);
  check_some(100, [&] {
    const auto cases = *rc::gen::container<std::vector<Sendings>>(8, some_sendings());
    std::vector<std::vector<Seconds>> found;
    restart_clock();
    {
      Replay replay(Fabric{{kSenders, 1, 1}, kCounterparts, small_cluster()});
      for (const Sendings& each : cases) found.push_back(replayed(each, replay, routes));
    }
    restart_clock();
    WholeSimGrid simgrid(small_cluster(), kSenders * kCounterparts);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::vector<PlainEvent> events = plain(cases[i]);
      expect_same(found[i], simgrid.ends(events));
      expect_same(found[i], Fluid(events, small_cluster()).ends());
    }
  });
}

// Runs events with only the agenda and the traffic.
class Driven {
 public:
  Driven(const std::vector<PlainEvent>& events, Routes& routes, SharedFlows& shared)
      : events_(events),
        routes_(routes),
        shared_(shared),
        traffic_(agenda_, shared, [this](ActivityToken token, std::uint32_t flows) { ended(token, flows); }),
        flowing_(events.size()),
        ends_(events.size()) {}

  std::vector<Seconds> ends() && {
    shared_.serve({&agenda_, [this] { next(); },
                   [this](Route& route, ActivityToken token) { traffic_.shared_end(route, token); },
                   [this] { return scale(); }});
    for (const PlainEvent& event : events_) waits_for_.push_back(event.after.size());
    for (std::uint32_t i = 0; i < events_.size(); ++i)
      if (events_[i].after.empty()) begin(i);
    while (shared_.any() || !agenda_.empty()) shared_.any() ? shared_.run() : next();
    return ends_;
  }

 private:
  RunScale scale() const {
    RunScale scale{microseconds(1), 1000, Bytes(0)};
    for (const PlainEvent& event : events_) scale.largest = std::max(scale.largest, event.bytes);
    return scale;
  }
  void next() {
    const Agenda::Entry due = agenda_.take();
    if (due.what == Agenda::What::FlowsEnd) return traffic_.alone_end(due.token);
    const PlainEvent& event = events_[due.token];
    flowing_[due.token] = static_cast<std::uint32_t>(event.flows.size());
    const auto carries = event.whole_port ? Routes::Carries::Port : Routes::Carries::Message;
    for (const PlainFlow flow : event.flows)
      traffic_.add(routes_.between({flow.from, flow.to}, carries), event.bytes);
    traffic_.start(due.token);
  }
  void begin(ActivityToken event) {
    agenda_.add(agenda_.now() + events_[event].wait, Agenda::What::FlowsStart, event);
  }
  void ended(ActivityToken event, std::uint32_t flows) {
    if ((flowing_[event] -= flows) > 0) return;
    ends_[event] = agenda_.now();
    for (std::uint32_t i = 0; i < events_.size(); ++i)
      for (const std::uint32_t before : events_[i].after)
        if (before == event && --waits_for_[i] == 0) begin(i);
  }

  const std::vector<PlainEvent>& events_;
  Routes& routes_;
  SharedFlows& shared_;
  Agenda agenda_;
  Traffic traffic_;
  std::vector<std::size_t> waits_for_;
  std::vector<std::uint32_t> flowing_;
  std::vector<Seconds> ends_;
};

// Makes a message or an all-to-all among neighbouring devices.
rc::Gen<PlainEvent> some_exchange(std::uint32_t number) {
  return rc::gen::exec([=] {
    PlainEvent event{};
    const std::uint32_t size = *rc::gen::element(2u, 2u, 3u, 4u, 8u);
    const std::uint32_t first = *rc::gen::inRange(0u, 17 - size);
    const std::uint32_t apart = *rc::gen::inRange(1u, 16u);
    if (size == 2) event.flows.push_back({DeviceId(first), DeviceId((first + apart) % 16)});
    for (std::uint32_t i = 0; size > 2 && i < size * size; ++i)
      if (i / size != i % size)
        event.flows.push_back({DeviceId(first + i / size), DeviceId(first + i % size)});
    event.whole_port = *rc::gen::arbitrary<bool>();
    const int any = *rc::gen::inRange(1, 1'000'000);
    event.bytes = Bytes(*rc::gen::element(1.0, 1e5, 2e5, any * 1.0));
    event.wait = microseconds(*rc::gen::element(0.0, 1.0, 2.0, any * 1e-4));
    const int waits = number == 0 ? 0 : *rc::gen::element(0, 1, 1, 2);
    for (int i = 0; i < waits; ++i) event.after.push_back(*rc::gen::inRange(0u, number));
    return event;
  });
}

void show(std::ostream& out, const PlainEvent& event) {
  out << event.bytes.value() << " B behind " << event.wait.value() << " s after";
  for (const std::uint32_t before : event.after) out << ' ' << before;
  for (const PlainFlow flow : event.flows) out << ' ' << flow.from.index() << "->" << flow.to.index();
  out << '\n';
}

TEST(Traffic, OfExchangesEndsAsAFluid) {
  Routes routes(small_cluster(), 16);
  SharedFlows shared(routes);
  EXPECT_TRUE(rc::check([&] {
    restart_clock();
    std::vector<PlainEvent> events;
    const std::uint32_t count = *rc::gen::inRange(1u, 12u);
    for (std::uint32_t i = 0; i < count; ++i) events.push_back(*some_exchange(i));
    std::ostringstream shown;
    for (const PlainEvent& event : events) show(shown, event);
    RC_LOG(shown.str());
    expect_same(Driven(events, routes, shared).ends(), Fluid(events, small_cluster()).ends());
  }));
}

// Rank 0 sends to 2 when rank 1 begins to send to both 2 and 3. Each flow gets 50 GB/s in either order.
// SimGrid 3.32 lets the first continue at 100 GB/s where each flow waits for its own latency
// (sim/simgrid/network.h).
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
