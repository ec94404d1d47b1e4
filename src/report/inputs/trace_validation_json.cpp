#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/number.h"
#include "json/dumped.h"
#include "report/inputs/notes_json.h"
#include "report/inputs/trace_validation.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

// A step whose name in the file is a number is a number here, too.
Json step_json(const std::string& step) {
  const auto number = number_from<std::int64_t>(step);
  return number ? Json(*number) : Json(step);
}

Json seconds_or_null(const std::optional<Seconds>& t) {
  return t ? Json(t->value()) : Json(nullptr);
}

Json components_json(const Components& parts) {
  return {{"compute_s", parts.compute.value()},
          {"transfer_s", parts.transfer.value()},
          {"collective_s", parts.collective.value()},
          {"wait_s", parts.wait.value()},
          {"host_gap_s", parts.host_gap.value()}};
}

Json rank_json(std::size_t rank, const RankComponents& parts) {
  return {{"rank", rank},
          {"measured", components_json(parts.measured)},
          {"replayed", components_json(parts.replayed)},
          {"model", parts.model ? components_json(*parts.model) : Json(nullptr)}};
}

Json case_json(const ValidatedStep& one) {
  Json ranks = Json::array();
  for (std::size_t rank = 0; rank < one.ranks.size(); ++rank)
    ranks.push_back(rank_json(rank, one.ranks[rank]));
  return {{"step", step_json(one.step)},
          {"replica", one.replica.index()},
          {"measured_s", one.measured.value()},
          {"replayed_s", one.replayed.value()},
          {"constant_transfer_s", one.constant_transfer.value()},
          {"means_only_s", one.means_only.value()},
          {"means_per_replica_s", one.means_per_replica.value()},
          {"other_mode_s", one.other_mode.value()},
          {"model_s", seconds_or_null(one.model)},
          {"ranks", ranks}};
}

Json errors_json(const ErrorSummary& errors) {
  return {{"mean_abs_error", errors.mean_absolute},
          {"max_abs_error", errors.most_absolute},
          {"bias", errors.bias}};
}

Json summary_json(const Validation& validation) {
  const auto of = [&](Seconds ValidatedStep::*replay) {
    return errors_json(span_errors(validation, replay));
  };
  const auto model = model_errors(validation);
  return {{"replayed", of(&ValidatedStep::replayed)},
          {"constant_transfer", of(&ValidatedStep::constant_transfer)},
          {"means_only", of(&ValidatedStep::means_only)},
          {"means_per_replica", of(&ValidatedStep::means_per_replica)},
          {"other_mode", of(&ValidatedStep::other_mode)},
          {"model", model ? errors_json(*model) : Json(nullptr)}};
}

Json kernels_json(const std::vector<MeanPass>& passes) {
  Json all = Json::array();
  for (const MeanPass& pass : passes)
    all.push_back({{"rank", pass.rank},
                   {"stage", pass.stage},
                   {"pass", to_string(pass.kind)},
                   {"passes", pass.passes},
                   {"kernels", pass.kernels},
                   {"span_s", pass.span.value()},
                   {"kernel_busy_s", pass.kernel_busy.value()},
                   {"collective_s", pass.collective.value()},
                   {"host_gap_s", pass.host_gap.value()}});
  return all;
}

}  // namespace

std::string trace_validation_json(const Validation& validation) {
  Json cases = Json::array();
  for (const ValidatedStep& one : validation.cases) cases.push_back(case_json(one));
  const Json document = {
      {"schema", "spillway/validation/1"},
      {"format", validation.format},
      {"files", validation.files},
      {"schedule", validation.match.schedule},
      {"nearest_schedule", validation.match.nearest.empty() ? Json(nullptr) : Json(validation.match.nearest)},
      {"p2p", to_string(validation.transfers.point_to_point)},
      {"sends", validation.transfers.sends},
      {"computing_while_sending", validation.transfers.computing_share},
      {"typical_transfer_s", validation.typical_transfer.value()},
      {"ranks", validation.ranks},
      {"stages", validation.stages},
      {"microbatches", validation.microbatches},
      {"replicas", validation.replicas},
      {"cases", cases},
      {"summary", summary_json(validation)},
      {"kernels", kernels_json(validation.kernels)},
      {"what_if", nullptr},  // no longer computed; a format loses no key (docs/formats.md)
      {"notes", notes_json(validation.notes)}};
  return dumped(document, 2) + '\n';
}

}  // namespace spillway
