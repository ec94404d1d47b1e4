// What PyTorch 2.6 asks of action lists, in the plainest form: the checks and the runtime of
// torch/distributed/pipelining/schedules.py, with stages that only count. `make test-torch` shows that lists
// which keep these rules run in PyTorch itself.
#pragma once

#include <cstdint>
#include <string>

#include "schedule/action_list.h"

namespace spillway::testing {

// Returns the first rule that the lists break, or an empty text. `with_transfers`: they are read as
// "compute_comms", else as "compute_only".
std::string broken_torch_rule(const ActionLists& lists, std::uint32_t microbatches, bool with_transfers);

}  // namespace spillway::testing
