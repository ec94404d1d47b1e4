#include "input/experiment/work_reader.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "input/experiment/workload_reader.h"

namespace spillway {
namespace {

std::optional<std::vector<double>> read_factors(const Place& place, const std::optional<Pipeline>& pipeline) {
  auto factors = read_each(place, [](const Place& p) { return read_number(p, kNotNegative); });
  if (factors && pipeline && factors->size() != pipeline->microbatches) {
    place.refuse("a list of " + std::to_string(pipeline->microbatches) + ", one factor per microbatch");
    return std::nullopt;
  }
  return factors;
}

using Factors = std::vector<std::vector<double>>;  // [replica][microbatch]

std::optional<Factors> read_replica_factors(const Place& place, const std::optional<Pipeline>& pipeline) {
  auto work = read_each(place, [&](const Place& p) { return read_factors(p, pipeline); });
  if (work && pipeline && work->size() != pipeline->replicas) {
    place.refuse("a list of " + std::to_string(pipeline->replicas) + ", one list of factors per replica");
    return std::nullopt;
  }
  return work;
}

// One list serves all replicas.
std::optional<Factors> read_work_list(const Place& place, const std::optional<Pipeline>& pipeline) {
  const auto* list = std::get_if<List>(&place.node->value);
  const bool by_replica = list && !list->empty() && std::holds_alternative<List>(list->front().value);
  if (by_replica) return read_replica_factors(place, pipeline);
  const auto factors = read_factors(place, pipeline);
  if (!factors) return std::nullopt;
  return Factors(pipeline ? pipeline->replicas : 1, *factors);
}

std::optional<PassFactors> read_pair(const Place& place) {
  const auto pair = read_each(place, [](const Place& p) { return read_number(p, kNotNegative); });
  if (!pair) return std::nullopt;
  if (pair->size() == 2) return PassFactors{pair->front(), pair->back()};
  place.refuse("two factors: one for the forward and one for the backward");
  return std::nullopt;
}

// A list that is not empty, each element through `read`.
template <class Read>
auto read_some(const Place& place, const char* what, Read read) -> decltype(read_each(place, read)) {
  auto list = read_each(place, read);
  if (!list || !list->empty()) return list;
  place.refuse(std::string("at least one ") + what);
  return std::nullopt;
}

std::optional<std::vector<PassFactors>> read_replica(const Place& place) {
  return read_some(place, "microbatch", read_pair);
}

std::optional<std::vector<std::vector<PassFactors>>> read_step(const Place& place) {
  return read_some(place, "replica", read_replica);
}

std::optional<MeasuredWork> read_measured(const Place& place) {
  auto steps = read_some(place, "step", read_step);
  if (!steps) return std::nullopt;
  const std::size_t microbatches = steps->front().front().size();
  for (std::size_t step = 0; step < steps->size(); ++step) {
    for (std::size_t replica = 0; replica < (*steps)[step].size(); ++replica) {
      const std::size_t found = (*steps)[step][replica].size();
      if (found == microbatches) continue;
      place.findings->add(child(child(place.pointer, std::to_string(step)), std::to_string(replica)),
                          "as many microbatches as the first list has, " + std::to_string(microbatches),
                          std::to_string(found));
    }
  }
  return steps;
}

bool same_shape(const MeasuredWork& a, const MeasuredWork& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.size() == y.size() && x.front().size() == y.front().size();
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

// Work is stated, or drawn from one of two sources.
void refuse_second_source(const Fields& block) {
  std::vector<const char*> others = {"work_per_microbatch", "backward_work_per_microbatch", "measured_work"};
  for (const char* source : {"image_work", "measured_work"}) {
    if (!block.at(source)) continue;
    for (const char* other : others)
      if (other != std::string_view(source)) block.forbid(other, std::string("no such key beside ") + source);
    return;
  }
}

}  // namespace

Work read_work(const Fields& block, const std::optional<Pipeline>& pipeline) {
  const auto read_list = [&](const Place& p) { return read_work_list(p, pipeline); };
  Work work;
  work.forward = block.get("work_per_microbatch", read_list).value_or(Factors());
  work.backward = block.get("backward_work_per_microbatch", read_list).value_or(Factors());
  work.measured = block.get("measured_work", read_measured).value_or(MeasuredWork());
  work.images = block.get("image_work", read_image_work);
  refuse_second_source(block);
  return work;
}

void check_measured_together(const Fields& experiment, const GivenCosts& costs) {
  const MeasuredWork* first = nullptr;
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    const MeasuredWork& measured = costs.blocks[i].measured_work;
    if (measured.empty()) continue;
    if (!first) first = &measured;
    if (same_shape(measured, *first)) continue;
    experiment.findings().add("/model/blocks/" + std::to_string(i) + "/measured_work",
                              "as many steps, replicas and microbatches as the first block that has it",
                              "others");
  }
}

}  // namespace spillway
