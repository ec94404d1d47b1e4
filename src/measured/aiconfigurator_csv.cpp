#include "measured/sample_formats.h"
#include "measured/sample_table.h"

namespace spillway {
namespace {

constexpr double kBytesOfHalf = 2;

}  // namespace

Samples read_aiconfigurator_csv(const std::string& path) {
  SampleTable table(path);
  const auto columns = table.columns({"op_name", "nccl_dtype", "num_gpus", "message_size", "latency"});
  MessageRows rows(path);
  std::size_t others = 0;
  while (table.next(rows)) {
    if (table.text(columns[1]) != "half") {
      ++others;
      continue;
    }
    const auto operation = operation_in(table.text(columns[0]));
    if (!operation) rows.refuse(table.place(), "a collective", std::string(table.text(columns[0])));
    const auto devices = table.count(columns[2], rows);
    const auto size = table.number(columns[3], rows), time = table.number(columns[4], rows);
    if (operation && devices && size && time)
      rows.add(table.place(),
               {*operation, *devices, *devices, "", Bytes(*size * kBytesOfHalf), milliseconds(*time)});
  }
  std::vector<Note> notes;
  if (others > 0) notes.push_back({NoteKind::Dropped, others, "rows of another type than 16-bit floats"});
  notes.push_back({NoteKind::Guessed, 0, "the file does not say where the devices lie: all in one node"});
  return {"aiconfigurator",       {path}, "ai-dynamo/aiconfigurator sweep " + short_name(path),
          std::move(rows).take(), {},     std::move(notes)};
}

}  // namespace spillway
