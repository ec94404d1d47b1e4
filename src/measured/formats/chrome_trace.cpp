#include "measured/formats/chrome_trace.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "measured/files/json_events.h"
#include "measured/formats/ascend_trace_view.h"
#include "measured/formats/kineto.h"
#include "measured/formats/megatron_trace.h"
#include "measured/formats/own_trace.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;

enum class Writer { Kineto, Megatron, Ascend, Own };

constexpr std::string_view kKnownTraces =
    "a trace of PyTorch, Megatron (forward and backward as B and E), Ascend's profiler or spillway";

bool is_of_kineto(const JsonEvent& event) {
  constexpr std::string_view categories[] = {"cpu_op",          "kernel",          "cuda_runtime",
                                             "cuda_driver",     "gpu_memcpy",      "gpu_memset",
                                             "user_annotation", "python_function", "gpu_user_annotation"};
  return std::find(std::begin(categories), std::end(categories), event.category) != std::end(categories);
}

std::optional<Writer> writer_of(const JsonEvent& event) {
  if (is_of_kineto(event)) return Writer::Kineto;
  if (event.phase == 'M' && event.name == "process_name" && is_ascend_layer(event.arguments[0]))
    return Writer::Ascend;
  const bool edge = event.phase == 'B' || event.phase == 'E';
  if (edge && (event.name == "forward" || event.name == "backward")) return Writer::Megatron;
  if ((event.phase == 'X' || event.phase == 'b') && is_own_name(event.name)) return Writer::Own;
  return std::nullopt;
}

Writer writer_of(const std::string& path) {
  constexpr std::string_view arguments[] = {"name"};
  std::optional<Writer> writer;
  std::string first;
  const auto read = read_json_events(path, arguments, [&](const JsonEvent& event) {
    writer = writer_of(event);
    if (event.number <= 3) first += (first.empty() ? ", the first named " : ", ") + event.name;
    return !writer;
  });
  if (writer) return *writer;
  throw InputError({{path, "/", std::string(kKnownTraces), std::to_string(read.events) + " events" + first}});
}

bool is_json(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz");
}

std::vector<std::string> json_files_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const fs::path& entry : entries_of(folder))
    if (is_json(entry) && is_plain_file(entry)) paths.push_back(entry.string());
  return paths;
}

}  // namespace

Trace read_chrome_trace(const std::string& path) {
  switch (writer_of(path)) {
    case Writer::Kineto:
      return read_kineto({path});
    case Writer::Megatron:
      return read_megatron_trace(path);
    case Writer::Ascend:
      return read_ascend_trace_view(path);
    case Writer::Own:
      return read_own_trace(path);
  }
  throw ContractBreach("a writer of traces that is known");
}

bool is_chrome_folder(const std::string& path) {
  return is_folder(path) && !json_files_in(path).empty();
}

Trace read_chrome_folder(const std::string& path) {
  if (!is_chrome_folder(path))
    throw InputError({{path, "/", "a folder with one .json or .json.gz per process", "none of these"}});
  const std::vector<std::string> files = json_files_in(path);
  std::vector<Violation> violations;
  for (const std::string& file : files)
    if (writer_of(file) != Writer::Kineto)
      violations.push_back(
          {file, "/", "a profile of one process of a PyTorch job", "a trace of another kind"});
  if (!violations.empty()) throw InputError(std::move(violations));
  return read_kineto(files);
}

}  // namespace spillway
