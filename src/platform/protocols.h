// What a library's protocols take in one domain of switched links (NVLink through NVSwitch), for groups of
// which no sweep is given. Shares are of the tier's bandwidth between a pair. The forms that they stand in,
// and where each comes from: cost/network/protocol_forms.h.
#pragma once

#include <optional>

#include "base/quantity.h"
#include "platform/evidence.h"

namespace spillway {

// An all-reduce that the switches add up (NVLink SHARP).
struct InSwitch {
  Sourced<Seconds> once;
  Sourced<double> bandwidth;  // share
};

struct Protocols {
  Sourced<double> launch;          // of what a message takes besides a step, what a collective takes once
  Sourced<double> small;           // share that a ring reaches by the protocol of small vectors
  Sourced<Seconds> bulk_step;      // of a ring by the protocol of large vectors
  Sourced<Seconds> exchange;       // an all-to-all, once
  Sourced<double> exchange_small;  // share that it reaches with small parts
  Sourced<Seconds> exchange_bulk;  // once more with large parts, which reach all of it
  std::optional<InSwitch> in_switch = {};
};

}  // namespace spillway
