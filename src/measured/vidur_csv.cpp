#include "measured/sample_formats.h"
#include "measured/sample_table.h"

namespace spillway {
namespace {

// "time_stats.all_reduce.median": the file says twice what was timed.
std::size_t median_column(const SampleTable& table, const std::string& path) {
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    const std::string& name = table.columns()[i];
    if (name.starts_with("time_stats.") && name.ends_with(".median")) return i;
  }
  throw InputError({{path, "line 1", "a column time_stats.<collective>.median", "none"}});
}

}  // namespace

Samples read_vidur_csv(const std::string& path) {
  SampleTable table(path);
  const std::size_t median = median_column(table, path);
  const auto columns = table.columns({"num_workers", "devices_per_node", "size", "collective"});
  MessageRows rows(path);
  while (table.next(rows)) {
    const auto operation = operation_in(table.text(columns[3]));
    if (!operation) rows.refuse(table.place(), "a collective", std::string(table.text(columns[3])));
    const auto devices = table.count(columns[0], rows), neighbours = table.count(columns[1], rows);
    const auto size = table.number(columns[2], rows), time = table.number(median, rows);
    if (operation && devices && neighbours && size && time)
      rows.add(table.place(), {*operation, *devices, *neighbours, "", Bytes(*size), milliseconds(*time)});
  }
  return {"vidur", {path}, "microsoft/vidur sweep " + short_name(path) + ", medians", std::move(rows).take(),
          {},      {}};
}

}  // namespace spillway
