// Changed layouts in the cells and lines of tables. Private to src/ask.
#pragma once

#include <string>
#include <vector>

#include "ask/way.h"

namespace spillway {

// "TP 8 instead of 4, R 2", with the number of devices if it is another.
std::string change_words(const LayoutChange& change, const PlanLayout& from);

std::string memory_cell(const LayoutTrial& trial);  // in GB
std::string fits_cell(const LayoutTrial& trial);

// One line for each change that cannot be evaluated, with the reason.
std::string impossible_lines(const std::vector<TriedLayout>& all, const PlanLayout& from);

}  // namespace spillway
