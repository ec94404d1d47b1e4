#include "sweep/grid/points.h"

#include <algorithm>
#include <optional>

#include "input/experiment/experiment.h"
#include "input/experiment/warnings.h"
#include "json/canonical.h"
#include "json/place.h"
#include "json/settings.h"

namespace spillway {
namespace {

constexpr std::size_t kMostTried = 1000;
constexpr std::size_t kMostLookedAt = 64;

// Returns true for members that no result depends on.
bool is_remark(const Member& member) {
  return member.key == "name" || member.key == "note" || member.key == "assumptions";
}

bool leads_nowhere(const Violation& violation, const SweepAxis& axis) {
  return is_within(axis.pointer, violation.pointer) &&
         (violation.expected == kNoPlace || violation.expected.starts_with(kKnownKey));
}

std::string place_of_value(const SweepGrid& grid, std::size_t axis, std::size_t cell) {
  const SweepAxis& set = grid.axes()[axis];
  return set.place + (set.listed ? "/values/" + std::to_string(grid.index(axis, cell)) : "/range");
}

}  // namespace

bool SweepPoints::replayed(std::size_t point) const {
  return std::binary_search(replayed_.begin(), replayed_.end(), cells_[point]);
}

Node SweepPoints::document(std::size_t point, Findings& findings) const {
  Node document = base_.document;
  for (std::size_t axis = 0; axis < grid_.axes().size(); ++axis)
    apply(Object{{grid_.axes()[axis].pointer, grid_.value(axis, cells_[point])}}, document, findings);
  return document;
}

// A key that changes nothing at one point may matter at others. So idle keys are reported for all points
// together.
Experiment SweepPoints::experiment(std::size_t point) const {
  Experiment experiment = with_idle_keys(point);
  experiment.idle_keys.clear();
  return experiment;
}

Experiment SweepPoints::with_idle_keys(std::size_t point) const {
  Findings findings(base_.file);
  const Node read = document(point, findings);
  const Files files(*memory_);
  std::optional<Experiment> experiment = read_experiment(Place{&read, "", &findings, &files});
  findings.throw_if_any();
  for (Warning& warning : carried_along(base_.written, read))
    experiment->warnings.push_back(std::move(warning));
  return *std::move(experiment);
}

Digest SweepPoints::key(std::size_t point) const {
  Findings findings(base_.file);
  Node read = document(point, findings);
  std::string bytes(1, replayed(point) ? 'r' : '-');
  for (const Violation& unset : findings.all()) bytes += unset.pointer + '\n';
  const Files files(*memory_);
  read_experiment(Place{&read, "", &findings, &files});  // opens the files, even of an impossible one
  append_bytes(files.opened().size(), bytes);
  for (const Digest& content : files.opened()) append_bytes(content, bytes);
  std::erase_if(std::get<Object>(read.value), is_remark);
  return digest_of(bytes + canonical(read));
}

std::vector<IdleKey> SweepPoints::idle_keys() const {
  const std::size_t points = cells_.size(), tried = std::min(points, kMostLookedAt);
  std::optional<std::vector<IdleKey>> shared;
  for (std::size_t i = 0; i < tried; ++i) {
    try {
      const std::vector<IdleKey> idle = with_idle_keys(i * points / tried).idle_keys;
      if (!shared) shared = idle;
      std::erase_if(*shared, [&](const IdleKey& one) {
        return std::find(idle.begin(), idle.end(), one) == idle.end();
      });
    } catch (const InputError&) {
    }
  }
  if (!shared) return {};
  std::erase_if(*shared, [&](const IdleKey& one) {  // the sweep adds these to every point
    return (one.pointer == "/draws" && base_.draws == 1) || (one.pointer == "/seed" && base_.seed == 1);
  });
  return *std::move(shared);
}

Violation SweepPoints::seen_from(const std::string& path, Violation violation, std::size_t point) const {
  std::vector<SetPlace> sets = base_.sets;
  for (std::size_t axis = 0; axis < grid_.axes().size(); ++axis) {
    const SweepAxis& set = grid_.axes()[axis];
    if (violation.file == base_.file && leads_nowhere(violation, set))
      return {path, child(set.place, "pointer"), violation.expected, violation.found};
    sets.push_back({set.pointer, place_of_value(grid_, axis, cells_[point])});
  }
  return relocated(std::move(violation), base_, sets, path);
}

std::vector<Violation> SweepPoints::wrong_with(std::size_t point, const std::string& path) const {
  try {
    experiment(point);
    return {};
  } catch (const InputError& error) {
    std::vector<Violation> violations = error.violations();
    for (Violation& violation : violations) violation = seen_from(path, std::move(violation), point);
    return violations;
  }
}

void SweepPoints::require_possible(const std::string& path) const {
  const std::size_t points = cells_.size(), tried = std::min(points, kMostTried);
  const std::vector<Violation> first = wrong_with(0, path);
  std::vector<Violation> shared = first;
  for (std::size_t i = 0; i < tried; ++i) {
    const std::vector<Violation> wrong = wrong_with(i * points / tried, path);
    if (wrong.empty()) return;
    std::erase_if(shared, [&](const Violation& one) {
      return std::find(wrong.begin(), wrong.end(), one) == wrong.end();
    });
  }
  if (tried == points) throw InputError(first);
  if (!shared.empty()) throw InputError(shared);
}

}  // namespace spillway
