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
    text += fmt::format("  {:<9} {}\n", where(each.line), printable(each.text));
  return text;
}

ordered_json rows(const std::vector<ShownArgument>& arguments) {
  ordered_json list = ordered_json::array();
  for (const ShownArgument& each : arguments) list.push_back({{"line", each.line}, {"argument", each.text}});
  return list;
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
  text += fmt::format(
      "  batch: {} of {} x {} tokens for each replica\n", counted(pipeline["microbatches"], "microbatch"),
      counted(workload["sequences_per_microbatch"], "sequence"), workload["sequence_tokens"].get<int>());
  text += fmt::format("  schedule: {}{}\n", experiment["schedules"][0]["schedule"].get<std::string>(),
                      launch.layout.empty() ? "" : ", stages " + launch.layout);
  text += fmt::format("  framework: {}, platform {}\n", printable(experiment["framework"].get<std::string>()),
                      printable(experiment["platform"].get<std::string>()));
  ordered_json block = experiment["model"]["blocks"][0];
  const std::string architecture =
      launch.architecture ? "made from the arguments" : block["architecture"].get<std::string>();
  for (const char* known : {"name", "role", "architecture"}) block.erase(known);
  text += fmt::format("  model: {}{}\n", printable(architecture),
                      block.empty() ? "" : ", " + printable(dumped(block)));
  return text;
}

}  // namespace

std::string launch_text(const LaunchImport& launch) {
  std::string text =
      fmt::format("{}: line {} starts {}\n", launch.framework, launch.line, printable(launch.program));
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
