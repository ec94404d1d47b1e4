// Reads PyTorch's execution traces as JSON that were joined with times (execution_trace_nodes.h), a file for
// each rank, as a Trace: the device's kernels and collectives, and the passes that ranges of the host name
// (chakra_calls.h).
#include "base/files.h"
#include "traces/formats/chakra_import.h"
#include "traces/formats/execution_trace_nodes.h"
#include "traces/formats/read_trace.h"
#include "traces/formats/trace_formats.h"

namespace spillway {
namespace execution_trace {
namespace {

Trace read_files(const std::vector<std::string>& paths) {
  std::vector<ChakraFile> files;
  for (const std::string& path : paths)
    files.push_back({path, number_of_file(path, files.size()), read_execution_trace(path)});
  return import_chakra(std::move(files), "execution-trace");
}

// Empty if the folder's first file of JSON is of another kind.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : entries_of(folder)) {
    const std::string name = entry.filename().string();
    if (!(name.ends_with(".json") || name.ends_with(".json.gz")) || !is_plain_file(entry)) continue;
    if (begins_execution_trace(beginning_of(entry.string())))
      paths.push_back(entry.string());
    else if (paths.empty())
      return {};
  }
  return paths;
}

}  // namespace
}  // namespace execution_trace

extern const FolderFormat kExecutionTraceFolder = {
    "execution traces of PyTorch with times",
    [](const std::string& folder) { return !execution_trace::files_in(folder).empty(); },
    [](const std::string& folder) { return execution_trace::read_files(execution_trace::files_in(folder)); }};

extern const FileFormat kExecutionTrace = {
    "an execution trace of PyTorch with times", begins_execution_trace,
    [](const std::string& path) { return execution_trace::read_files({path}); }};

}  // namespace spillway
