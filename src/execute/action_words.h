// An action in words, for messages to the user.
#pragma once

#include <string>

#include "program/program.h"

namespace spillway {

// "action 12, wait for 7: post_receive of the output of stage 0, microbatch 3, from rank 0". Numbers count
// from 0, as in the document. Behind the last action: "all its actions are over".
std::string words_of(const Program& program, const RankProgram& of, std::size_t index);

}  // namespace spillway
