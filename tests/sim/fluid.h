// Flows that share ports, without SimGrid: max-min fair rates by filling all flows alike until one end or the
// flow's own limit is full, and time that goes from one change of rates to the next. The oracle of the
// replay, and of SimGrid.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "sim/route.h"

namespace spillway::testing {

// An event: it begins when those before it have ended, waits, and then sends its flows, all at once.
struct PlainEvent {
  std::vector<std::uint32_t> after;
  Seconds wait;
  std::vector<Flow> flows;
  Routes::Carries carries;
  Bytes bytes;
};

class Fluid {
 public:
  Fluid(const std::vector<PlainEvent>& events, Routes& routes)
      : events_(events), routes_(routes), states_(events.size()) {}

  // When each event ends.
  std::vector<Seconds> ends() && {
    while (step()) {
    }
    std::vector<Seconds> ends;
    for (const State& state : states_) ends.emplace_back(state.end);
    return ends;
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  struct State {
    bool begun = false, sent = false, ended = false;
    double sends = 0, end = 0;
    std::uint32_t flowing = 0;
  };
  struct Flowing {
    std::uint32_t event;
    Route* route;
    double end;  // as things are
    double left;
    double rate = 0;
  };

  bool ready(std::uint32_t i) const {
    return !states_[i].begun && std::all_of(events_[i].after.begin(), events_[i].after.end(),
                                            [&](std::uint32_t before) { return states_[before].ended; });
  }

  void go_on(std::uint32_t i) {
    State& state = states_[i];
    if (ready(i)) state.begun = true, state.sends = now_ + events_[i].wait.value();
    if (state.begun && !state.sent && state.sends <= now_) {
      state.sent = true;
      for (const Flow flow : events_[i].flows) {
        Route& route = routes_.between(flow, events_[i].carries);
        flows_.push_back({i, &route, kNever, events_[i].bytes.value()});
        ++state.flowing;
      }
    }
    if (state.sent && !state.ended && state.flowing == 0) state.ended = true, state.end = now_;
  }

  // Whatever happens now, then on to the next change. False at the end.
  bool step() {
    for (std::size_t round = 0; round < events_.size(); ++round)
      for (std::uint32_t i = 0; i < events_.size(); ++i) go_on(i);
    share();
    double next = kNever;
    for (const State& state : states_)
      if (state.begun && !state.sent) next = std::min(next, state.sends);
    for (const Flowing& flow : flows_) next = std::min(next, flow.end);
    if (next == kNever) return false;
    for (Flowing& flow : flows_) flow.left -= flow.rate * (next - now_);
    now_ = next;
    std::erase_if(flows_, [&](const Flowing& flow) {
      if (flow.end > now_) return false;
      --states_[flow.event].flowing;
      return true;
    });
    return true;
  }

  void share() {
    std::map<const PortEnd*, double> left;
    std::vector<Flowing*> open;
    for (Flowing& flow : flows_) {
      left[flow.route->out] = flow.route->out->bandwidth.value();
      left[flow.route->in] = flow.route->in->bandwidth.value();
      open.push_back(&flow);
    }
    while (!open.empty()) fix_slowest(open, left);
    for (Flowing& flow : flows_) flow.end = now_ + flow.left / flow.rate;
  }

  static void fix_slowest(std::vector<Flowing*>& open, std::map<const PortEnd*, double>& left) {
    std::map<const PortEnd*, int> through;
    for (const Flowing* flow : open) ++through[flow->route->out], ++through[flow->route->in];
    const auto share = [&](const Flowing* flow) {
      const Route& route = *flow->route;
      return std::min(
          {route.alone.value(), left[route.out] / through[route.out], left[route.in] / through[route.in]});
    };
    const auto slowest =
        std::min_element(open.begin(), open.end(), [&](auto* a, auto* b) { return share(a) < share(b); });
    Flowing& fixed = **slowest;
    fixed.rate = share(&fixed);
    left[fixed.route->out] -= fixed.rate;
    left[fixed.route->in] -= fixed.rate;
    open.erase(slowest);
  }

  const std::vector<PlainEvent>& events_;
  Routes& routes_;
  std::vector<State> states_;
  std::vector<Flowing> flows_;
  double now_ = 0;
};

}  // namespace spillway::testing
