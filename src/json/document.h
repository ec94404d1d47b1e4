// Parses JSON text into a Node. No other reader uses the JSON library.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/findings.h"
#include "json/file_memory.h"
#include "json/node.h"
#include "json/source.h"

namespace spillway {

// Deeper nesting is refused, because readers recurse. No document of ours is half as deep.
inline constexpr std::size_t kDeepest = 64;

// Returns nothing if the text is not JSON; the finding has the line and column. A duplicate key is a finding
// at its pointer; the first value is kept.
std::optional<Node> parse_json(std::string_view text, Findings& findings);

std::optional<Node> read_json(const Source& source, Findings& findings, const Files& files = {});

// The document as text on one line.
std::string compact_json(const Node& node);

// The document as text that ends with a newline; parse_json(json_text(x)) is x.
std::string json_text(const Node& node);

}  // namespace spillway
