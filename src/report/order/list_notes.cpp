#include "report/order/list_notes.h"

#include <algorithm>
#include <string_view>

#include "report/order/torch_stages.h"

namespace spillway {
namespace {

std::string_view because(NoStage reason) {
  switch (reason) {
    case NoStage::SeveralRanks:
      return "several ranks own its microbatches, and a stage of torch.distributed.pipelining is on one rank";
    case NoStage::BesideAnother:
      return "it stands beside another tower, and a stage of torch.distributed.pipelining takes what the one "
             "before it makes";
    case NoStage::OutOfOrder:
      return "it takes microbatches out of order, and a stage of torch.distributed.pipelining takes 0, 1, 2, ...";
    case NoStage::OtherSamples:
      return "it computes samples of other microbatches, and a stage of torch.distributed.pipelining computes its "
             "own";
    case NoStage::NextStep:
      return "it works for the next step, and torch.distributed.pipelining runs every step by itself";
    case NoStage::InsidePasses:
      return "its passes run while others communicate, and torch.distributed.pipelining runs one at a time";
  }
  throw ContractBreach("unknown reason");
}

std::string note_of_left_out(const Region& region, NoStage reason) {
  return "the lists leave out the work of transposed region " + region.name + ": " +
         std::string(because(reason)) +
         "; to run the rest, give this file as the order_file of a \"transpose,listed\" schedule";
}

// Names the stages of a transposed region and their rank.
std::string note_of_stages(const Derived& derived, const TorchStages& stages, RegionId region) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < derived.stages.size(); ++i)
    if (derived.stages[i].region == region && stages.numbers[i]) numbers.push_back(*stages.numbers[i]);
  const auto [first, last] = std::minmax_element(numbers.begin(), numbers.end());
  const std::string rank = std::to_string(stages.stages[*first].rank.index());
  return "transposed region " + derived.regions[region.index()].name +
         (numbers.size() == 1 ? " is stage " + std::to_string(*first)
                              : " is stages " + std::to_string(*first) + " to " + std::to_string(*last)) +
         " of the lists, because rank " + rank + " alone computes it";
}

bool fuses_passes(const Derived& derived) {
  const auto events = derived.order.events();
  return std::any_of(events.begin(), events.end(),
                     [](const Event& event) { return event.kind == EventKind::ForwardBackward; });
}

bool out_of_order(const TorchStages& stages) {
  return std::any_of(stages.stages.begin(), stages.stages.end(), [](const auto& s) { return !s.in_order; });
}

bool idles_a_rank(const Derived& derived, const TorchStages& stages) {
  std::vector<bool> holds(derived.pipeline.ranks);
  for (const TorchStage& stage : stages.stages) holds[stage.rank.index()] = true;
  return !stages.stages.empty() && std::find(holds.begin(), holds.end(), false) != holds.end();
}

void add_of_regions(std::vector<std::string>& notes, const Derived& derived, const TorchStages& stages) {
  for (std::uint32_t i = 0; i < derived.regions.size(); ++i) {
    if (derived.placement[i].layout != Layout::Replicated) continue;
    notes.push_back(stages.left_out[i] ? note_of_left_out(derived.regions[i], *stages.left_out[i])
                                       : note_of_stages(derived, stages, RegionId(i)));
  }
}

}  // namespace

std::vector<std::string> list_notes(const Derived& derived, bool reordered) {
  const TorchStages stages = torch_stages(derived);
  std::vector<std::string> notes;
  add_of_regions(notes, derived, stages);
  if (stages.need_transfers())
    notes.push_back(
        "some stages run no backward, so the lists have the transfers: PyTorch loads them as "
        "\"compute_comms\", and order_file refuses them");
  if (stages.copies)
    notes.push_back(
        "the second copy of stage s has number ranks + s; neither PyTorch nor order_file, which take one "
        "copy "
        "of each stage, takes these lists");
  else if (out_of_order(stages))
    notes.push_back("a stage takes microbatches out of order, which torch.distributed.pipelining cannot");
  if (idles_a_rank(derived, stages))
    notes.push_back("a rank has no stage of the lists, and torch.distributed.pipelining gives one to each");
  if (fuses_passes(derived)) notes.push_back("PyTorch 2.6 does not read OVERLAP_F_B; later versions do");
  if (reordered)
    notes.push_back(
        "microbatches are numbered in the order in which they run; an order_file runs them in the order in "
        "which they are sampled");
  return notes;
}

}  // namespace spillway
