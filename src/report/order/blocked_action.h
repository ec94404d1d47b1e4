// The action at which a rank of a program stands, in words.
#pragma once

#include <cstddef>
#include <string>

#include "program/program.h"

namespace spillway {

// "action 12: waits until rank 0 sends the output of stage 0, microbatch 3 (post_receive 7)". Numbers are
// those of the document. Behind the last action: "all its actions are over".
std::string blocked_action(const RankProgram& of, std::size_t index);

}  // namespace spillway
