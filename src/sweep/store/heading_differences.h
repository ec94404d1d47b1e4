// In what a store is not of the sweep that was asked for. Private to src/sweep/store.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "sweep/store/result_store.h"

namespace spillway {

// One for each field, of the store at `path`; empty where the headings are equal.
std::vector<Violation> differences(const std::string& path, const SweepHeading& expected,
                                   const SweepHeading& found);

}  // namespace spillway
