// Reads figures with their evidence: { "value", "kind", "source" }, and if they were fitted, "interval" and
// "points". Private to src/input.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "json/place.h"
#include "platform/evidence.h"

namespace spillway {

using EvidenceWord = std::pair<std::string_view, Evidence>;

inline std::optional<Evidence> read_evidence(const Place& place) {
  std::array<EvidenceWord, kEvidenceKinds> words;
  for (std::size_t kind = 0; kind < words.size(); ++kind) {
    const auto evidence = static_cast<Evidence>(kind);
    words[kind] = {to_string(evidence), evidence};
  }
  return read_choice<Evidence>(place, words);
}

// Reads [low, high] around the value, and divides it by the value.
std::optional<RelativeInterval> read_interval(const Place& place, double value);

// How certain the value of a figure is.
struct Certainty {
  // As added to a source: " (95 % interval 7.1 to 8.2, 497 measurements)"; empty if not stated.
  std::string text;
  std::optional<RelativeInterval> interval;
};

// Returns nothing if a figure states an impossible interval or count.
std::optional<Certainty> read_certainty(const Fields& fields, std::optional<double> value);

// Reads a number in multiples of `unit`.
template <class Value>
std::optional<Sourced<Value>> read_sourced(const Place& place, Value unit, const Range& range) {
  const Fields fields(place, {"value", "kind", "source", "interval", "points"});
  const auto value = fields.need("value", [&](const Place& p) { return read_number(p, range); });
  const auto kind = fields.need("kind", read_evidence);
  const auto source = fields.need("source", read_text);
  const auto certainty = read_certainty(fields, value);
  if (!value || !kind || !source || !certainty) return std::nullopt;
  return Sourced<Value>{*value * unit, *kind, *source + certainty->text, certainty->interval};
}

// Returns a reader of a sourced number, for Fields.
auto sourced(auto unit, const Range& range = kPositive) {
  return [=](const Place& place) { return read_sourced(place, unit, range); };
}

}  // namespace spillway
