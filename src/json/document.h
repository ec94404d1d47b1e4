// JSON text to a Node. The only reader that knows the JSON library.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/findings.h"
#include "json/file_memory.h"
#include "json/node.h"
#include "json/source.h"

namespace spillway {

// Nesting beyond this is refused: no document here is half as deep, and the readers recurse.
inline constexpr std::size_t kDeepest = 64;

// Nothing if the text is not JSON; the finding says at which line and column. A duplicate key is a finding at
// its pointer, and the first of the two stands.
std::optional<Node> parse_json(std::string_view text, Findings& findings);

std::optional<Node> read_json(const Source& source, Findings& findings, const Files& files = {});

// As text on one line.
std::string compact_json(const Node& node);

// As text again, ended by a newline; parse_json(json_text(x)) is x.
std::string json_text(const Node& node);

}  // namespace spillway
