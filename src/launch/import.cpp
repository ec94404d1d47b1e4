// Test: tests/launch/import_launch_test.cpp.
#include "launch/import.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <utility>

#include "base/files.h"
#include "base/printable.h"
#include "input/experiment/experiment.h"
#include "json/document.h"
#include "json/shipped_files.h"
#include "json/text_file.h"
#include "launch/command/experiment.h"
#include "launch/command/json_members.h"
#include "launch/megatron/experiment.h"
#include "launch/megatron/known_arguments.h"
#include "launch/nemo/settings.h"
#include "launch/source.h"
#include "launch/titan/titan.h"
#include "launch/trainer/trainer.h"

namespace spillway {
namespace {

LaunchReading read_as(const LaunchSource& source, Arguments& arguments, const LaunchOptions& options) {
  switch (source.kind) {
    case LaunchKind::Titan:
      return read_titan(arguments, source.devices, options);
    case LaunchKind::Trainer:
      return read_trainer(arguments, source.program, source.devices, options);
    default: {
      LaunchOptions with_model = options;
      if (with_model.architecture.empty()) with_model.architecture = source.model;
      return read_megatron(arguments, source.flavour, source.devices, with_model);
    }
  }
}

std::span<const std::string_view> idle_of(LaunchKind kind) {
  switch (kind) {
    case LaunchKind::Titan:
      return idle_titan_settings();
    case LaunchKind::Trainer:
      return idle_trainer_settings();
    case LaunchKind::Nemo:
      return idle_nemo_settings();
    default:
      return idle_arguments();
  }
}

std::vector<ShownArgument> shown_all(const Arguments& arguments, const std::vector<LaunchArgument>& some) {
  std::vector<ShownArgument> texts;
  for (const LaunchArgument& argument : some)
    texts.push_back({argument.line, arguments.shown(argument), argument.file});
  return texts;
}

// Sorts what no reader took into what changes nothing and the rest.
void sort_arguments(Arguments& arguments, LaunchKind kind, LaunchImport& result) {
  for (const std::string_view pattern : idle_of(kind)) arguments.pass_over(pattern);
  if (kind == LaunchKind::Nemo)
    for (const std::string_view pattern : idle_arguments()) arguments.pass_over(pattern);
  result.read = shown_all(arguments, arguments.read());
  std::vector<LaunchArgument> idle = arguments.idle();
  std::stable_sort(idle.begin(), idle.end(), [](const LaunchArgument& a, const LaunchArgument& b) {
    return std::pair(a.file, a.line) < std::pair(b.file, b.line);
  });
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
    const std::string file = argument.file.empty() ? "" : argument.file + ", ";
    texts.push_back("not understood, and left out: " + argument.text + " (" + file + where + ")");
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

// The experiment as its reader sees it. Every violation is one of the script, also one of a model that is
// made from its arguments: nobody has that file.
void check(const LaunchImport& result, const std::string& text, const std::string& out,
           const std::string& script) {
  FileMemory memory;
  if (result.architecture) memory.put(result.architecture_file, *result.architecture);
  try {
    parse_experiment(text, out, {}, Files(memory));
  } catch (const InputError& error) {
    std::vector<Violation> violations = error.violations();
    for (Violation& one : violations)
      if (result.architecture && one.file == result.architecture_file)
        one = {script, "the model that its arguments make, " + one.pointer, one.expected, one.found};
    throw InputError(std::move(violations));
  }
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
    check_there("--platform", options_.platform, "platform");
    check_there("--framework", options_.framework, "framework");
    if (!text) findings_.throw_if_any();
    const LaunchSource source = read_source(path_, *text, options_, findings_);
    if (source.arguments.empty()) findings_.throw_if_any();
    Arguments arguments(source.arguments, source.script.unknowns, findings_);
    const LaunchReading reading = read_as(source, arguments, options_);
    findings_.throw_if_any();

    LaunchImport result;
    result.framework = reading.framework;
    result.program = source.program;
    result.line = source.line;
    result.notes = source.script.notes;
    result.assumptions = source.assumptions;
    result.assumptions.insert(result.assumptions.end(), reading.assumptions.begin(),
                              reading.assumptions.end());
    sort_arguments(arguments, source.kind, result);
    const LaunchPipeline& pipeline = reading.experiment.pipeline;
    if (pipeline.stages.size() > 1) result.layout = pipeline_layout_text(pipeline.stages);
    write(result, reading.experiment);
    return result;
  }

 private:
  // The experiment would name a file that is not there.
  void check_there(const char* option, const std::string& name, const std::string& kind) {
    if (name.empty() || is_there(shipped_or(name, kind))) return;
    const std::string near = or_the_shipped(name, kind);
    findings_.add(option,
                  near.empty() ? "a shipped " + kind + " or a readable file" : "a readable file" + near,
                  '"' + printable(name) + '"');
  }

  void write(LaunchImport& result, const LaunchExperiment& parts) {
    const std::string out = options_.out.empty() ? path_ + ".json" : options_.out;
    const std::filesystem::path file(out);
    const std::string config = file.stem().string() + ".config.json";
    if (parts.config) {
      result.architecture = json_text(*parts.config);
      result.architecture_file = (file.parent_path() / config).lexically_normal().string();
    }
    const std::string name = std::filesystem::path(path_).stem().string();
    const Object experiment = experiment_of(name, parts, options_, config, said(result, path_));
    const std::string text = json_text({experiment});
    check(result, text, out, path_);
    result.document = options_.measured_s ? table_of(name, experiment, *options_.measured_s) : text;
  }

  std::string path_;
  const LaunchOptions& options_;
  Findings findings_;
};

}  // namespace

bool is_launch_script(const std::string& path) {
  constexpr std::array<std::string_view, 4> kEndings{".sh", ".bash", ".slurm", ".sbatch"};
  if (std::ranges::any_of(kEndings, [&](std::string_view ending) { return path.ends_with(ending); }))
    return true;
  if (is_toml(path) || is_yaml(path)) return true;
  if (!is_plain_file(path) || size_of_file(path) > kLargestFile || path.ends_with(".gz")) return false;
  Findings ignored;
  const auto text = read_file(path, ignored);
  return text && text->starts_with("#!") && text->substr(0, text->find('\n')).ends_with("sh");
}

LaunchImport import_launch(const std::string& path, const LaunchOptions& options) {
  return LaunchReader(path, options).run();
}

}  // namespace spillway
