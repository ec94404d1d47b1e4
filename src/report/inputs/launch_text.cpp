#include "report/inputs/launch_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "base/text.h"
#include "json/dumped.h"

namespace spillway {
namespace {

using nlohmann::ordered_json;

std::string where(std::size_t line) {
  return line == 0 ? std::string("given") : fmt::format("line {}", line);
}

std::string listed(const std::vector<ShownArgument>& arguments) {
  std::string text;
  for (const ShownArgument& each : arguments)
    text += fmt::format("  {:<9} {}{}\n", where(each.line), printable(each.text),
                        each.file.empty() ? "" : "  (" + printable(each.file) + ')');
  return text;
}

ordered_json rows(const std::vector<ShownArgument>& arguments) {
  ordered_json list = ordered_json::array();
  for (const ShownArgument& each : arguments) {
    list.push_back({{"line", each.line}, {"argument", each.text}});
    if (!each.file.empty()) list.back()["file"] = each.file;
  }
  return list;
}

std::string microbatch_text(const ordered_json& workload) {
  if (!workload.contains("trace"))
    return fmt::format("{} x {} tokens", counted(workload["sequences_per_microbatch"], "sequence"),
                       workload["sequence_tokens"].get<int>());
  const std::string samples =
      fmt::format("{} of {} and {} text tokens", counted(workload["images_per_sample"], "image"),
                  printable(workload["trace"].get<std::string>()), workload["text_tokens"].get<int>());
  if (workload["packing"] == "packed")
    return fmt::format("1 sequence x {} tokens, packed with samples of {}",
                       workload["sequence_tokens"].get<int>(), samples);
  return fmt::format("{} with {} each", counted(workload["samples_per_microbatch"], "sample"), samples);
}

std::string block_text(const LaunchImport& launch, ordered_json block) {
  const bool made = launch.architecture && block["architecture"].get<std::string>().ends_with(".config.json");
  const std::string architecture =
      made ? "made from the arguments" : block["architecture"].get<std::string>();
  const bool encodes = block["role"] == "encoder";
  for (const char* known : {"name", "role", "architecture"}) block.erase(known);
  return fmt::format("  {}: {}{}\n", encodes ? "encoder" : "model", printable(architecture),
                     block.empty() ? "" : ", " + printable(dumped(block)));
}

std::string launch_layout(const LaunchImport& launch) {
  const ordered_json document = undumped(launch.document);
  const ordered_json& experiment = document.contains("experiment") ? document["experiment"] : document;
  const ordered_json& pipeline = experiment["pipeline"];
  const ordered_json& parallel = experiment["parallel"];
  const ordered_json& workload = experiment["workload"];
  const auto size = [&](const char* key) { return parallel.value(key, 1); };
  std::string text = fmt::format("  devices: tensor {}, context {}, pipeline {}, replicas {}; data {}",
                                 size("tensor"), size("context"), pipeline["ranks"].get<int>(),
                                 pipeline["replicas"].get<int>(), parallel["data"].get<std::string>());
  if (parallel.contains("expert"))
    text += fmt::format("; experts over {} x {}", size("expert"), size("expert_tensor"));
  text += '\n';
  text += fmt::format("  batch: {} of {} for each replica\n", counted(pipeline["microbatches"], "microbatch"),
                      microbatch_text(workload));
  text += fmt::format("  schedule: {}{}\n", experiment["schedules"][0]["schedule"].get<std::string>(),
                      launch.layout.empty() ? "" : ", stages " + launch.layout);
  text += fmt::format("  framework: {}, platform {}\n", printable(experiment["framework"].get<std::string>()),
                      printable(experiment["platform"].get<std::string>()));
  for (const ordered_json& block : experiment["model"]["blocks"]) text += block_text(launch, block);
  return text;
}

}  // namespace

std::string launch_text(const LaunchImport& launch) {
  std::string text = launch.line == 0 ? fmt::format("{}: {}\n", launch.framework, printable(launch.program))
                                      : fmt::format("{}: line {} starts {}\n", launch.framework, launch.line,
                                                    printable(launch.program));
  text += launch_layout(launch);
  for (const std::string& each : launch.assumptions) text += fmt::format("  assumed: {}\n", printable(each));
  for (const ScriptNote& each : launch.notes)
    text += fmt::format("  line {}: {}\n", each.line, printable(each.text));
  text +=
      fmt::format("{} read, {} that change nothing here, {} not understood\n",
                  counted(launch.read.size(), "argument"), launch.idle.size(), launch.not_understood.size());
  if (!launch.not_understood.empty())
    text += "not understood, and left out:\n" + listed(launch.not_understood);
  return text;
}

std::string launch_json(const LaunchImport& launch) {
  ordered_json notes = ordered_json::array();
  for (const ScriptNote& each : launch.notes) notes.push_back({{"line", each.line}, {"note", each.text}});
  const ordered_json document = {
      {"schema", "spillway/launch/1"},
      {"framework", launch.framework},
      {"program", launch.program},
      {"line", launch.line},
      {"layout", launch.layout},
      {"document", undumped(launch.document)},
      {"architecture", launch.architecture ? undumped(*launch.architecture) : ordered_json(nullptr)},
      {"read", rows(launch.read)},
      {"idle", rows(launch.idle)},
      {"not_understood", rows(launch.not_understood)},
      {"notes", std::move(notes)},
      {"assumptions", launch.assumptions}};
  return dumped(document, 2) + '\n';
}

}  // namespace spillway
