#include "sweep/grid/cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "json/content_digest.h"
#include "json/settings.h"

namespace spillway {
namespace {

using Operand = std::variant<double, bool, std::string>;

// A constant, or the value of a pointer. If an axis changes that place, it has one value for each value of
// the axis.
struct ConstraintTerm {
  std::optional<std::size_t> axis;
  std::vector<Operand> values;  // by index on the axis; one value without an axis

  const Operand& at(const SweepGrid& grid, std::size_t cell) const {
    return values[axis ? grid.index(*axis, cell) : 0];
  }
};

enum class Relation { Less, AtMost, Greater, AtLeast, Equal, Different, Divides, MultipleOf };

// A constraint that a point must meet: { "left": X, "is": "<=", "right": Y }. X and Y are numbers, truth
// values, texts, pointers into the point's experiment, or products of numbers.
struct SweepConstraint {
  std::vector<ConstraintTerm> left;  // several terms are multiplied
  Relation is;
  std::vector<ConstraintTerm> right;

  bool holds(const SweepGrid& grid, std::size_t cell) const;
};

using RelationWord = std::pair<std::string_view, Relation>;
constexpr std::array<RelationWord, 8> kRelations = {{{"<", Relation::Less},
                                                     {"<=", Relation::AtMost},
                                                     {">", Relation::Greater},
                                                     {">=", Relation::AtLeast},
                                                     {"=", Relation::Equal},
                                                     {"!=", Relation::Different},
                                                     {"divides", Relation::Divides},
                                                     {"multiple of", Relation::MultipleOf}}};

constexpr const char* kOperand = "a number, a truth value, a text or a pointer into the experiment";

std::optional<Operand> operand_of(const Node& node) {
  if (const auto* value = std::get_if<double>(&node.value)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(&node.value)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&node.value)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<bool>(&node.value)) return *value;
  if (const auto* value = std::get_if<std::string>(&node.value)) return *value;
  return std::nullopt;
}

// Finds the values of a pointer. The last axis that sets the place, or a place above it, gives them.
// Otherwise the base gives one value.
class Surroundings {
 public:
  Surroundings(const SweepGrid& grid, const Node& base) : grid_(grid), base_(base) {}

  std::optional<ConstraintTerm> term(const Place& place) const {
    const auto* text = std::get_if<std::string>(&place.node->value);
    if (text && text->starts_with('/')) return pointed(place, *text);
    const auto operand = operand_of(*place.node);
    if (operand) return ConstraintTerm{std::nullopt, {*operand}};
    place.refuse(kOperand);
    return std::nullopt;
  }

 private:
  std::optional<ConstraintTerm> pointed(const Place& place, const std::string& pointer) const {
    for (std::size_t axis = grid_.axes().size(); axis-- > 0;)
      if (is_within(pointer, grid_.axes()[axis].pointer)) return varying(place, pointer, axis);
    const auto operand = at(base_, pointer);
    if (operand) return ConstraintTerm{std::nullopt, {*operand}};
    place.refuse("the pointer of a number, a truth value or a text that the experiment states");
    return std::nullopt;
  }

  std::optional<ConstraintTerm> varying(const Place& place, const std::string& pointer,
                                        std::size_t axis) const {
    const SweepAxis& set = grid_.axes()[axis];
    ConstraintTerm term{axis, {}};
    for (const Node& value : set.values) {
      const auto operand = at(value, std::string_view(pointer).substr(set.pointer.size()));
      if (operand) {
        term.values.push_back(*operand);
        continue;
      }
      place.refuse("the pointer of a number, a truth value or a text in every value of " + set.place);
      return std::nullopt;
    }
    return term;
  }

  static std::optional<Operand> at(const Node& node, std::string_view pointer) {
    const Node* value = value_at(node, pointer);
    return value ? operand_of(*value) : std::nullopt;
  }

