// Figures with their evidence: { "value", "kind", "source" }, and where they were fitted "interval" and
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

// [low, high] about the value, over it.
std::optional<RelativeInterval> read_interval(const Place& place, double value);

// How sure a figure is of its value.
struct Certainty {
  std::string
      text;  // as a source says it: " (95 % interval 7.1 to 8.2, 497 measurements)"; empty where not stated
  std::optional<RelativeInterval> interval;
};

// Nothing where a figure states what cannot be.
std::optional<Certainty> read_certainty(const Fields& fields, std::optional<double> value);

// A number in multiples of `unit`.
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

// Of a sourced number, as a reader for Fields.
auto sourced(auto unit, const Range& range = kPositive) {
  return [=](const Place& place) { return read_sourced(place, unit, range); };
}

}  // namespace spillway
