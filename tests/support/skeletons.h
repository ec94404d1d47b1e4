// Lists every skeleton that a backbone of any job can have, with wave(1) and wave(2) for the waves.
// 1f1b-overlap needs experts and, on several ranks, several chunks; tests/schedule/overlap_test.cpp has its own.
#pragma once

#include <array>

namespace spillway::testing {

inline constexpr std::array kPipelined = {"1f1b",    "gpipe",    "zb-h1",    "zb-h2", "zb-1p",
                                          "zb-2p",   "zb-v",     "v-half",   "v-min", "wave(1)",
                                          "wave(2)", "dualpipe", "dualpipev"};

}  // namespace spillway::testing
