// Orders within the room of their ranks (PassNeeds::room), without a list schedule: small changes stay small.
//
// A change may let a rank hold more than it has room for. Then passes that take room are delayed, each until
// passes behind it have given enough back, and until the microbatches before it can still end
// (schedule/room_on_ranks.h).
//
//   room for 2   F1 F2 F3 B1 B2 B3   becomes   F1 F2 B1 F3 B2 B3
//
// Cost: O(passes), and a question of RoomOnRanks for each pass of a rank that holds too much. Private to
// src/synthesize.
#pragma once

#include "synthesize/pass_needs.h"

namespace spillway {

// Returns true if no rank holds more than this share of its room.
bool keeps_room(const PassNeeds& needs, const PassSequences& sequences, double share = 1);

// Delays passes of the ranks that hold too much. Where that does not help, or where it makes passes wait for
// each other, the sequences that it returns keep no room or do not run.
PassSequences within_room(const PassNeeds& needs, PassSequences sequences, double share = 1);

}  // namespace spillway
