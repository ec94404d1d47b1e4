// Test: tests/launch/write_property_test.cpp.
#include "launch/write/script.h"

#include <algorithm>

#include "base/text.h"

namespace spillway {
namespace {

// A compute tray of an NVL72 rack has 4 GPUs (NVIDIA GB200 NVL72: 18 trays, 72 GPUs).
constexpr std::uint32_t kTray = 4;
constexpr std::uint32_t kUsualNode = 8;

std::uint32_t node_size(const Platform& platform) {
  const auto node = std::ranges::find(platform.tiers, std::string("node"), &Tier::name);
  if (node != platform.tiers.end()) return node->devices;
  return platform.tiers.front().name == "rack" ? kTray : kUsualNode;
}

// Text in a comment stays on its line.
std::string without_breaks(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

}  // namespace

std::uint32_t devices_on_node(const LaunchJob& job) {
  std::uint32_t devices = std::min(node_size(job.costs().platform), job.devices());
  while (job.devices() % devices != 0) --devices;
  return devices;
}

std::string script_comment(const LaunchJob& job, std::string_view software) {
  return "#!/bin/bash\n# " + without_breaks(job.experiment->name) + ": " + without_breaks(job.schedule) +
         " on " + counted(job.devices(), "device") + " (" + without_breaks(job.costs().platform.name) +
         ")\n# Written by spillway for " + std::string(software) +
         ".\n# Start it on every node with its NODE_RANK and one MASTER_ADDR.\n";
}

std::string script_head(const LaunchJob& job, std::string_view software) {
  const std::uint32_t devices = devices_on_node(job);
  return script_comment(job, software) + "\nLAUNCH_ARGS=(\n  --nproc-per-node " + std::to_string(devices) +
         "\n  --nnodes " + std::to_string(job.devices() / devices) +
         "\n  --node-rank \"${NODE_RANK:-0}\"\n  --master-addr \"${MASTER_ADDR:-localhost}\"\n"
         "  --master-port \"${MASTER_PORT:-6000}\"\n)\n";
}

std::string script_body(const std::vector<OptionGroup>& groups, const std::string& program) {
  std::string text, command = "\ntorchrun \"${LAUNCH_ARGS[@]}\" " + program;
  for (const OptionGroup& group : groups) {
    if (group.options().empty()) continue;
    text += '\n' + shell_array(group);
    command += " \\\n  \"${" + group.name() + "[@]}\"";
  }
  return text + command + '\n';
}

}  // namespace spillway
