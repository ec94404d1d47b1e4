#include "sweep/grid/axes.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <variant>

#include "base/text.h"
#include "json/canonical.h"
#include "json/settings.h"
#include "sweep/grid/file.h"
#include "sweep/grid/range.h"

namespace spillway {
namespace {

struct WrittenAxis {
  std::string pointer;
  Place place;
  std::variant<List, SweepRange> values;

  std::uint64_t count() const {
    const auto* list = std::get_if<List>(&values);
    return list ? list->size() : length(std::get<SweepRange>(values));
  }
};
using Zipped = std::vector<WrittenAxis>;  // one axis, or several of the same length

std::optional<std::string> read_pointer(const Place& place) {
  const std::optional<std::string> pointer = read_text(place);
  if (!pointer) return std::nullopt;
  for (const std::string own : {"draws", "seed"}) {
    if (!is_within(*pointer, '/' + own)) continue;
    place.refuse("another place, since a sweep states its " + own + " in its own key " + own);
    return std::nullopt;
  }
  for (const std::string remark : {"name", "note", "assumptions"}) {
    if (!is_within(*pointer, '/' + remark)) continue;
    place.refuse("a place that changes results, since points that differ only in " + remark +
                 " are the same point");
    return std::nullopt;
  }
  if (pointer->starts_with('/')) return pointer;
  place.refuse("a JSON pointer into the experiment, which starts with /");
  return std::nullopt;
}

std::optional<List> read_values(const Place& place) {
  const auto elements = read_list(place);
  if (!elements) return std::nullopt;
  if (elements->empty()) {
    place.refuse("at least one value");
    return std::nullopt;
  }
  return std::get<List>(place.node->value);
}

std::optional<WrittenAxis> read_axis(const Place& place) {
  const Fields fields(place, {"pointer", "values", "range"});
  const auto pointer = fields.need("pointer", read_pointer);
  if (fields.at("values")) {
    fields.forbid("range", "no such key beside values");
    const auto list = fields.get("values", read_values);
    return pointer && list ? std::optional(WrittenAxis{*pointer, place, *list}) : std::nullopt;
  }
  if (std::holds_alternative<Object>(place.node->value) && !fields.at("range")) {
    place.findings->add(place.pointer, "values or a range", "neither");
    return std::nullopt;
  }
  const auto range = fields.get("range", read_sweep_range);
  return pointer && range ? std::optional(WrittenAxis{*pointer, place, *range}) : std::nullopt;
}

std::optional<Zipped> read_zip(const Place& place) {
  auto axes = read_each(place, read_axis);
  if (!axes) return std::nullopt;
  if (axes->empty()) {
    place.refuse("at least one axis");
    return std::nullopt;
  }
  for (const WrittenAxis& axis : *axes) {
    if (axis.count() == axes->front().count()) continue;
    place.findings->add(
        axis.place.pointer,
        "as many values as the first axis of the zip, " + std::to_string(axes->front().count()),
        std::to_string(axis.count()));
  }
  return axes;
}

// Refuses values that an earlier entry of the same axes has. A range never repeats a value.
void require_used_once(const Zipped& zipped) {
  std::vector<const List*> lists;
  for (const WrittenAxis& axis : zipped) lists.push_back(std::get_if<List>(&axis.values));
  if (std::find(lists.begin(), lists.end(), nullptr) != lists.end()) return;
  std::set<std::string> known;
  for (std::size_t i = 0; i < lists.front()->size(); ++i) {
    std::string together;
    for (const List* list : lists)
      if (i < list->size()) together += comparable((*list)[i]) + '\n';
    const Place& first = zipped.front().place;
    if (!known.insert(together).second)
      first.findings->add(
          child(child(first.pointer, "values"), std::to_string(i)),
          lists.size() == 1 ? "a value used once" : "values that no earlier entry of the zip has",
          describe((*lists.front())[i]));
  }
}

std::optional<Zipped> read_dimension(const Place& place) {
  const auto* object = std::get_if<Object>(&place.node->value);
  std::optional<Zipped> zipped;
  if (object && find(*object, "zip"))
    zipped = Fields(place, {"zip"}).need("zip", read_zip);
  else if (auto axis = read_axis(place))
    zipped = Zipped{std::move(*axis)};
  if (zipped) require_used_once(*zipped);
  return zipped;
}

// Refuses a pointer that lies within the place of an earlier axis, since it would set that place again.
void check_pointers(const std::vector<Zipped>& dimensions) {
  std::vector<std::string> known;
  for (const Zipped& zipped : dimensions) {
    for (const WrittenAxis& axis : zipped) {
      const bool covers = std::any_of(known.begin(), known.end(), [&](const std::string& before) {
        return is_within(before, axis.pointer);
      });
      if (covers)
        axis.place.findings->add(child(axis.place.pointer, "pointer"),
                                 "a place that no earlier axis sets, wholly or in part",
                                 describe({axis.pointer}));
      known.push_back(axis.pointer);
    }
  }
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::numeric_limits<std::uint64_t>::max();
  return result;
}

// Refuses a grid that is too large, before it is made.
bool is_small_enough(const std::vector<Zipped>& dimensions, const Place& place) {
  std::uint64_t points = 1;
  std::string factors;
  const Zipped* longest = &dimensions.front();
  for (const Zipped& zipped : dimensions) {
    const std::uint64_t count = zipped.front().count();
    points = product(points, count);
    add_to_list(factors, std::to_string(count), " x ");
    if (count > longest->front().count()) longest = &zipped;
  }
  if (points <= kMostPoints) return true;
  const bool saturated = points == std::numeric_limits<std::uint64_t>::max();
  place.findings->add(place.pointer,
                      "at most " + std::to_string(kMostPoints) + " points; use fewer values on " +
                          longest->front().place.pointer +
                          ", the longest axis (a larger step or factor), zip axes, or split the sweep",
                      factors + " = " + (saturated ? "at least " : "") + std::to_string(points) + " points");
  return false;
}

SweepAxis made(const WrittenAxis& axis) {
  const auto* list = std::get_if<List>(&axis.values);
  return {axis.pointer, axis.place.pointer, list != nullptr,
          list ? *list : values(std::get<SweepRange>(axis.values))};
}

// Refuses steps that are too small for a double to represent.
void require_distinct(const SweepAxis& axis, Findings& findings) {
  if (axis.listed) return;
  const auto same = std::adjacent_find(axis.values.begin(), axis.values.end());
  if (same != axis.values.end())
    findings.add(child(axis.place, "range"), "numbers that differ as doubles",
                 describe(*same) + " more than once");
}

}  // namespace

std::optional<SweepGrid> SweepGrid::read(const Place& place) {
  const auto dimensions = read_each(place, read_dimension);
  if (!dimensions) return std::nullopt;
  if (dimensions->empty()) {
    place.refuse("at least one axis");
    return std::nullopt;
  }
  check_pointers(*dimensions);
  if (!is_small_enough(*dimensions, place)) return std::nullopt;
  SweepGrid grid;
  for (auto zipped = dimensions->rbegin(); zipped != dimensions->rend(); ++zipped) {
    for (auto axis = zipped->rbegin(); axis != zipped->rend(); ++axis) {
      grid.axes_.push_back(made(*axis));
      grid.stride_.push_back(grid.cells_);
      require_distinct(grid.axes_.back(), *place.findings);
    }
    grid.cells_ *= zipped->front().count();
  }
  std::reverse(grid.axes_.begin(), grid.axes_.end());
  std::reverse(grid.stride_.begin(), grid.stride_.end());
  return grid;
}

}  // namespace spillway
