// A layout that a user asks about: an experiment, as `plan --write` writes it or of the user's own, or a
// text:
//
//   "P=8 TP=4 CP=1 EP=1 R=8 mb=1 1f1b recompute=none zero1"
//
// Keys of the text: P, TP, CP, EP, R, mb (default 1; R is by default what the devices allow), M (follows from
// the batch, may be stated), devices and cluster (needed if the job has several that fit; a cluster is given
// by its number in the job's list or a part of its platform's name), framework (as the job names it),
// recompute (default none). The other words are how data parallelism shards states (default plain) and the
// schedule (default 1f1b).
//
// An experiment gives layout, recomputation, sharding, framework, schedule and the layers of its stages. All
// else is the job's, so that the layout is compared on the same terms.
//
// If the text or the experiment names no framework of the cluster, asked_framework.h chooses one. The bound
// of ideal software is never chosen.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "search/layout.h"

namespace spillway {

struct AskedLayout {
  // With the schedules below and, behind its clusters, those under frameworks that --framework leaves out.
  PlanJob job;
  PlanLayout layout;    // in terms of `job`
  std::string words;    // the text, or the name of the file
  bool lists_schedule;  // the job searches this schedule
  // The same schedule with stages that the job plans, for other pipelines; layout.schedule itself if it has
  // no other.
  std::size_t planned;
  // Sentences: what of the job replaces what the experiment states, and why this framework was chosen.
  std::vector<std::string> notes = {};
};

// Throws InputError with every violation: of the experiment, or of "command line: --explain".
AskedLayout asked_layout(const PlanJob& job, const std::string& text);

}  // namespace spillway
