// Test: tests/launch/megatron_scripts_test.cpp.
#include "launch/command/devices.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>

#include "base/text.h"

namespace spillway {
namespace {

using Names = std::initializer_list<std::string_view>;
using Count = std::optional<std::uint32_t>;
constexpr std::uint32_t kMostDevices = 1U << 20;

// Where a launcher's number may be.
class LauncherNumbers {
 public:
  LauncherNumbers(const LaunchCommand& command, const ScriptReading& script, Findings& findings)
      : command_(command),
        script_(script),
        findings_(findings),
        launcher_(command.launcher, script.unknowns, findings),
        sbatch_(arguments_of(script.sbatch, script.unknowns), script.unknowns, findings) {}

  bool wrong() const { return wrong_; }

  Count of_launcher(Names names) { return of(launcher_, names); }
  Count of_sbatch(Names names) { return of(sbatch_, names); }

  Count of_environment(std::string_view name) {
    const auto found = command_.environment.find(name);
    if (found == command_.environment.end()) return std::nullopt;
    return number(found->second, "line " + std::to_string(found->second.line) + ", " + std::string(name));
  }

  // "0,1,2,3" is 4.
  Count listed(std::string_view name) const {
    const auto found = command_.environment.find(name);
    if (found == command_.environment.end() || has_unknown(found->second.text) || found->second.text.empty())
      return std::nullopt;
    return static_cast<std::uint32_t>(std::ranges::count(found->second.text, ',') + 1);
  }

 private:
  Count of(Arguments& arguments, Names names) {
    for (const std::string_view name : names)
      for (const LaunchArgument& argument : arguments.all())
        if (argument.name == name && !argument.values.empty())
          return number(argument.values.front(), place_of(argument));
    return std::nullopt;
  }

  // "8", or "gpu:8" and "a100:8" of --gres.
  Count number(const ScriptWord& word, const std::string& place) {
    const std::size_t before = findings_.all().size();
    if (!launcher_.expect_known(word, place)) {
      wrong_ = true;
      return std::nullopt;
    }
    const std::string_view text = std::string_view(word.text).substr(word.text.rfind(':') + 1);
    std::uint32_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error == std::errc() && end == text.data() + text.size() && count > 0 && count <= kMostDevices)
      return count;
    if (findings_.all().size() == before)
      findings_.add(place, "a whole number from 1", '"' + word.text.substr(0, 40) + '"');
    wrong_ = true;
    return std::nullopt;
  }

  const LaunchCommand& command_;
  const ScriptReading& script_;
  Findings& findings_;
  Arguments launcher_, sbatch_;
  bool wrong_ = false;
};

Count devices_of_node(LauncherNumbers& numbers) {
  if (const Count given =
          numbers.of_launcher({"--nproc-per-node", "--num-gpus", "--ntasks-per-node", "--gpus-per-node"}))
    return given;
  if (numbers.wrong()) return std::nullopt;
  if (const Count given = numbers.of_environment("NPROC_PER_NODE")) return given;
  if (const Count given = numbers.of_sbatch({"--ntasks-per-node", "--gpus-per-node", "--gres"})) return given;
  if (const Count given = numbers.listed("CUDA_VISIBLE_DEVICES")) return given;
  return numbers.listed("ASCEND_RT_VISIBLE_DEVICES");
}

Count nodes_of(LauncherNumbers& numbers, bool has_launcher) {
  if (const Count given = numbers.of_launcher({"--nnodes", "--num-nodes", "--nodes"})) return given;
  if (numbers.wrong()) return std::nullopt;
  if (const Count given = numbers.of_environment("NNODES")) return given;
  if (numbers.wrong()) return std::nullopt;
  if (const Count given = numbers.of_sbatch({"--nodes"})) return given;
  // torchrun and ms-swift run on one node by default.
  return has_launcher ? Count(1) : std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> devices_of(const LaunchCommand& command, const ScriptReading& script,
                                        const LaunchOptions& options, Findings& findings) {
  if (options.devices) return options.devices;
  LauncherNumbers numbers(command, script, findings);
  const Count per_node = devices_of_node(numbers);
  const Count nodes = numbers.wrong() ? std::nullopt : nodes_of(numbers, per_node && script.sbatch.empty());
  if (per_node && nodes && *nodes <= kMostDevices / *per_node) return *per_node * *nodes;
  if (!numbers.wrong())
    findings.add("line " + std::to_string(command.line), "--devices N, the devices of the whole job",
                 per_node ? "devices of a node, and no number of nodes" : "none in the launcher");
  return std::nullopt;
}

}  // namespace spillway
