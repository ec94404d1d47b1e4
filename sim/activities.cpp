#include "sim/activities.h"

#include <simgrid/s4u/Activity.hpp>

namespace spillway {
namespace sg = simgrid::s4u;

Activities::Activities() {
  // SimGrid keeps callbacks for the life of the process.
  static const bool listening = [] {
    sg::Activity::on_completion_cb([](const sg::Activity& activity) {
      Running& running = *activity.get_data<Running>();
      running.owner->completed(running);
    });
    return true;
  }();
  static_cast<void>(listening);
}

// An activity that ran here before or a new one, to be given its amount and started.
template <class Make>
Activities::Running& Activities::take(std::vector<Running*>& idle, Token token, Make make) {
  if (idle.empty()) {
    Running& made = all_.emplace_back(Running{make(), this, token, &idle});
    made.activity->set_data(&made);
    return made;
  }
  Running& running = *idle.back();
  idle.pop_back();
  running.token = token;
  return running;
}

void Activities::compute(Device& device, double seconds, Token token) {
  Running& running = take(device.idle, token, [&device] {
    sg::ExecPtr made = sg::Exec::init();
    made->set_host(device.host);
    return made;
  });
  auto& exec = static_cast<sg::Exec&>(*running.activity);
  exec.set_state(sg::Activity::State::INITED);
  exec.set_flops_amount(seconds);
  exec.start();
}

void Activities::flow(Route& route, std::uint64_t units, Token token) {
  Running& running =
      take(route.idle, token, [&route] { return sg::Comm::sendto_init(route.path.from, route.path.to); });
  auto& comm = static_cast<sg::Comm&>(*running.activity);
  comm.set_state(sg::Activity::State::STARTING);
  comm.set_payload_size(units);
  comm.start();
}

// SimGrid is not through with the ending activity before this returns: only afterwards may it run again.
void Activities::completed(Running& running) {
  done_(running.token);
  running.idle->push_back(&running);
}

}  // namespace spillway
