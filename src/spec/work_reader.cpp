#include "spec/work_reader.h"

#include <algorithm>
#include <cstddef>
#include <utility>

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
  place.refuse("two factors, of the forward and of the backward");
  return std::nullopt;
}

std::optional<std::vector<PassFactors>> read_case(const Place& place) {
  auto microbatches = read_each(place, read_pair);
  if (!microbatches || !microbatches->empty()) return microbatches;
  place.refuse("at least one microbatch");
  return std::nullopt;
}

std::optional<MeasuredWork> read_measured(const Place& place) {
  auto cases = read_each(place, read_case);
  if (!cases) return std::nullopt;
  if (cases->empty()) place.refuse("at least one case");
  for (std::size_t i = 1; i < cases->size(); ++i) {
    if ((*cases)[i].size() == cases->front().size()) continue;
    place.findings->add(child(place.pointer, std::to_string(i)),
                        "as many microbatches as in case 0, " + std::to_string(cases->front().size()),
                        std::to_string((*cases)[i].size()));
  }
  return cases;
}

std::string shape(const MeasuredWork& measured) {
  return std::to_string(measured.size()) + " cases of " + std::to_string(measured.front().size()) +
         " microbatches";
}

}  // namespace

Work read_work(const Fields& block, const std::optional<Pipeline>& pipeline) {
  const auto read_list = [&](const Place& p) { return read_work_list(p, pipeline); };
  Work work;
  work.forward = block.get("work_per_microbatch", read_list).value_or(Factors());
  work.backward = block.get("backward_work_per_microbatch", read_list).value_or(Factors());
  if (!block.at("measured_work")) return work;
  for (const char* key : {"work_per_microbatch", "backward_work_per_microbatch"})
    block.forbid(key, "no such key where there is measured_work");
  work.measured = block.get("measured_work", read_measured).value_or(MeasuredWork());
  return work;
}

void check_measured_together(const Fields& experiment, const GivenCosts& costs) {
  const MeasuredWork* first = nullptr;
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    const MeasuredWork& measured = costs.blocks[i].measured_work;
    if (measured.empty()) continue;
    if (!first) first = &measured;
    if (shape(measured) == shape(*first)) continue;
    experiment.findings().add("/model/blocks/" + std::to_string(i) + "/measured_work",
                              shape(*first) + ", as in the first block that has it", shape(measured));
  }
}

}  // namespace spillway
