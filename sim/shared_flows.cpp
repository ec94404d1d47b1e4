#include "sim/shared_flows.h"

#include <dlfcn.h>

#include <utility>

#include "base/error.h"

using spillway::FlowEngine;
using spillway::Routes;

// Null where SimGrid's part is not linked in. Its name says of which build it is (sim/CMakeLists.txt).
extern "C" FlowEngine* SPILLWAY_SIMGRID_FLOWS(const Routes& routes) __attribute__((weak));

namespace spillway {
namespace {

using MakeFlows = decltype(&SPILLWAY_SIMGRID_FLOWS);

constexpr const char* kModule = "libspillway-simgrid.so";

// The loader looks beside the program, and in lib/spillway (CMAKE_INSTALL_RPATH).
MakeFlows in_module() {
  void* const module = dlopen(kModule, RTLD_NOW | RTLD_LOCAL);
  void* const made = module ? dlsym(module, SPILLWAY_SIMGRID_FLOWS_NAME) : nullptr;
  if (made) return reinterpret_cast<MakeFlows>(made);
  const char* const why = dlerror();
  throw InputError(
      {{kModule, "/", "SimGrid's part of this build of the program (the engine longest-path needs none)",
        why ? why : "nothing of that name"}});
}

MakeFlows simgrid_flows() {
  static const MakeFlows make = SPILLWAY_SIMGRID_FLOWS ? SPILLWAY_SIMGRID_FLOWS : in_module();
  return make;
}

}  // namespace

void load_simgrid() {
  simgrid_flows();
}

void SharedFlows::serve(RunWithFlows run) {
  ensure(!any(), "one run at a time");
  run_ = std::move(run);
  if (engine_) engine_->serve(run_);
}

void SharedFlows::start(Route& route, Bytes bytes, ActivityToken token) {
  if (!engine_) {
    engine_.reset(simgrid_flows()(routes_));
    engine_->serve(run_);
  }
  engine_->start(route, bytes, token);
}

}  // namespace spillway
