// Reads columns size_<unit> and time_<unit>, and any of operation, devices, neighbours. Units: B, bytes, kB,
// KiB, MB, MiB, GB, GiB; s, ms, us, ns. Comment lines may state what no column does (MessageHeader). If
// nothing names the operation, it is a message between two devices of a node, and a note says that this is a
// guess.
#include <array>

#include "base/text.h"
#include "traces/files/csv_table.h"
#include "traces/samples/message_rows.h"
#include "traces/samples/sample_formats.h"

namespace spillway {
namespace {

struct Unit {
  std::string_view name;
  double value;
};
constexpr std::array kSizes = {Unit{"B", 1},    Unit{"bytes", 1},     Unit{"kB", 1e3}, Unit{"KiB", 1024},
                               Unit{"MB", 1e6}, Unit{"MiB", 1 << 20}, Unit{"GB", 1e9}, Unit{"GiB", 1 << 30}};
constexpr std::array kTimes = {Unit{"s", 1}, Unit{"ms", 1e-3}, Unit{"us", 1e-6}, Unit{"ns", 1e-9}};

struct Measure {
  std::size_t column;
  double unit;
};

template <std::size_t N>
Measure measure(CsvTable& table, const std::string& what, const std::array<Unit, N>& units) {
  std::string known, named;
  std::vector<Measure> found;
  for (const Unit& unit : units) {
    const std::string name = what + "_" + std::string(unit.name);
    add_to_list(known, name);
    const auto column = table.find(name);
    if (!column) continue;
    add_to_list(named, name);
    found.push_back({*column, unit.value});
  }
  if (found.size() == 1) return found.front();
  throw InputError({{table.path(), table.place(), "one column of " + known,
                     found.empty() ? "none of those names" : named}});
}

// Assumes a message inside a node if nothing says what was timed.
void guess_missing(MessageHeader& header, bool has_operation, std::vector<Note>& notes) {
  if (!header.operation && !has_operation) {
    header.operation = CollectiveOperation::SendRecv;
    notes.push_back({NoteKind::Guessed, 0, "the file does not state what was timed: messages"});
  }
  if (!header.devices && header.operation == CollectiveOperation::SendRecv) {
    header.devices = 2;
    notes.push_back({NoteKind::Guessed, 0, "the file does not state the number of devices: two"});
  }
}

Samples read_message_csv(const std::string& path, const TimedGroup& given) {
  CsvTable table(path);
  const Measure size = measure(table, "size", kSizes), time = measure(table, "time", kTimes);
  const auto operations = table.find("operation"), devices = table.find("devices"),
             neighbours = table.find("neighbours");
  MessageHeader header;
  for (const std::string& comment : table.comments()) header.read_comment(comment);
  header.complete(given);
  if (!header.operation) header.operation = operation_in(short_name(path));
  std::vector<Note> notes;
  guess_missing(header, operations.has_value(), notes);
  if (!devices && !header.devices)
    throw InputError({{path, "/", "a column devices, or a line \"# devices: 8\"", "neither"}});
  if (!neighbours && !header.neighbours)
    notes.push_back(
        {NoteKind::Guessed, 0, "the file does not state the placement of the devices: all in one node"});

  MessageRows rows(table.refused());
  while (table.next()) {
    const auto operation = operations ? operation_in(table.text(*operations)) : header.operation;
    if (!operation) table.refuse(*operations, "an operation");
    const auto members = devices ? table.count(*devices) : header.devices;
    const auto close = neighbours          ? table.count(*neighbours)
                       : header.neighbours ? header.neighbours
                                           : members;
    const auto bytes = table.number<double>(size.column, "a number"),
               duration = table.number<double>(time.column, "a number");
    if (operation && members && close && bytes && duration)
      rows.add(table.line(), {*operation, *members, *close, header.transport, Bytes(*bytes * size.unit),
                              Seconds(*duration * time.unit)});
  }
  const std::string source = header.source.empty() ? short_name(path) : header.source;
  Samples samples{"csv", {path}, source, std::move(rows).take(), {}, std::move(notes)};
  if (!neighbours && !header.neighbours) samples.placement = DevicePlacement::Assumed;
  return samples;
}

}  // namespace

const SampleFormat kMessageCsv = {"", {"size_", "time_"}, false, read_message_csv};

}  // namespace spillway
