// Adds entries to a document's `schedules`: each is tried, and stays if the document is an experiment with
// it.
#include <string>

#include "dice.h"
#include "shape.h"

namespace spillway::testing {
namespace {

// Returns a copy of an entry without one of its keys, so that two nearly equal schedules are in one document.
Json neighbour(const Json& schedules) {
  Json entry = any_of(schedules.get<std::vector<Json>>());
  std::vector<std::string> optional;
  for (const auto& [key, value] : entry.items())
    if (key != "name" && key != "schedule" && key != "system" && key != "actions") optional.push_back(key);
  if (!optional.empty()) entry.erase(any_of(optional));
  return entry;
}

// Returns a schedule with an order from a file, which is shipped for one size.
Json order_file() {
  return {{"schedule", "listed"}, {"order_file", shipped("workloads/orders/small-split.csv")}};
}

Json any_entry(const Shape& shape, const Json& schedules) {
  if (shape.ranks == 4 && shape.microbatches == 3 && one_in(4)) return order_file();
  if (one_in(4)) return neighbour(schedules);
  return shape.has_encoder && !one_in(3) ? system_entry(shape) : written_entry(shape);
}

}  // namespace

Json with_more_schedules(Json document, std::uint32_t tries) {
  const Shape shape = shape_of(document);
  for (std::uint32_t i = 0; i < tries; ++i) {
    Json more = document;
    Json entry = any_entry(shape, document["schedules"]);
    entry["name"] = "more" + std::to_string(i);
    more["schedules"].push_back(std::move(entry));
    if (is_experiment(more)) document = std::move(more);
  }
  return document;
}

}  // namespace spillway::testing
