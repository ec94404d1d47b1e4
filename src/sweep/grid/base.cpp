#include "sweep/grid/base.h"

#include <limits>
#include <utility>

#include "experiment/experiment.h"
#include "json/document.h"
#include "json/document_kind.h"
#include "json/named_file.h"
#include "json/settings.h"

namespace spillway {
namespace {

std::optional<Node> read_object(const Place& place) {
  if (std::holds_alternative<Object>(place.node->value)) return *place.node;
  place.refuse("an object");
  return std::nullopt;
}

Node read_document(const std::string& path, const Files& files) {
  Findings findings(path);
  const std::optional<Node> document = read_json(path, findings, files);
  if (!document || is_another_kind(*document, "experiment", findings)) findings.throw_if_any();
  std::optional<Node> object = read_object({&*document, "", &findings, &files});
  findings.throw_if_any();
  return *std::move(object);
}

// Reads the path of an experiment, or the experiment itself.
std::optional<SweepBase> read_written(const Place& place) {
  const std::string& sweep = place.findings->file();
  if (const auto* path = std::get_if<std::string>(&place.node->value)) {
    auto document = read_named_file(place, read_document);
    if (!document) return std::nullopt;
    return SweepBase{*document, *document, beside(sweep, *path, "experiment"), true, {}, 1, 1};
  }
  if (std::holds_alternative<Object>(place.node->value))
    return SweepBase{*place.node, *place.node, sweep, false, {}, 1, 1};
  place.refuse("the path of an experiment, or an experiment");
  return std::nullopt;
}

// Refuses a set value that a later entry replaces.
void refuse_replaced(const std::vector<SetPlace>& sets, Findings& findings) {
  for (auto set = sets.begin(); set != sets.end(); ++set)
    for (auto later = set + 1; later != sets.end(); ++later)
      if (is_within(set->pointer, later->pointer))
        findings.add(set->place, "a place that no later entry sets again", describe({later->pointer}));
}

void set_values(const Object& values, SweepBase& base, Findings& findings) {
  for (const auto& [pointer, value] : values) base.sets.push_back({pointer, child("/set", pointer)});
  Findings set(base.file);
  apply(values, base.document, set);
  for (const Violation& violation : set.all())
    findings.add(std::vector{relocated(violation, base, base.sets, findings.file())});
}

// Returns the sweep's own value. Without one, returns the experiment's value, or 1.
template <class Count, class Read>
Count read_own(const Fields& fields, SweepBase& base, const std::string& key, Read read) {
  const std::string pointer = '/' + key;
  if (const auto own = fields.get(key, read)) {
    Findings ignored("");  // never used: an object takes every key
    apply(Object{{pointer, Node{std::uint64_t{*own}}}}, base.document, ignored);
    base.sets.push_back({pointer, pointer});
    return *own;
  }
  const Node* stated = value_at(base.document, pointer);
  if (!stated) {
    std::get<Object>(base.document.value).push_back({key, Node{std::uint64_t{1}}});
    return 1;
  }
  Findings ignored("");  // ignored, since every point of the sweep reports the same
  const auto value = read({stated, pointer, &ignored, nullptr});
  return value ? static_cast<Count>(*value) : 1;
}

}  // namespace

std::optional<SweepBase> read_sweep_base(const Fields& fields) {
  auto base = fields.need("experiment", read_written);
  const auto values = fields.get("set", read_object);
  if (!base) return std::nullopt;
  if (values) set_values(std::get<Object>(values->value), *base, fields.findings());
  base->draws = read_own<std::uint32_t>(fields, *base, "draws",
                                        [](const Place& p) { return read_count(p, 1, kMostDraws); });
  base->seed = read_own<std::uint64_t>(fields, *base, "seed", [](const Place& p) {
    return read_whole(p, 0, std::numeric_limits<std::uint64_t>::max());
  });
  refuse_replaced(base->sets, fields.findings());
  return base;
}

Violation relocated(Violation violation, const SweepBase& base, const std::vector<SetPlace>& sets,
                    const std::string& path) {
  if (violation.file != base.file) return violation;
  for (auto set = sets.rbegin(); set != sets.rend(); ++set) {
    const auto below = wrong_below(violation, set->pointer);
    if (!below) continue;
    violation.file = path;
    violation.pointer = set->place + *below;
    return violation;
  }
  if (base.named) return violation;
  violation.pointer = "/experiment" + (violation.pointer == "/" ? "" : violation.pointer);
  return violation;
}

}  // namespace spillway
