// What `spillway derive` prints: placement, collectives and order.
#pragma once

#include <iosfwd>
#include <optional>
#include <string_view>

#include "derive/derive.h"

namespace spillway {

enum class DerivationFormat { Text, Json, Dot, GraphMl };

// text, json, dot, graphml.
std::optional<DerivationFormat> derivation_format_from(std::string_view name);

// Linear in the events and edges; events print as in the paper. dot and graphml hold the order alone.
void write_derivation(std::ostream& out, const Derived& derived, DerivationFormat format);

// The single formats. JSON: a rank may own several layer ranges; edges name their events.
void write_derivation_json(std::ostream& out, const Derived& derived);
void write_derivation_text(std::ostream& out, const Derived& derived);

}  // namespace spillway
