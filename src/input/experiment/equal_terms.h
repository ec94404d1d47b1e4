// Reads "equal_terms": every system of an experiment runs on the same terms. Private to src/input.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input/experiment/schedule_reader.h"
#include "systems/system.h"

namespace spillway {

// The requested terms. A term that is not requested is the most that any of the systems has. Samples move if
// those of one system do. Plans know each draw if one plan does. Chunks are those of the deepest system, as
// far as every system's layers suffice.
struct AskedTerms {
  std::optional<bool> moves_samples = {}, knows_draw = {};
  std::optional<std::uint32_t> chunks = {};
};

// Returns nothing if the key is absent or invalid.
std::optional<AskedTerms> read_equal_terms(const Fields& experiment);

// Lays every system of `schedules` out again on the same terms, and returns the terms. If there are no such
// terms, reports this at the key and returns nothing. Contract: `schedules` are as read at `places`.
std::optional<Terms> play_on_equal_terms(const AskedTerms& asked, const Place& places,
                                         const ScheduleSurroundings& around,
                                         std::vector<ScheduleSpec>& schedules);

// Replaces the terms in `options` by these, as far as the system can have them. Returns what the system
// keeps, and why.
std::vector<std::string> impose(const Terms& terms, const System& system, SystemOptions& options);

}  // namespace spillway
