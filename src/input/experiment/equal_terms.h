// "equal_terms": every system of an experiment on the same terms. Private to src/input.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input/experiment/schedule_reader.h"
#include "systems/system.h"

namespace spillway {

// As they are asked for; what is not is the most that any of the systems has: samples move if those of one
// do, plans know each draw if one does, and chunks are those of the deepest, as far as every system's layers
// suffice.
struct AskedTerms {
  std::optional<bool> moves_samples = {}, knows_draw = {};
  std::optional<std::uint32_t> chunks = {};
};

// Nothing where the key is absent, or not what it should be.
std::optional<AskedTerms> read_equal_terms(const Fields& experiment);

// Lays every system of `schedules` out again on the same terms, which it returns; nothing where there are
// none to be had, which is reported at the key. Contract: `schedules` are as they were read at `places`.
std::optional<Terms> play_on_equal_terms(const AskedTerms& asked, const Place& places,
                                         const ScheduleSurroundings& around,
                                         std::vector<ScheduleSpec>& schedules);

// The options with these terms in place of their own, as far as the system can have them; and what it keeps,
// and why.
std::vector<std::string> impose(const Terms& terms, const System& system, SystemOptions& options);

}  // namespace spillway
