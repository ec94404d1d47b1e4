// Where two documents differ, by JSON pointer, and what is needed to make one of the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json/node.h"

namespace spillway {

struct Difference {
  std::string pointer;
  std::optional<Node> a;  // nothing where there is no such value
  std::optional<Node> b;
  // Where the document changes: the pointer itself, or that of the path of a file in which the pointer lies.
  std::string place;
};

enum class HeldAgainst : std::uint8_t {
  Everything,
  Common,         // values that both documents have
  NamedFilesToo,  // and where the two name other files, what is in them
};

// Is it of a text for readers: an experiment's name, assumptions and baseline, notes, the source and the kind
// of a number? No step is longer or shorter for it.
bool is_for_readers(const Difference& difference);

// In the order of `a`, then what `b` alone has. Numbers are equal by value, objects whatever the order of
// their keys. Lists of objects that are as long as each other are held together element by element, other
// lists as wholes. No place lies within another.
std::vector<Difference> differences(const Node& a, const Node& b, HeldAgainst what);

// Makes `document` what `from` is at `place`. Contract: the place is one of the differences between such
// documents.
void take_over(const std::string& place, const Node& from, Node& document);

}  // namespace spillway
