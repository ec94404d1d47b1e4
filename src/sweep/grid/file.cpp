#include "sweep/grid/file.h"

#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "base/in_parallel.h"
#include "json/canonical.h"
#include "json/document.h"
#include "json/document_kind.h"
#include "json/settings.h"
#include "sweep/grid/cells.h"
#include "sweep/grid/points.h"

namespace spillway {

struct ReadSweep {
  std::string name;
  std::string document;
  bool reports_replays;
  SweepPoints points;
};

namespace {

std::vector<std::size_t> all_cells(const SweepGrid& grid) {
  std::vector<std::size_t> cells(grid.cells());
  std::iota(cells.begin(), cells.end(), std::size_t{0});
  return cells;
}

// Returns the sweep's name, or the experiment's if the sweep has none.
std::string name_of(const Fields& fields, const SweepBase& base) {
  if (const auto name = fields.get("name", read_text)) return *name;
  const Node* stated = find(std::get<Object>(base.document.value), "name");
  const auto* text = stated ? std::get_if<std::string>(&stated->value) : nullptr;
  return text ? *text : "";
}

// The sweep as it was written, with its experiment inside.
std::string whole_document(Node sweep, const Node& experiment) {
  *find(std::get<Object>(sweep.value), "experiment") = experiment;
  return compact_json(sweep);
}

std::vector<std::string> pointers_of(const SweepGrid& grid) {
  std::vector<std::string> pointers;
  for (const SweepAxis& axis : grid.axes()) pointers.push_back(axis.pointer);
  return pointers;
}

// Refuses a set value if an axis sets its place, since no point would have the value.
void refuse_replaced(const SweepBase& base, const SweepGrid& grid, Findings& findings) {
  for (const SetPlace& set : base.sets)
    for (const SweepAxis& axis : grid.axes())
      if (is_within(set.pointer, axis.pointer))
        findings.add(set.place, "a place that no axis sets",
                     "one that " + axis.place + " sets at every point");
}

std::optional<ReadSweep> read_sweep(const Place& place) {
  const Fields fields(place, {"schema", "name", "note", "experiment", "set", "axes", "constraints", "draws",
                              "seed", "engine", "simgrid"});
  require_schema(fields, "spillway/sweep/1");
  fields.get("note", read_text);
  const auto base = read_sweep_base(fields);
  const auto grid = fields.need("axes", SweepGrid::read);
  const auto engine = fields.get("engine", [](const Place& p) {
    return read_word(p, {"longest-path", "simgrid"});
  });
  const bool all = engine == std::optional<std::size_t>(1);
  if (all) fields.forbid("simgrid", "no such key, since the engine is simgrid and runs every point");
  if (!base || !grid) return std::nullopt;
  refuse_replaced(*base, *grid, fields.findings());
  std::vector<std::size_t> cells = all_cells(*grid);
  if (const auto constraints = fields.at("constraints"))
    cells = read_cells(*constraints, *grid, *base, cells);
  std::vector<std::size_t> replayed = all ? cells : std::vector<std::size_t>{};
  if (const auto simgrid = fields.at("simgrid"); simgrid && !all)
    replayed = read_replays(*simgrid, *grid, *base, cells);
  return std::optional<ReadSweep>(
      std::in_place, ReadSweep{name_of(fields, *base), whole_document(*place.node, base->written), all,
                               SweepPoints(*base, *grid, std::move(cells), std::move(replayed))});
}

}  // namespace

struct SweepFile::Grid {
  Grid(std::string file, ReadSweep read)
      : path(std::move(file)), sweep(std::move(read)), axes(pointers_of(sweep.points.grid())) {}

  const std::string path;
  const ReadSweep sweep;
  const std::vector<std::string> axes;

  // The first call makes all keys.
  const std::vector<Digest>& keys(unsigned threads = 1) const {
    std::call_once(keyed_, [this, threads] {
      keys_.resize(sweep.points.cells().size());
      in_parallel(keys_.size(), threads,
                  [this](std::size_t point) { keys_[point] = sweep.points.key(point); });
    });
    return keys_;
  }

 private:
  mutable std::once_flag keyed_;
  mutable std::vector<Digest> keys_;  // by point
};

SweepFile::SweepFile(const Source& source) {
  Findings findings(source.file);
  const Files files;
  const std::optional<Node> document = read_json(source, findings, files);
  if (!document || is_another_kind(*document, "sweep", findings)) findings.throw_if_any();
  std::optional<ReadSweep> sweep = read_sweep({&*document, "", &findings, &files});
  findings.throw_if_any();
  sweep->points.require_possible(source.file);
  grid_ = std::make_unique<const Grid>(source.file, *std::move(sweep));
}

SweepFile::~SweepFile() = default;
SweepFile::SweepFile(SweepFile&&) noexcept = default;

const std::string& SweepFile::path() const {
  return grid_->path;
}

const std::string& SweepFile::name() const {
  return grid_->sweep.name;
}

std::uint32_t SweepFile::draws() const {
  return grid_->sweep.points.base().draws;
}

std::uint64_t SweepFile::seed() const {
  return grid_->sweep.points.base().seed;
}

const std::vector<std::string>& SweepFile::axes() const {
  return grid_->axes;
}

std::size_t SweepFile::points() const {
  return grid_->sweep.points.cells().size();
}

std::vector<std::string> SweepFile::values(std::size_t point) const {
  const SweepPoints& points = grid_->sweep.points;
  std::vector<std::string> texts;
  for (std::size_t axis = 0; axis < axes().size(); ++axis)
    texts.push_back(compact_json(points.grid().value(axis, points.cells()[point])));
  return texts;
}

bool SweepFile::replayed(std::size_t point) const {
  return grid_->sweep.points.replayed(point);
}

bool SweepFile::reports_replays() const {
  return grid_->sweep.reports_replays;
}

Experiment SweepFile::experiment(std::size_t point) const {
  return grid_->sweep.points.experiment(point);
}

std::vector<IdleKey> SweepFile::idle_keys() const {
  return grid_->sweep.points.idle_keys();
}

void SweepFile::make_keys(unsigned threads) const {
  grid_->keys(threads);
}

std::string SweepFile::key(std::size_t point) const {
  return to_string(grid_->keys()[point]);
}

std::string SweepFile::identity() const {
  const SweepPoints& points = grid_->sweep.points;
  std::string bytes = reports_replays() ? "simgrid\n" : "longest-path\n";
  for (const SweepAxis& axis : points.grid().axes())
    bytes += canonical({axis.pointer}) + canonical({axis.values});
  for (std::size_t point = 0; point < points.cells().size(); ++point) {
    append_bytes(points.cells()[point], bytes);
    append_bytes(grid_->keys()[point], bytes);
  }
  return to_string(digest_of(bytes));
}

std::string SweepFile::document() const {
  return grid_->sweep.document;
}

}  // namespace spillway
