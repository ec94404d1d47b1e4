// What a plan calls its schedules, and which of them are one and the same. A name has one meaning: choices of
// one name differ in nothing, and a schedule that is stated twice is planned once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "search/job.h"
#include "search/layout.h"

namespace spillway {

// Gives each choice its name: its text, and where another choice of this text differs the options in which it
// does: "mpipe split joint", "mpipe split by-count". Contract: systems are laid.
void name_apart(std::vector<ScheduleChoice>& choices);

// Is it the same schedule on this pipeline, whatever it is called?
bool is_same_schedule(const ScheduleSpec& one, const ScheduleSpec& other);

// The names of later choices that are the layout's schedule on its pipeline, and so have no layout
// themselves.
std::vector<std::string> folded_names(const PlanJob& job, const PlanLayout& layout);

}  // namespace spillway
