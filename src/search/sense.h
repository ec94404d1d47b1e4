// Layouts that nobody would run. The search leaves them out, unless the job asks for all of them
// (/search/all, `plan --all`). A list of /search is searched as it stands: a rule holds only where the lists
// of the values that it is about are left out.
//
//   rule             leaves out                                              holds without a list of
//   one replica      1 replica of more than 16 pipeline ranks                ranks
//   bubble           fewer microbatches than pipeline ranks                  ranks, microbatch_sequences
//   shared sequence  context parallel devices beside microbatches of         context, microbatch_sequences
//                    several sequences
//   one rank         regions transposed on one rank, over the same samples   schedules
//   nothing again    recomputation where no block's backward follows it      recompute
//   nothing saved    selective recomputation where attention is fused        recompute
//
// Fewer microbatches than ranks leave at least half of a plain pipeline's step empty. One rank computes an
// encoder before its pipeline or in it: the work is the same. Selective recomputation drops the scores that
// attention keeps; fused attention keeps none, so a step takes as much memory, and longer
// (cost/slabs/slab_memory.h). Test: tests/search/sense_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "search/layout_rules.h"
#include "search/search.h"

namespace spillway {

// Returns the rule by which a legal layout of the job is left out; nothing if it is searched. It takes no
// account of JobSearch::all.
std::optional<BrokenRule> without_sense(const PlanJob& job, const PlanLayout& layout);

// The legal layouts that are searched, and the number of those that are left out.
struct SearchedLayouts {
  std::vector<PlanLayout> layouts;
  std::size_t left_out = 0;
};
// Throws as legal_layouts() does, if more than `most` are searched.
SearchedLayouts searched_layouts(const PlanJob& job, std::size_t most = kMostLayouts);

// Returns the job with all legal layouts searched.
PlanJob of_all_layouts(PlanJob job);

// "; left out by sense: 12 layouts, --all searches them". Empty if none is.
std::string left_out_text(const SearchCounts& counts);

}  // namespace spillway
