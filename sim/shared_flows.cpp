#include "sim/shared_flows.h"

#include <dlfcn.h>

#include <utility>

#include "base/error.h"

using spillway::FlowEngine;
using spillway::Routes;

// Null where SimGrid's part is not linked in.
extern "C" FlowEngine* spillway_simgrid_flows(const Routes& routes) __attribute__((weak));

namespace spillway {
namespace {

using MakeFlows = decltype(&spillway_simgrid_flows);

constexpr const char* kModule = "libspillway-simgrid.so";

// The loader looks where the program's run path says: beside it in a build folder, in lib/spillway otherwise.
MakeFlows in_module() {
  void* const module = dlopen(kModule, RTLD_NOW | RTLD_LOCAL);
  void* const made = module ? dlsym(module, "spillway_simgrid_flows") : nullptr;
  if (made) return reinterpret_cast<MakeFlows>(made);
  throw InputError(
      {{kModule, "/",
        "SimGrid's part of the program, for flows that share links (--engine longest-path needs none)",
        dlerror()}});
}

MakeFlows simgrid_flows() {
  static const MakeFlows make = spillway_simgrid_flows ? spillway_simgrid_flows : in_module();
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

void SharedFlows::start(Route& route, Bytes bytes, Token token) {
  if (!engine_) {
    engine_.reset(simgrid_flows()(routes_));
    engine_->serve(run_);
  }
  engine_->start(route, bytes, token);
}

}  // namespace spillway