  const SweepGrid& grid_;
  const Node& base_;
};

bool is_number(const ConstraintTerm& term) {
  return std::all_of(term.values.begin(), term.values.end(),
                     [](const Operand& value) { return std::holds_alternative<double>(value); });
}

using Terms = std::vector<ConstraintTerm>;

std::optional<Terms> read_product(const Place& place, const Surroundings& around) {
  return Fields(place, {"product"}).need("product", [&](const Place& p) -> std::optional<Terms> {
    auto terms = read_each(p, [&](const Place& factor) -> std::optional<ConstraintTerm> {
      auto term = around.term(factor);
      if (!term || is_number(*term)) return term;
      factor.refuse("a number, or a pointer to one");
      return std::nullopt;
    });
    if (terms && terms->empty()) p.refuse("at least one factor");
    return terms && !terms->empty() ? std::move(terms) : std::nullopt;
  });
}

std::optional<Terms> read_side(const Place& place, const Surroundings& around) {
  if (std::holds_alternative<Object>(place.node->value)) return read_product(place, around);
  const auto term = around.term(place);
  return term ? std::optional(Terms{*term}) : std::nullopt;
}

bool compares_numbers(Relation is) {
  return is != Relation::Equal && is != Relation::Different;
}

std::optional<SweepConstraint> read_constraint(const Place& place, const Surroundings& around) {
  const Fields fields(place, {"left", "is", "right"});
  const auto read_one = [&](const Place& p) { return read_side(p, around); };
  auto left = fields.need("left", read_one);
  const auto is = fields.need("is", [](const Place& p) { return read_choice<Relation>(p, kRelations); });
  auto right = fields.need("right", read_one);
  if (!left || !is || !right) return std::nullopt;
  bool sound = true;
  for (const auto& [key, terms] : {std::pair("left", &*left), std::pair("right", &*right)}) {
    if (!compares_numbers(*is) || std::all_of(terms->begin(), terms->end(), is_number)) continue;
    fields.at(key)->refuse("a number, or a pointer to one, to be compared by " +
                           describe(*fields.at("is")->node));
    sound = false;
  }
  return sound ? std::optional(SweepConstraint{*std::move(left), *is, *std::move(right)}) : std::nullopt;
}

Operand value_of(const Terms& terms, const SweepGrid& grid, std::size_t cell) {
  if (terms.size() == 1) return terms.front().at(grid, cell);
  double product = 1;
  for (const ConstraintTerm& term : terms) product *= std::get<double>(term.at(grid, cell));
  return product;
}

bool is_multiple(double whole, double part) {
  return part != 0 && std::fmod(whole, part) == 0;
}

bool related(double left, Relation is, double right) {
  switch (is) {
    case Relation::Less:
      return left < right;
    case Relation::AtMost:
      return left <= right;
    case Relation::Greater:
      return left > right;
    case Relation::AtLeast:
      return left >= right;
    case Relation::Divides:
      return is_multiple(right, left);
    default:
      return is_multiple(left, right);
  }
}

bool SweepConstraint::holds(const SweepGrid& grid, std::size_t cell) const {
  const Operand a = value_of(left, grid, cell), b = value_of(right, grid, cell);
  if (compares_numbers(is)) return related(std::get<double>(a), is, std::get<double>(b));
  return (a == b) == (is == Relation::Equal);
}

// `base` is the experiment before any axis.
std::optional<std::vector<SweepConstraint>> read_constraints(const Place& place, const SweepGrid& grid,
                                                             const Node& base) {
  const Surroundings around(grid, base);
  return read_each(place, [&](const Place& p) { return read_constraint(p, around); });
}

std::vector<std::size_t> sampled(std::vector<std::size_t> cells, std::size_t count, std::uint64_t seed) {
  const auto lot = [seed](std::size_t cell) {
    std::string bytes;
    append_bytes(seed, bytes);
    append_bytes(cell, bytes);
    return std::pair(digest_of(bytes).high, cell);
  };
  if (count >= cells.size()) return cells;
  std::nth_element(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(count), cells.end(),
                   [&](std::size_t a, std::size_t b) { return lot(a) < lot(b); });
  cells.resize(count);
  std::sort(cells.begin(), cells.end());
  return cells;
}

}  // namespace

std::vector<std::size_t> read_cells(const Place& place, const SweepGrid& grid, const SweepBase& base,
                                    const std::vector<std::size_t>& cells) {
  const auto constraints = read_constraints(place, grid, base.document);
  if (!constraints) return {};
  std::vector<std::size_t> met;
  std::copy_if(cells.begin(), cells.end(), std::back_inserter(met), [&](std::size_t cell) {
    return std::all_of(constraints->begin(), constraints->end(),
                       [&](const SweepConstraint& one) { return one.holds(grid, cell); });
  });
  if (met.empty() && !cells.empty())
    place.findings->add(place.pointer, "constraints that at least one point meets",
                        "none of " + std::to_string(cells.size()) + " that does");
  return met;
}

std::vector<std::size_t> read_replays(const Place& place, const SweepGrid& grid, const SweepBase& base,
                                      const std::vector<std::size_t>& cells) {
  const Fields fields(place, {"sample", "where"});
  if (const auto where = fields.at("where")) {
    fields.forbid("sample", "no such key beside where");
    return read_cells(*where, grid, base, cells);
  }
  const auto sample = fields.need("sample", [](const Place& p) { return read_count(p); });
  return sample ? sampled(cells, *sample, base.seed) : std::vector<std::size_t>{};
}

}  // namespace spillway
