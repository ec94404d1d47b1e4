// Passes of transposed inputs in the text of an order: the rank that runs each, and its place on that rank.
//
//   0E0,0E2,0F0,0F1,0B0,0G0,...      0E2  the forward of microbatch 2 in input 0
//   0E1,1F0,1B0,0E3,...              0G2  its backward, on the rank that ran the forward
//
// The text is that of action lists (schedule/action_list.h), with these passes between the actions of the
// listed region. Inputs count from 0, the model's first input first. Backwards that the text leaves out run
// behind the body. Test: tests/derive/listed_encodes_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "derive/derive.h"

namespace spillway {

// Owners and places of the inputs' passes, stated by a schedule instead of planned.
struct StatedEncodes {
  std::vector<OwnerMap> owners;                 // by input
  std::vector<std::vector<PlacedPass>> placed;  // by rank

  friend bool operator==(const StatedEncodes&, const StatedEncodes&) = default;
};

// A text of action lists, and the passes that were taken out of it.
struct EncodesApart {
  std::string actions;    // with an idle slot in place of each pass
  StatedEncodes encodes;  // no owners: the text has no such pass
};

// Returns the violations if a pass stands twice, a backward stands before its forward or on another rank, a
// microbatch does not exist, or an input lacks a forward. Pointers are /<rank>/<slot>, and "/". Rows behind
// the last rank are not looked at.
std::variant<EncodesApart, std::vector<Violation>> without_encodes(std::string_view text,
                                                                   const Pipeline& pipeline);

// The inverse, without idle slots. Contract: `actions` is a text of computing actions alone, and a row of it
// has as many as the passes placed on its rank count.
std::string with_encodes(std::string_view actions, const StatedEncodes& encodes);

// Returns the violations if the owners and places in `options` are not those of the schedule's inputs, or if
// passes wait for each other in a circle. Contract: check_derive finds nothing.
std::vector<Violation> check_encodes(const Model& model, const Schedule& schedule, const Cut& cut,
                                     const DeriveOptions& options);

}  // namespace spillway
