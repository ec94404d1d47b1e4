// Figures with their evidence: { "value", "kind", "source" }. Private to src/spec.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "platform/evidence.h"
#include "spec/place.h"

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

// A number in multiples of `unit`.
template <class Value>
std::optional<Sourced<Value>> read_sourced(const Place& place, Value unit, const Range& range) {
  const Fields fields(place, {"value", "kind", "source"});
  const auto value = fields.need("value", [&](const Place& p) { return read_number(p, range); });
  const auto kind = fields.need("kind", read_evidence);
  const auto source = fields.need("source", read_text);
  if (!value || !kind || !source) return std::nullopt;
  return Sourced<Value>{*value * unit, *kind, *source};
}

// The same as a reader for Fields.
auto sourced(auto unit, const Range& range = kPositive) {
  return [=](const Place& place) { return read_sourced(place, unit, range); };
}

}  // namespace spillway
