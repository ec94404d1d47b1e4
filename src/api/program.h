// A derived schedule as a program: the actions of every rank of every replica.
#pragma once

#include <cstdint>

#include "api/derive_order.h"
#include "program/program.h"

namespace spillway {

// The draw whose sizes, maps and times a program has, unless another one is asked for.
inline constexpr std::uint32_t kProgramDraw = 0;

// Throws InputError if an action moves more than kMostActionBytes. Contract: derive_order made the answer for
// DerivationFormat::Program.
Program program_of(const DeriveAnswer& answer, std::uint32_t draw = kProgramDraw);

}  // namespace spillway
