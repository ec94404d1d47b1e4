#include "search/sense.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/text.h"
#include "cost/layers/architecture.h"
#include "cost/slabs/gradients.h"
#include "json/content_digest.h"
#include "json/word_of.h"

namespace spillway {
namespace {

constexpr std::uint32_t kMostRanksOfOneReplica = 16;

struct SenseRule {
  bool (*holds)(const JobSearch& search);  // no list names the values
  bool (*breaks)(const PlanJob& job, const PlanLayout& layout);
  const char* key;
  const char* expected;
  std::string (*found)(const PlanLayout& layout);
};

bool transposes_on_one_rank(const PlanJob& job, const PlanLayout& layout) {
  const std::vector<ScheduleChoice>& all = job.search.schedules;
  const ScheduleChoice& own = all[layout.schedule];
  return layout.ranks == 1 && transposes(own.schedule) && !own.moves_samples &&
         !transposes(all.front().schedule);
}

bool computes_nothing_again(const PlanJob& job, const PlanLayout& layout) {
  if (layout.recompute == Recompute::None) return false;
  const Model& model = job.clusters[layout.cluster].base.model;
  for (std::size_t block = 0; block < model.blocks().size(); ++block)
    if (!job.states_recompute[block] && gradients_of(model, block).any()) return false;
  return true;
}

// Encoders and generators have fused attention alone.
bool keeps_scores(const Architecture& architecture) {
  const auto* text = std::get_if<TextModel>(&architecture);
  return text && !text->fused_attention;
}

bool saves_nothing(const PlanJob& job, const PlanLayout& layout) {
  if (layout.recompute != Recompute::Selective) return false;
  const std::vector<BlockCosts>& blocks = job.clusters[layout.cluster].analytic().costs.blocks;
  for (std::size_t block = 0; block < blocks.size(); ++block)
    if (!job.states_recompute[block] && keeps_scores(blocks[block].architecture)) return false;
  return true;
}

bool lists_no_recompute(const JobSearch& search) {
  return !search.recompute;
}

std::string recompute_of(const PlanLayout& layout) {
  return std::string(word_of(kRecomputes, layout.recompute));
}

constexpr std::array<SenseRule, 6> kSenseRules{{
    {[](const JobSearch& search) { return !search.ranks; },
     [](const PlanJob&, const PlanLayout& one) {
       return one.replicas == 1 && one.ranks > kMostRanksOfOneReplica;
     },
     "R", "several replicas of more than 16 pipeline ranks",
     [](const PlanLayout&) { return std::string("1"); }},
    {[](const JobSearch& search) { return !search.ranks && !search.microbatch; },
     [](const PlanJob&, const PlanLayout& one) { return one.microbatches < one.ranks; }, "M",
     "as many microbatches as pipeline ranks, or more",
     [](const PlanLayout& one) { return std::to_string(one.microbatches); }},
    {[](const JobSearch& search) { return !search.context && !search.microbatch; },
     [](const PlanJob&, const PlanLayout& one) { return one.context > 1 && one.microbatch > 1; }, "mb",
     "1 where context parallel devices share sequences out",
     [](const PlanLayout& one) { return std::to_string(one.microbatch); }},
    {[](const JobSearch& search) { return search.usual; }, transposes_on_one_rank, "schedule",
     "no transposed regions on one rank",
     [](const PlanLayout&) { return std::string("a transposed region"); }},
    {lists_no_recompute, computes_nothing_again, "recompute",
     "none, since no block has a backward that would compute it again", recompute_of},
    {lists_no_recompute, saves_nothing, "recompute",
     "none, alternate or full, since fused attention keeps no scores to be computed again", recompute_of},
}};

}  // namespace

std::optional<BrokenRule> without_sense(const PlanJob& job, const PlanLayout& layout) {
  for (const SenseRule& rule : kSenseRules)
    if (rule.holds(job.search) && rule.breaks(job, layout))
      return BrokenRule{rule.key, std::string(rule.expected) + ", or --all", rule.found(layout)};
  return std::nullopt;
}

// A store's outcomes are those of its layouts by their numbers, so another search is another job.
PlanJob of_all_layouts(PlanJob job) {
  if (job.search.all) return job;
  job.search.all = true;
  job.identity = to_string(digest_of(job.identity + "\nall"));
  return job;
}

std::string left_out_text(const SearchCounts& counts) {
  if (counts.left_out == 0) return "";
  return "; left out by sense: " + counted(counts.left_out, "layout") + ", --all searches them";
}

}  // namespace spillway
