// How often a cluster's devices fail, and what a failure costs, as a user states it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/quantity.h"
#include "goodput/goodput.h"

namespace spillway {

// A failed node is repaired and becomes a spare node.
struct Repair {
  Seconds time;                          // mean, from the failure on
  std::optional<std::uint32_t> spares;   // spare nodes; if not stated, as many as `chance` needs
  double chance = 0.99;                  // share of time in which enough nodes shall work; in (0, 1)
  std::optional<std::uint32_t> devices;  // of a node; if not stated, those of the platform's smallest tier
};

struct Reliability {
  Seconds device_mtbf;              // mean time between failures that stop the run, per device
  std::string source;               // of device_mtbf
  Seconds restart;                  // from a failure until the run trains again: detection, restart, reading
  BytesPerSecond write;             // of all devices together, to where checkpoints are kept
  bool blocks = true;               // training stands still while a checkpoint is written
  Seconds stall = {};               // for each checkpoint that is written beside training
  std::optional<Seconds> interval;  // of training between checkpoints; if not stated, the best
  std::optional<Repair> repair = {};  // if not stated, a restart has all the nodes it needs
};

// Returns the run on so many devices. A checkpoint has `bytes`. Contract: devices > 0.
FailingRun failing_run(const Reliability& reliability, std::uint32_t devices, Bytes bytes);

// Returns the least number of steps between checkpoints: a checkpoint is written before the next one begins.
// Contract: step > 0.
std::uint64_t least_steps(const Reliability& reliability, Bytes bytes, Seconds step);

}  // namespace spillway
