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

// Sets one after another. The value is JSON, or text where it is not, and marked as typed by a user; the
// pointer names a value that is there, a new key of an object, or, by the next index or "-", a new last
// element of a list. Objects and lists on the way to a new key are made; whether there is such a key, the
// reader says.
void apply(const std::vector<Setting>& settings, Node& document, Findings& findings);

// Sets values that have been read: the members of `values` are pointers into `document`, which is the
// findings' file.
void apply(const Object& values, Node& document, Findings& findings);

// What `apply` says of a pointer that names no place.
inline constexpr std::string_view kNoPlace = "a place in the document to set";

// The value at the pointer, or null.
const Node* value_at(const Node& document, std::string_view pointer);

// Whether `pointer` is `place` or lies below it.
bool is_within(std::string_view pointer, std::string_view place);

// Where below `place` something is wrong with what was set there, "" for itself or for a key on the way to it
// that no reader knows; nothing where it is wrong with something else.
std::optional<std::string> wrong_below(const Violation& violation, std::string_view place);

}  // namespace spillway
