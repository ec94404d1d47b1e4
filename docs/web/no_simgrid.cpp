// In place of sim/replay.cpp: SimGrid is no library of headers, and is not compiled for browsers.
#include "base/error.h"
#include "sim/replay.h"

namespace spillway {

struct Replay::Simulation {};

Replay::Replay(const Fabric&) {
  throw InputError({{"--engine", "/", "longest-path or max-plus", "simgrid, which this build has none of"}});
}
Replay::~Replay() = default;

Timeline Replay::run(const Derived&, const Prices&) {
  throw ContractBreach("a replay without SimGrid");
}
Timeline Replay::run(const Derived&, const Prices&, const Breakdown&) {
  throw ContractBreach("a replay without SimGrid");
}
StreamedReplay Replay::run(const OrderStream&, const Pricing&) {
  throw ContractBreach("a replay without SimGrid");
}

}  // namespace spillway
