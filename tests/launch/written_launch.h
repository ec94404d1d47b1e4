// Launches that are written and read back.
#pragma once

#include <fstream>
#include <optional>
#include <string>

#include "input/experiment/experiment.h"
#include "launch/write/frameworks.h"
#include "launch_facts.h"
#include "public_launch.h"

namespace spillway {

// Writes the files into a folder of its own, and returns it.
inline std::filesystem::path put_files(const WrittenLaunch& launch) {
  static int number = 0;
  const std::filesystem::path folder = own_file("written-" + std::to_string(number++));
  for (const LaunchFile& file : launch.files) {
    const std::filesystem::path path = folder / file.name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << file.text;
  }
  return folder;
}

struct ReadBack {
  LaunchImport import;
  Experiment experiment;
};

// Reads the files as a user would.
inline ReadBack read_back(const WrittenLaunch& launch, LaunchOptions options) {
  const std::filesystem::path folder = put_files(launch);
  options.out = (folder / "again.json").string();
  LaunchImport import = import_launch((folder / launch.files.front().name).string(), options);
  FileMemory memory;
  if (import.architecture) memory.put(import.architecture_file, *import.architecture);
  Experiment experiment = parse_experiment(import.document, options.out, {}, Files(memory));
  return {std::move(import), std::move(experiment)};
}

// What the two state differently; empty if nothing.
inline std::string differences(const LaunchJob& written, const LaunchJob& read) {
  const LaunchFacts expected = launch_facts(written), found = launch_facts(read);
  std::string text;
  for (std::size_t i = 0; i < std::max(expected.size(), found.size()); ++i) {
    if (i < expected.size() && i < found.size() && expected[i] == found[i]) continue;
    if (i < expected.size()) text += expected[i].first + ' ' + expected[i].second;
    text += " -> ";
    if (i < found.size()) text += found[i].first + ' ' + found[i].second;
    text += '\n';
  }
  TextModel model = written.model;
  model.vocab_size = read.model.vocab_size;
  // Where all layers have experts, no layer reads it.
  if (model.experts && model.experts->first_k_dense_replace == 0)
    model.intermediate_size = read.model.intermediate_size;
  const bool towers = written.tower.has_value() == read.tower.has_value() &&
                      (!written.tower || written.tower->tower == read.tower->tower);
  if (!towers) text += "another tower\n";
  return model == read.model ? text : text + "another model\n";
}

inline LaunchJob job_of(const Experiment& experiment, std::size_t schedule = 0) {
  return std::get<LaunchJob>(launch_job(experiment, experiment.schedules[schedule]));
}

// MindSpeed-LLM needs these two, and import does not price what they change.
inline bool is_needed(const std::string& argument) {
  return argument.starts_with("--spec ") || argument == "--no-gradient-accumulation-fusion";
}

// "" if the launch is read back to what it was written from.
inline std::string lost(const Experiment& experiment, std::size_t schedule, const WrittenLaunch& launch,
                        const LaunchOptions& options) {
  try {
    const ReadBack again = read_back(launch, options);
    for (const ShownArgument& argument : again.import.not_understood)
      if (!is_needed(argument.text)) return "not understood: " + argument.text;
    return differences(job_of(experiment, schedule), job_of(again.experiment));
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace spillway
