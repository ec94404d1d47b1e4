#include "sim/simgrid/simgrid_flows.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <simgrid/s4u/Activity.hpp>
#include <simgrid/s4u/Link.hpp>
#include <simgrid/s4u/NetZone.hpp>
#include <string>
#include <utility>

#include "sim/simgrid/zones.h"

namespace spillway {
namespace sg = simgrid::s4u;

namespace {

// SimGrid takes the signals of the whole process, and would end it by a list of its own actors.
class KeptSignals {
 public:
  KeptSignals() {
    for (std::size_t i = 0; i < kTaken.size(); ++i) sigaction(kTaken[i], nullptr, &before_[i]);
  }
  ~KeptSignals() {
    for (std::size_t i = 0; i < kTaken.size(); ++i) sigaction(kTaken[i], &before_[i], nullptr);
  }

 private:
  static constexpr std::array kTaken = {SIGINT, SIGSEGV, SIGBUS};
  std::array<struct sigaction, kTaken.size()> before_;
};

sg::Engine engine_without_signals() {
  const KeptSignals kept;
  return sg::Engine("spillway");
}

}  // namespace

SimGridFlows::SimGridFlows(const Routes& routes) : engine_(engine_without_signals()) {
  configure_simgrid();
  sg::NetZone* root = root_zone(engine_);
  network_.emplace(routes, root);
  root->seal();
  engine_.seal_platform();
}

void SimGridFlows::serve(RunWithFlows run) {
  run_ = std::move(run);
  time_.reset();
}

void SimGridFlows::fit() {
  restart_clock();
  const RunScale scale = run_.scale();
  time_.emplace(scale.least, scale.dates, sg::Engine::get_clock());
  network_->fit_unit_to(scale.largest, time_->exponent());
  horizon_ = set_precision(sg::Engine::get_clock());
}

// A new activity stays in the actor's list until it has ended for the first time. An activity that fails at
// its start ends at once. So it is started while one of its links is off, a link that no other flow uses.
void SimGridFlows::leave_list(const Route& route, sg::Comm& comm) const {
  if (route.out->shared > 1 && route.in->shared > 1) return;
  sg::Link* const link = route.out->shared > 1 ? network_->down(route) : network_->up(route);
  link->turn_off();
  comm.set_state(sg::Activity::State::STARTING);
  comm.set_payload_size(1);
  comm.start();
  link->turn_on();
}

// Returns an activity that ran on this route before, or a new one. The caller sets its amount and starts it.
SharedFlow& SimGridFlows::take(Route& route, ActivityToken token) {
  if (route.idle.empty()) {
    SharedFlow& made = all_.emplace_back(SharedFlow{
        sg::Comm::sendto_init(network_->sender(route), network_->receiver(route)), this, &route, token});
    leave_list(route, *made.comm);
    made.comm->set_data(&made);
    return made;
  }
  SharedFlow& flow = *route.idle.back();
  route.idle.pop_back();
  flow.token = token;
  return flow;
}

void SimGridFlows::start(Route& route, Bytes bytes, ActivityToken token) {
  if (!time_) fit();
  if (flowing_++ == 0) {
    since_ = run_.agenda->now();
    engine_since_ = sg::Engine::get_clock();
  }
  sg::Comm& comm = *take(route, token).comm;
  comm.set_state(sg::Activity::State::STARTING);
  comm.set_payload_size(std::max<std::uint64_t>(1, network_->units(bytes)));
  comm.start();
}

// SimGrid uses the ending activity until this returns. Only afterwards may it run again.
void SimGridFlows::completed(SharedFlow& flow) {
  run_.agenda->reach(now());
  --flowing_;
  run_.ended(*flow.route, flow.token);
  flow.route->idle.push_back(&flow);
  arm();
}

Seconds SimGridFlows::now() const {
  return since_ + time_->length(sg::Engine::get_clock() - engine_since_);
}

double SimGridFlows::engine_date(Seconds date) const {
  return engine_since_ + time_->engine(date - since_);
}

void SimGridFlows::run() {
  // SimGrid keeps callbacks until the process ends.
  static const bool listening = [] {
    sg::Comm::on_completion_cb([](const sg::Activity& activity) {
      if (SharedFlow* flow = activity.get_data<SharedFlow>()) flow->owner->completed(*flow);
    });
    return true;
  }();
  static_cast<void>(listening);
  arm();
  engine_.run();
}

// Makes the engine stop at the next entry. If nothing flows, there is no timer, so that the engine's run
// ends.
void SimGridFlows::arm() {
  double date = horizon_;
  if (!run_.agenda->empty()) date = std::min(date, engine_date(run_.agenda->next()));
  date = std::max(date, sg::Engine::get_clock());
  if (timer_ != nullptr && any() && date == armed_) return;
  if (timer_ != nullptr) std::exchange(timer_, nullptr)->remove();
  if (!any()) return;
  armed_ = date;
  timer_ = simgrid::kernel::timer::Timer::set(date, [this] {
    timer_ = nullptr;
    wake();
  });
}

void SimGridFlows::wake() {
  if (sg::Engine::get_clock() >= horizon_) horizon_ = set_precision(sg::Engine::get_clock());
  while (!run_.agenda->empty() && engine_date(run_.agenda->next()) <= sg::Engine::get_clock()) run_.next();
  arm();
}

}  // namespace spillway

extern "C" spillway::FlowEngine* SPILLWAY_SIMGRID_FLOWS(const spillway::Routes& routes) {
  return new spillway::SimGridFlows(routes);
}
