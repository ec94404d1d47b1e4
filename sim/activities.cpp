#include "sim/activities.h"

#include <simgrid/s4u/Activity.hpp>

namespace spillway {
namespace {

namespace sg = simgrid::s4u;

// An activity that ran here before, or a new one; ready to be given its amount and started.
template <class AnyActivity, class Make>
AnyActivity& take(std::vector<Activities::Running*>& idle, std::deque<Activities::Running>& all,
                  Activities::Token token, sg::Activity::State before_start, Make make) {
  if (idle.empty()) {
    Activities::Running& made = all.emplace_back(Activities::Running{make(), token, &idle});
    made.activity->set_data(&made);
    idle.push_back(&made);
  }
  Activities::Running& running = *idle.back();
  idle.pop_back();
  running.token = token;
  running.activity->set_state(before_start);
  return static_cast<AnyActivity&>(*running.activity);
}

}  // namespace

Activities::Activities() {
  sg::Activity::on_completion_cb([this](const sg::Activity& activity) { completed(activity); });
}

void Activities::compute(Device& device, Seconds length, Token token) {
  sg::Exec& exec = take<sg::Exec>(device.idle, all_, token, sg::Activity::State::INITED, [&device] {
    sg::ExecPtr made = sg::Exec::init();
    made->set_host(device.host);
    return made;
  });
  exec.set_flops_amount(length.value());
  exec.start();
}

void Activities::flow(Route& route, std::uint64_t units, Token token) {
  sg::Comm& comm = take<sg::Comm>(route.idle, all_, token, sg::Activity::State::STARTING,
                                  [&route] { return sg::Comm::sendto_init(route.path.from, route.path.to); });
  comm.set_payload_size(units);
  comm.start();
}

// SimGrid is not through with the ending activity before this returns: only afterwards may it run again.
void Activities::completed(const sg::Activity& activity) {
  Running& running = *activity.get_data<Running>();
  done_(running.token);
  running.idle->push_back(&running);
}

}  // namespace spillway
