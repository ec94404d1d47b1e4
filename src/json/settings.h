// `--set /pointer=value` on a document.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/findings.h"
#include "json/node.h"

namespace spillway {

// One `--set /pointer=value`, in the order given.
struct Setting {
  std::string pointer;
  std::string value;
};

// Applies the settings in order. A value that is not JSON is taken as text; the value is marked as typed by a
// user. The pointer names an existing value, a new key of an object, or, by the next index or "-", a new last
// element of a list. Missing objects and lists on the way to a new key are made. The reader decides whether
// such a key exists.
void apply(const std::vector<Setting>& settings, Node& document, Findings& findings);

// The same for values that have been read: the keys of `values` are pointers into `document`. `findings` are
// those of the document's file.
void apply(const Object& values, Node& document, Findings& findings);

// `apply` expects this of a pointer that names no place.
inline constexpr std::string_view kNoPlace = "a place in the document to set";

// The value at the pointer, or null.
const Node* value_at(const Node& document, std::string_view pointer);

// Returns true if `pointer` is `place` or lies below it.
bool is_within(std::string_view pointer, std::string_view place);

// The pointer, relative to `place`, of a violation that a setting at `place` caused. It is "" for the place
// itself, and for an unknown key on the way to it. Returns nothing if the violation concerns something else.
std::optional<std::string> wrong_below(const Violation& violation, std::string_view place);

}  // namespace spillway
