// A plain replay in SimGrid: each event is an actor, and SimGrid times all computing, delays and flows. It is
// the oracle of everything that the replay times itself.
#pragma once

#include <algorithm>
#include <optional>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Comm.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/NetZone.hpp>
#include <vector>

#include "fluid.h"
#include "sim/flows/route.h"
#include "sim/simgrid/clock.h"
#include "sim/simgrid/network.h"
#include "sim/simgrid/zones.h"
#include "sim/turn.h"

namespace spillway::testing {

class WholeSimGrid {
 public:
  WholeSimGrid(const Platform& platform, std::uint32_t devices)
      : engine_("plain"), routes_(platform, devices) {
    configure_simgrid();
    simgrid::s4u::NetZone* root = root_zone(engine_);
    host_ = add_host_to(root, "events")->seal();
    network_.emplace(routes_, root);
    root->seal();
    engine_.seal_platform();
  }

  // Returns the end of each event.
  std::vector<Seconds> ends(const std::vector<PlainEvent>& events) {
    events_ = &events;
    fit();
    ends_.assign(events.size(), 0);
    waits_for_.clear();
    for (const PlainEvent& event : events) waits_for_.push_back(event.after.size());
    const double began = simgrid::s4u::Engine::get_clock();
    for (std::uint32_t i = 0; i < events.size(); ++i)
      if (events[i].after.empty()) begin(i);
    engine_.run();
    std::vector<Seconds> ends;
    for (const double end : ends_) ends.push_back(time_->length(end - began));
    return ends;
  }

 private:
  const Route& route(const PlainEvent& event, PlainFlow flow) {
    return routes_.between({flow.from, flow.to},
                           event.whole_port ? Routes::Carries::Port : Routes::Carries::Message);
  }

  Seconds one_after_the_other(const PlainEvent& event) {
    Seconds all = event.wait + event.update;
    for (const PlainFlow flow : event.flows) all += event.bytes / route(event, flow).alone;
    return all;
  }

  void fit() {
    Bytes most;
    Seconds longest, sum;
    for (const PlainEvent& event : *events_) {
      most = std::max(most, event.bytes);
      longest = std::max({longest, event.wait, one_after_the_other(event)});
      sum += one_after_the_other(event);
    }
    time_.emplace(longest / 100, 100, simgrid::s4u::Engine::get_clock());
    network_->fit_unit_to(most, time_->exponent());
    set_precision(simgrid::s4u::Engine::get_clock() + time_->engine(sum));
  }

  void begin(std::uint32_t i) {
    simgrid::s4u::Actor::init("event", host_)->start([this, i] {
      const PlainEvent& event = (*events_)[i];
      simgrid::s4u::this_actor::sleep_for(time_->engine(event.wait));
      std::vector<simgrid::s4u::CommPtr> flows;
      for (const PlainFlow flow : event.flows) {
        const Route& route = this->route(event, flow);
        flows.push_back(
            simgrid::s4u::Comm::sendto_async(network_->sender(route), network_->receiver(route),
                                             std::max<std::uint64_t>(1, network_->units(event.bytes))));
      }
      for (const simgrid::s4u::CommPtr& flow : flows) flow->wait();
      simgrid::s4u::this_actor::sleep_for(time_->engine(event.update));
      end(i);
    });
  }

  void end(std::uint32_t i) {
    ends_[i] = simgrid::s4u::Engine::get_clock();
    for (std::uint32_t next = 0; next < events_->size(); ++next)
      for (const std::uint32_t before : (*events_)[next].after)
        if (before == i && --waits_for_[next] == 0) begin(next);
  }

  ReplayTurn turn_;
  simgrid::s4u::Engine engine_;
  Routes routes_;
  simgrid::s4u::Host* host_;
  std::optional<Network> network_;
  std::optional<SlowMotion> time_;
  const std::vector<PlainEvent>* events_ = nullptr;
  std::vector<std::size_t> waits_for_;
  std::vector<double> ends_;
};

}  // namespace spillway::testing
