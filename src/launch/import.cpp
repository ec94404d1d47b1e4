// Test: tests/launch/import_launch_test.cpp.
#include "launch/import.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/files.h"
#include "base/text.h"
#include "input/experiment/experiment.h"
#include "json/document.h"
#include "json/text_file.h"
#include "launch/command/arguments.h"
#include "launch/command/devices.h"
#include "launch/command/json_members.h"
#include "launch/megatron/experiment.h"
#include "launch/megatron/known_arguments.h"

namespace spillway {
namespace {

// The arguments that tell a command that trains with Megatron from others.
constexpr std::array<std::string_view, 8> kMegatronArguments{
    "--num-layers",          "--hidden-size",       "--micro-batch-size", "--tensor-model-parallel-size",
    "--num-attention-heads", "--global-batch-size", "--seq-length",       "--pipeline-model-parallel-size"};

std::size_t megatron_arguments(const LaunchCommand& command) {
  return static_cast<std::size_t>(
      std::ranges::count_if(command.arguments, [](const LaunchArgument& argument) {
        return std::ranges::find(kMegatronArguments, argument.name) != kMegatronArguments.end();
      }));
}

std::optional<LaunchCommand> training_command(const ScriptReading& script, Findings& findings) {
  std::vector<LaunchCommand> commands;
  for (const ScriptCommand& each : script.commands)
    if (auto command = launch_command(each, script.unknowns); command && megatron_arguments(*command) > 0)
      commands.push_back(std::move(*command));
  if (std::ranges::any_of(commands, &LaunchCommand::certain))
    std::erase_if(commands, [](const LaunchCommand& command) { return !command.certain; });
  if (commands.size() == 1) return commands.front();
  std::string found = "none";
  if (commands.size() > 1) found = std::to_string(commands.size());
  for (std::size_t i = 0; i < std::min<std::size_t>(commands.size(), 8); ++i)
    found += (i == 0 ? ", in line " : ", ") + std::to_string(commands[i].line);
  findings.add(
      "/", "one command that starts a training with Megatron's arguments (--num-layers, --micro-batch-size)",
      found);
  return std::nullopt;
}

MegatronFlavour flavour_of(const LaunchCommand& command, const std::string& text) {
  if (command.program.starts_with("megatron ") || command.program.starts_with("swift "))
    return MegatronFlavour::Swift;
  constexpr std::array<std::string_view, 4> kAscend{"mindspeed", "npus_per_node", "ascend", "hccl_"};
  const std::string lowered = lower(text);
  const bool ascend = std::ranges::any_of(
      kAscend, [&](std::string_view word) { return lowered.find(word) != std::string::npos; });
  return ascend ? MegatronFlavour::MindSpeed : MegatronFlavour::Megatron;
}

std::vector<ShownArgument> shown_all(const Arguments& arguments, const std::vector<LaunchArgument>& some) {
  std::vector<ShownArgument> texts;
  for (const LaunchArgument& argument : some) texts.push_back({argument.line, arguments.shown(argument)});
  return texts;
}

// "--vocab-size 32000" as words of a command.
std::vector<ScriptWord> words_of(const std::vector<std::string>& texts) {
  std::vector<ScriptWord> words;
  for (const std::string& text : texts)
    for (const std::string_view word : split(text, ' '))
      if (!word.empty()) words.push_back({std::string(word), 0});
  return words;
}

// Sorts what no reader took into what changes nothing and the rest.
void sort_arguments(Arguments& arguments, LaunchImport& result) {
  std::vector<LaunchArgument> read;
  std::ranges::copy_if(arguments.all(), std::back_inserter(read), &LaunchArgument::asked_for);
  result.read = shown_all(arguments, read);
  std::vector<LaunchArgument> idle;
  for (const std::string_view pattern : idle_arguments()) arguments.pass_over(pattern, idle);
  std::ranges::stable_sort(idle, {}, &LaunchArgument::line);
  result.idle = shown_all(arguments, idle);
  result.not_understood = shown_all(arguments, arguments.left());
}

std::vector<std::string> said(const LaunchImport& result, const std::string& path) {
  std::vector<std::string> texts = {"read from the launch script " +
                                    std::filesystem::path(path).filename().string() +
                                    ", whose framework is " + result.framework};
  texts.insert(texts.end(), result.assumptions.begin(), result.assumptions.end());
  for (const ShownArgument& argument : result.not_understood) {
    const std::string where =
        argument.line == 0 ? std::string("beside the script") : "line " + std::to_string(argument.line);
    texts.push_back("not understood, and left out: " + argument.text + " (" + where + ")");
  }
  return texts;
}

std::string table_of(const std::string& name, const Object& experiment, double measured_s) {
  Object document, one;
  add_member(one, "name", "script");
  add_member(one, "set", Node{Object{}});
  add_member(one, "measured_s", measured_s);
  add_member(document, "schema", "spillway/cases/1");
  add_member(document, "name", name);
  add_member(document, "source", "a step that the user measured (--measured)");
  add_member(document, "experiment", Node{experiment});
  add_member(document, "cases", Node{List{Node{std::move(one)}}});
  return json_text({std::move(document)});
}

// The experiment as its reader sees it. Every violation is one of the script.
void check(const LaunchImport& result, const std::string& text, const std::string& out) {
  FileMemory memory;
  if (result.architecture) memory.put(result.architecture_file, *result.architecture);
  parse_experiment(text, out, {}, Files(memory));
}

class LaunchReader {
 public:
  LaunchReader(const std::string& path, const LaunchOptions& options)
      : path_(path), options_(options), findings_(path) {}

