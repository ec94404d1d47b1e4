// The differences of two documents by JSON pointer, and the changes that turn one into the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json/node.h"

namespace spillway {

struct Difference {
  std::string pointer;
  std::optional<Node> a;  // nothing if A has no such value
  std::optional<Node> b;
  // The place where the document changes: `pointer`, or, if `pointer` is inside a named file, that of the
  // file's path.
  std::string place;
};

enum class HeldAgainst : std::uint8_t {
  Everything,     // all values
  Common,         // only values that both documents have
  NamedFilesToo,  // all values, and the content of files that the two name differently
};

// Returns true for a text that only readers use: an experiment's name, assumptions and baseline, notes, the
// source and the kind of a number. Such a text changes no step time.
bool is_for_readers(const Difference& difference);

// Returns the differences in the order of `a`, then the values that only `b` has. Numbers are compared by
// value, objects without regard to the order of keys. Lists of objects are compared element by element if
// they have the same length, other lists as a whole. No place lies within another.
std::vector<Difference> differences(const Node& a, const Node& b, HeldAgainst what);

// Replaces the value of `document` at `place` by that of `from`. Contract: `place` is one of the differences
// between the two documents.
void take_over(const std::string& place, const Node& from, Node& document);

}  // namespace spillway
