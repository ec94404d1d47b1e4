#include <nlohmann/json.hpp>

#include "json/dumped.h"
#include "report/inputs/measured_steps.h"
#include "report/inputs/notes_json.h"
#include "report/inputs/steady_json.h"

namespace spillway {
namespace profile_documents {
namespace {

using Json = nlohmann::ordered_json;

Json inferences_json(const std::vector<Inferred>& inferences) {
  Json all = Json::array();
  for (const Inferred& one : inferences)
    all.push_back({{"what", one.what},
                   {"found", one.found},
                   {"how", one.how},
                   {"confidence", to_string(one.confidence)}});
  return all;
}

Json device_time_json(const DeviceTime& time) {
  return {{"window_s", time.window.value()},
          {"computing_s", time.computing.value()},
          {"communication_s", time.communication.value()},
          {"copies_s", time.copies.value()},
          {"host_s", time.host.value()},
          {"idle_s", time.idle.value()},
          {"all_communication_s", time.all_communication.value()}};
}

Json passes_json_of(const ProfiledStep& step) {
  Json passes = Json::array();
  for (const ProfiledPass& pass : step.passes)
    passes.push_back({{"microbatch", pass.microbatch},
                      {"direction", to_string(pass.direction)},
                      {"start_s", pass.start.value()},
                      {"span_s", pass.span.value()},
                      {"busy_s", pass.busy.value()},
                      {"kernels", pass.kernels}});
  return passes;
}

Json profiled_steps_json(const ProfiledRank& rank) {
  Json steps = Json::array();
  for (const ProfiledStep& step : rank.steps)
    steps.push_back({{"name", step.name},
                     {"time_s", step.time.value()},
                     {"whole", step.whole},
                     {"device", device_time_json(step.device)},
                     {"passes", passes_json_of(step)}});
  return steps;
}

Json collectives_json_of(const ProfiledRank& rank) {
  Json uses = Json::array();
  for (const CollectiveUse& use : rank.collectives)
    uses.push_back({{"operation", use.operation},
                    {"devices", use.devices > 0 ? Json(use.devices) : Json(nullptr)},
                    {"group", use.group.empty() ? Json(nullptr) : Json(use.group)},
                    {"direction", to_string(use.phase)},
                    {"count", use.count},
                    {"time_s", use.time.value()},
                    {"bytes", use.bytes ? Json(use.bytes->value()) : Json(nullptr)}});
  return uses;
}

Json layers_json_of(const ProfiledRank& rank) {
  Json all = Json::array();
  for (const ProfiledLayers& one : rank.layers)
    all.push_back({{"direction", to_string(one.direction)},
                   {"layers", one.layers},
                   {"kernels", one.kernels},
                   {"busy_s", one.busy.value()},
                   {"share", one.share}});
  return all;
}

Json profiled_ranks_json(const JobProfile& job) {
  Json ranks = Json::array();
  for (const ProfiledRank& rank : job.ranks)
    ranks.push_back({{"rank", rank.rank},
                     {"file", rank.file},
                     {"device", rank.device.empty() ? Json(nullptr) : Json(rank.device)},
                     {"work_of", rank.of_the_host ? "host" : "device"},
                     {"time", device_time_json(rank.time)},
                     {"steps", profiled_steps_json(rank)},
                     {"collectives", collectives_json_of(rank)},
                     {"layers", layers_json_of(rank)},
                     {"inferences", inferences_json(rank.inferences)}});
  return ranks;
}

}  // namespace
}  // namespace profile_documents

std::string profile_json(const JobProfile& job, const std::vector<HeldStep>& predicted) {
  using namespace profile_documents;
  const Json document = {{"schema", "spillway/profile/1"},
                         {"format", "kineto"},
                         {"files", job.files},
                         {"processes", job.processes},
                         {"inferences", inferences_json(job.inferences)},
                         {"ranks", profiled_ranks_json(job)},
                         {"steady", job.steps ? steady_json(*job.steps) : Json(nullptr)},
                         {"slow_ranks", job.slow_ranks},
                         {"predictions", predictions_json(predicted)},
                         {"notes", notes_json(job.notes)}};
  return dumped(document, 2) + '\n';
}

}  // namespace spillway
