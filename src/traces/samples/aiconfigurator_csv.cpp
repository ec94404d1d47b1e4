// Reads ai-dynamo/aiconfigurator, systems/data/*/nccl/*/nccl_perf. Columns: message_size in elements of the
// whole vector, latency in ms, num_gpus devices, which are assumed to be in one node. Rows of other types
// than 16-bit floats are dropped and counted, because jobs here send BF16.
#include <array>

#include "traces/files/csv_table.h"
#include "traces/samples/message_rows.h"
#include "traces/samples/sample_formats.h"

namespace spillway {
namespace aiconfigurator {
namespace {

enum Column : std::size_t { kOperation, kType, kDevices, kElements, kLatency };
constexpr std::array<std::string_view, 5> kColumns = {"op_name", "nccl_dtype", "num_gpus", "message_size",
                                                      "latency"};
constexpr double kBytesOfHalf = 2;

Samples read_aiconfigurator_csv(const std::string& path, const TimedGroup&) {
  CsvTable table(path, kColumns);
  MessageRows rows(table.refused());
  std::size_t others = 0;
  while (table.next()) {
    if (table.text(kType) != "half") {
      ++others;
      continue;
    }
    const auto operation = operation_in(table.text(kOperation));
    if (!operation) table.refuse(kOperation, "a collective");
    const auto devices = table.count(kDevices);
    const auto elements = table.number<double>(kElements, "a number"),
               time = table.number<double>(kLatency, "a number");
    if (operation && devices && elements && time)
      rows.add(table.line(),
               {*operation, *devices, *devices, "", Bytes(*elements * kBytesOfHalf), milliseconds(*time)});
  }
  std::vector<Note> notes;
  if (others > 0) notes.push_back({NoteKind::Dropped, others, "rows of another type than 16-bit floats"});
  notes.push_back(
      {NoteKind::Guessed, 0, "the file does not state the placement of the devices: all in one node"});
  return {"aiconfigurator",       {path}, "ai-dynamo/aiconfigurator sweep " + short_name(path),
          std::move(rows).take(), {},     std::move(notes)};
}

}  // namespace
}  // namespace aiconfigurator

const SampleFormat kAiconfiguratorCsv = {
    "aiconfigurator", {"nccl_dtype", "message_size"}, false, aiconfigurator::read_aiconfigurator_csv};

}  // namespace spillway
