// The output of `derive --check`: whether a program can block for ever, and where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "program/deadlock.h"

namespace spillway {

// How sends behave: buffers for each ordered pair of ranks; none: without bound.
using SendBuffers = std::optional<std::uint32_t>;

// spillway/check/1 (`spillway schema check`).
std::string check_json(const Program& program, SendBuffers buffers, const BlockingCheck& check);

// One sentence, and a line for each action of the cycle.
std::string check_text(const Program& program, SendBuffers buffers, const BlockingCheck& check);

}  // namespace spillway
