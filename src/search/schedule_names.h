// The schedules of a plan: the usual ones, their names, and equal ones. A name has one meaning: choices with
// one name are equal in everything. A schedule that is stated twice is planned once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "search/job.h"
#include "search/layout.h"

namespace spillway {

// Lays out a system on a minimal pipeline, to find what its schedule has on every pipeline. It has
// at least two microbatches per rank, and as many as the system takes at once.
std::vector<Violation> lay_out(ScheduleChoice& choice, const Model& model);

// Gives each choice its name. The name is its text, with the options in which other choices of this text
// differ: "mpipe split joint", "mpipe split by-count". Interleaved 1F1B of 8 chunks is "1f1b x8". Contract:
// systems are laid out.
void name_apart(std::vector<ScheduleChoice>& choices);

// Returns true if both are the same schedule on this pipeline, whatever their names.
bool is_same_schedule(const ScheduleSpec& one, const ScheduleSpec& other);

// Returns the names of later choices that equal the layout's schedule on its pipeline, and so have no layout
// of their own.
std::vector<std::string> folded_names(const PlanJob& job, const PlanLayout& layout);

}  // namespace spillway
