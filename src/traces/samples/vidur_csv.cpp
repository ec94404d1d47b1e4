// Reads microsoft/vidur, data/profiling/network/*/{all_reduce,send_recv}.csv. Columns: size in bytes, the
// median of several runs in ms (time_stats.<collective>.median), num_workers devices, devices_per_node of
// them on each node.
#include <array>

#include "traces/files/csv_table.h"
#include "traces/samples/message_rows.h"
#include "traces/samples/sample_formats.h"

namespace spillway {
namespace vidur {
namespace {

enum Column : std::size_t { kDevices, kNeighbours, kSize, kCollective };
constexpr std::array<std::string_view, 4> kColumns = {"num_workers", "devices_per_node", "size",
                                                      "collective"};

// Finds "time_stats.all_reduce.median". The file states the collective twice.
std::size_t median_column(CsvTable& table) {
  const auto found = table.find_if(
      [](std::string_view name) { return name.starts_with("time_stats.") && name.ends_with(".median"); });
  if (!found) table.refuse("a column time_stats.<collective>.median", "none of that name");
  table.throw_if_any();
  return *found;
}

Samples read_vidur_csv(const std::string& path, const TimedGroup&) {
  CsvTable table(path, kColumns);
  const std::size_t median = median_column(table);
  MessageRows rows(table.refused());
  while (table.next()) {
    const auto operation = operation_in(table.text(kCollective));
    if (!operation) table.refuse(kCollective, "a collective");
    const auto devices = table.count(kDevices), neighbours = table.count(kNeighbours);
    const auto size = table.number<double>(kSize, "a number"),
               time = table.number<double>(median, "a number");
    if (operation && devices && neighbours && size && time)
      rows.add(table.line(), {*operation, *devices, *neighbours, "", Bytes(*size), milliseconds(*time)});
  }
  return {"vidur", {path}, "microsoft/vidur sweep " + short_name(path) + ", medians", std::move(rows).take(),
          {},      {}};
}

}  // namespace
}  // namespace vidur

const SampleFormat kVidurCsv = {"vidur", {"time_stats.", "num_workers"}, false, vidur::read_vidur_csv};

}  // namespace spillway
