// Test: tests/launch/write_job_test.cpp.
#include "launch/write/frameworks.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "launch/command/json_members.h"
#include "launch/write/bridge.h"
#include "launch/write/megatron.h"
#include "launch/write/mindspeed.h"
#include "launch/write/mm.h"
#include "launch/write/swift.h"
#include "launch/write/titan.h"
#include "launch/write/trainer.h"

namespace spillway {

const std::vector<LaunchWriter>& launch_writers() {
  static const std::vector<LaunchWriter> kWriters{
      {LaunchFramework::MegatronLm, "megatron-lm", "Megatron-LM", "core 0.20.0 (d98e8a64dd)", write_megatron},
      {LaunchFramework::MegatronBridge, "megatron-bridge", "Megatron-Bridge", "0.7.0 (067f987df0)",
       write_bridge},
      {LaunchFramework::MegatronSwift, "megatron-swift", "Megatron-SWIFT", "4.6.0.dev0 (3602360a56)",
       write_swift},
      {LaunchFramework::Torchtitan, "torchtitan", "torchtitan", "v0.2.2 (73a0e6979d)", write_titan},
      {LaunchFramework::Accelerate, "accelerate", "accelerate", "1.15.0.dev0 (16cb6eb80d)", write_accelerate},
      {LaunchFramework::DeepSpeed, "deepspeed", "DeepSpeed", "0.19.6", write_deepspeed},
      {LaunchFramework::MindSpeedLlm, "mindspeed-llm", "MindSpeed-LLM", "26.1.0 (c77308a14b)",
       write_mindspeed},
      {LaunchFramework::MindSpeedMm, "mindspeed-mm", "MindSpeed-MM", "26.1.0 (57069cd55a)", write_mm},
  };
  return kWriters;
}

const LaunchWriter& launch_writer(LaunchFramework framework) {
  const auto found = std::ranges::find(launch_writers(), framework, &LaunchWriter::framework);
  ensure(found != launch_writers().end(), "every framework has a writer");
  return *found;
}

std::optional<LaunchFramework> launch_framework(std::string_view name) {
  const auto found = std::ranges::find(launch_writers(), name, &LaunchWriter::name);
  return found == launch_writers().end() ? std::nullopt : std::optional(found->framework);
}

std::string launch_framework_names() {
  std::vector<std::string_view> names;
  for (const LaunchWriter& writer : launch_writers()) names.push_back(writer.name);
  return joined(names);
}

namespace {

using Readers = std::pair<std::string_view, std::vector<LaunchFramework>>;

// By the beginning of a software's name; the longer of two comes first.
const std::vector<Readers>& readers() {
  static const std::vector<Readers> kReaders{
      {"Megatron-LM", {LaunchFramework::MegatronLm}},
      {"Megatron-Bridge", {LaunchFramework::MegatronBridge}},
      {"Megatron-SWIFT", {LaunchFramework::MegatronSwift}},
      {"NeMo AutoModel", {}},
      {"NeMo", {LaunchFramework::MegatronBridge, LaunchFramework::MegatronLm}},
      {"torchtitan", {LaunchFramework::Torchtitan}},
      {"Hugging Face, FSDP2", {LaunchFramework::Accelerate}},
      {"Hugging Face, DeepSpeed", {LaunchFramework::DeepSpeed}},
      {"DeepSpeed", {LaunchFramework::DeepSpeed}},
      {"MindSpeed-MM", {LaunchFramework::MindSpeedMm}},
      {"MindSpeed", {LaunchFramework::MindSpeedLlm}}};
  return kReaders;
}

LaunchAnswer written(const LaunchJob& job, LaunchFramework framework) {
  const LaunchWriter& writer = launch_writer(framework);
  LaunchAnswer answer = writer.write(job, writer.software());
  auto* launch = std::get_if<WrittenLaunch>(&answer);
  if (!launch) return answer;
  if (job.parallel.tensor > 1 && job.parallel.tensor_overlap == TensorOverlap::None)
    launch->remarks.emplace_back(
        "the framework hides collectives of tensor parallelism beside the backward, and the experiment none");
  if (job.ranks() > 1 && job.chunks == 1 && job.experiment->point_to_point == PointToPoint::Overlapped)
    launch->remarks.emplace_back(
        "without interleaving, transfers between pipeline ranks block in the framework; the experiment's "
        "overlap");
  return answer;
}

std::string reasons_of(LaunchFramework framework, const LaunchReasons& reasons) {
  return std::string(launch_writer(framework).title) + ": " + joined(reasons, "; ");
}

}  // namespace

std::vector<LaunchFramework> frameworks_of(const Experiment& experiment) {
  const AnalyticCosts* costs = on_platform(experiment.costs);
  if (costs && !costs->framework.name.empty()) {
    const auto known = std::ranges::find_if(
        readers(), [&](const Readers& each) { return costs->framework.name.starts_with(each.first); });
    return known == readers().end() ? std::vector<LaunchFramework>{} : known->second;
  }
  if (costs && costs->platform.library == CollectiveLibrary::Hccl)
    return {LaunchFramework::MindSpeedLlm, LaunchFramework::MindSpeedMm};
  return {LaunchFramework::MegatronLm, LaunchFramework::MegatronBridge, LaunchFramework::MegatronSwift,
          LaunchFramework::Torchtitan, LaunchFramework::Accelerate,     LaunchFramework::DeepSpeed};
}

LaunchOffer launch_offer(const Experiment& experiment, const ScheduleSpec& schedule) {
  const std::vector<LaunchFramework> frameworks = frameworks_of(experiment);
  if (frameworks.empty())
    return {{}, {}, "no launch is written for " + on_platform(experiment.costs)->framework.name};
  const auto job = launch_job(experiment, schedule);
  if (const auto* reasons = std::get_if<LaunchReasons>(&job)) return {{}, {}, joined(*reasons, "; ")};
  LaunchOffer offer;
  for (const LaunchFramework framework : frameworks) {
    LaunchAnswer answer = written(std::get<LaunchJob>(job), framework);
    if (auto* launch = std::get_if<WrittenLaunch>(&answer)) return {framework, std::move(*launch), ""};
    add_to_list(offer.reason, reasons_of(framework, std::get<LaunchReasons>(answer)), ". ");
  }
  return offer;
}

Node launch_document(LaunchFramework framework, const WrittenLaunch& launch) {
  const LaunchWriter& writer = launch_writer(framework);
  Object document;
  add_member(document, "framework", writer.title);
  add_member(document, "version", writer.version);
  add_member(document, "arguments", launch.arguments);
  List files;
  for (const LaunchFile& file : launch.files) {
    Object one;
    add_member(one, "name", file.name);
    add_member(one, "text", file.text);
    files.push_back(Node{std::move(one)});
  }
  add_member(document, "files", Node{std::move(files)});
  add_member(document, "remarks", list_node(launch.remarks));
  return {std::move(document)};
}

LaunchAnswer write_launch(const Experiment& experiment, const ScheduleSpec& schedule,
                          LaunchFramework framework) {
  const auto job = launch_job(experiment, schedule);
  if (const auto* reasons = std::get_if<LaunchReasons>(&job)) return *reasons;
  return written(std::get<LaunchJob>(job), framework);
}

}  // namespace spillway
