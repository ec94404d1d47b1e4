// A fluid model of flows that share ports, independent of SimGrid and sim/. Rates are max-min fair: all flows
// grow alike until one direction of a port is full or a flow reaches its own limit. Time advances from one
// change of rates to the next. It is the oracle of the replay and of SimGrid.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "platform/platform.h"

namespace spillway::testing {

struct PlainFlow {
  DeviceId from;
  DeviceId to;
};

// An event begins when its predecessors have ended. It waits, sends all its flows at once, then updates.
struct PlainEvent {
  std::vector<std::uint32_t> after;
  Seconds wait;
  std::vector<PlainFlow> flows;
  bool whole_port;  // limits each flow by its ports alone, not by its pair's bandwidth
  Bytes bytes;      // per flow
  Seconds update = {};
};

class Fluid {
 public:
  Fluid(const std::vector<PlainEvent>& events, const Platform& platform)
      : events_(events), platform_(platform), states_(events.size()) {
    for (std::uint32_t event = 0; event < events.size(); ++event) {
      states_[event].to_wait_for = events[event].after.size();
      for (const std::uint32_t before : events[event].after) states_[before].waiting.push_back(event);
    }
  }

  // Returns the end of each event.
  std::vector<Seconds> ends() && {
    for (std::uint32_t event = 0; event < events_.size(); ++event)
      if (events_[event].after.empty()) begin(event);
    while (!dates_.empty() || !flows_.empty()) step();
    std::vector<Seconds> ends;
    for (const State& state : states_) ends.emplace_back(state.end);
    return ends;
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  enum class What { Sends, Ends };
  struct State {
    std::size_t to_wait_for = 0;
    std::vector<std::uint32_t> waiting = {};
    std::size_t flowing = 0;
    double end = 0;
  };
  // One direction of a device's port.
  using End = std::pair<std::size_t, bool>;  // index of device and port; true if outgoing
  struct Flowing {
    std::uint32_t event;
    End out, in;
    double limit, left;
    double rate = 0;
    double end() const { return left / rate; }
  };

  void begin(std::uint32_t event) {
    dates_.insert({now_ + events_[event].wait.value(), {event, What::Sends}});
  }

  void send(std::uint32_t event) {
    const PlainEvent& sent = events_[event];
    for (const PlainFlow flow : sent.flows) add(event, flow, sent);
    states_[event].flowing = sent.flows.size();
    if (sent.flows.empty()) update(event);
  }

  void add(std::uint32_t event, PlainFlow flow, const PlainEvent& sent) {
    const Tier& tier = smallest_tier(flow);
    const std::size_t ports = platform_.ports.size();
    const End out{flow.from.index() * ports + tier.port, true},
        in{flow.to.index() * ports + tier.port, false};
    const double limit = sent.whole_port ? capacity(tier.port) : tier.bandwidth.value.value();
    flows_.push_back({event, out, in, limit, sent.bytes.value()});
  }

  void update(std::uint32_t event) {
    dates_.insert({now_ + events_[event].update.value(), {event, What::Ends}});
  }

  void end(std::uint32_t event) {
    states_[event].end = now_;
    for (const std::uint32_t next : states_[event].waiting)
      if (--states_[next].to_wait_for == 0) begin(next);
  }

  // Advances to the next change and applies it.
  void step() {
    share();
    double flows_end = kNever;
    for (const Flowing& flow : flows_) flows_end = std::min(flows_end, flow.end());
    const double date = dates_.empty() ? kNever : dates_.begin()->first;
    const double passes = std::min(flows_end, date - now_);
    now_ = flows_end < date - now_ ? now_ + flows_end : date;
    std::vector<std::uint32_t> through;  // the event of each flow that has ended
    std::erase_if(flows_, [&](Flowing& flow) {
      if (flow.end() <= passes) return through.push_back(flow.event), true;
      flow.left -= flow.rate * passes;
      return false;
    });
    for (const std::uint32_t event : through)
      if (--states_[event].flowing == 0) update(event);
    while (!dates_.empty() && dates_.begin()->first <= now_) {
      const auto [event, what] = dates_.begin()->second;
      dates_.erase(dates_.begin());
      what == What::Sends ? send(event) : end(event);
    }
  }

  void share() {
    std::map<End, double> left;
    std::vector<Flowing*> open;
    for (Flowing& flow : flows_) {
      for (const End& end : {flow.out, flow.in}) left[end] = capacity(end.first % platform_.ports.size());
      open.push_back(&flow);
    }
    while (!open.empty()) fill(open, left);
  }

  // Open flows grow alike until the first of them reaches a limit. Fixes that flow's rate and closes it.
  static void fill(std::vector<Flowing*>& open, std::map<End, double>& left) {
    std::map<End, int> through;
    for (const Flowing* flow : open) ++through[flow->out], ++through[flow->in];
    const auto most = [&](const Flowing* flow) {
      return std::min(
          {flow->limit, left[flow->out] / through[flow->out], left[flow->in] / through[flow->in]});
    };
    const auto slowest =
        std::min_element(open.begin(), open.end(), [&](auto* a, auto* b) { return most(a) < most(b); });
    Flowing& fixed = **slowest;
    fixed.rate = most(&fixed);
    left[fixed.out] -= fixed.rate;
    left[fixed.in] -= fixed.rate;
    open.erase(slowest);
  }

  const Tier& smallest_tier(PlainFlow flow) const {
    const auto holds_both = [&](const Tier& tier) {
      return flow.from.index() / tier.devices == flow.to.index() / tier.devices;
    };
    return *std::find_if(platform_.tiers.begin(), platform_.tiers.end(), holds_both);
  }

  double capacity(std::size_t port) const {
    double most = platform_.ports[port].bandwidth.value.value();
    for (const Tier& tier : platform_.tiers)
      if (tier.port == port) most = std::max(most, tier.bandwidth.value.value());
    return most;
  }

  const std::vector<PlainEvent>& events_;
  const Platform platform_;
  std::vector<State> states_;
  std::vector<Flowing> flows_;
  std::multimap<double, std::pair<std::uint32_t, What>> dates_;
  double now_ = 0;
};

}  // namespace spillway::testing