  LaunchImport run() {
    const auto text = read_file(path_, findings_);
    if (options_.platform.empty())
      findings_.add("--platform",
                    "the platform that the script runs on, such as hgx-h100, which scripts do not state",
                    "none");
    if (!text) findings_.throw_if_any();
    script_ = read_script(*text, options_.variables, findings_);
    const auto command = training_command(script_, findings_);
    if (!command) findings_.throw_if_any();
    return read(*command, flavour_of(*command, *text));
  }

 private:
  LaunchImport read(const LaunchCommand& command, MegatronFlavour flavour) {
    std::vector<LaunchArgument> given = command.arguments;
    for (LaunchArgument& more : arguments_of(words_of(options_.arguments), script_.unknowns))
      given.push_back(std::move(more));
    Arguments arguments(std::move(given), script_.unknowns, findings_);
    const auto devices = devices_of(command, script_, options_, findings_);
    const MegatronModel model = read_model(arguments, flavour, options_);
    const MegatronLayout layout = read_layout(arguments, flavour, devices, model.layers, model.has_experts);
    const MegatronTraining training = read_training(arguments, flavour, layout, model.has_experts);
    findings_.throw_if_any();

    LaunchImport result;
    result.framework = name_of(flavour);
    result.program = command.program;
    result.line = command.line;
    result.notes = script_.notes;
    result.assumptions = model.assumptions;
    result.assumptions.insert(result.assumptions.end(), training.assumptions.begin(),
                              training.assumptions.end());
    sort_arguments(arguments, result);
    if (layout.stages.size() > 1) result.layout = pipeline_layout_text(layout.stages);
    write(result, layout, model, training, flavour);
    return result;
  }

  void write(LaunchImport& result, const MegatronLayout& layout, const MegatronModel& model,
             const MegatronTraining& training, MegatronFlavour flavour) {
    const std::string out = options_.out.empty() ? path_ + ".json" : options_.out;
    const std::filesystem::path file(out);
    const std::string config = file.stem().string() + ".config.json";
    if (model.config) {
      result.architecture = json_text(*model.config);
      result.architecture_file = (file.parent_path() / config).lexically_normal().string();
    }
    const std::string name = std::filesystem::path(path_).stem().string();
    const Object experiment =
        megatron_experiment(name, layout, model, training, flavour, options_,
                            model.config ? config : model.architecture, said(result, path_));
    const std::string text = json_text({experiment});
    check(result, text, out);
    result.document = options_.measured_s ? table_of(name, experiment, *options_.measured_s) : text;
  }

  std::string path_;
  const LaunchOptions& options_;
  Findings findings_;
  ScriptReading script_ = {};
};

}  // namespace

bool is_launch_script(const std::string& path) {
  constexpr std::array<std::string_view, 4> kEndings{".sh", ".bash", ".slurm", ".sbatch"};
  if (std::ranges::any_of(kEndings, [&](std::string_view ending) { return path.ends_with(ending); }))
    return true;
  if (!is_plain_file(path) || size_of_file(path) > kLargestFile || path.ends_with(".gz")) return false;
  Findings ignored;
  const auto text = read_file(path, ignored);
  return text && text->starts_with("#!") && text->substr(0, text->find('\n')).ends_with("sh");
}

LaunchImport import_launch(const std::string& path, const LaunchOptions& options) {
  return LaunchReader(path, options).run();
}

}  // namespace spillway
