#include "json/json_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "json/document.h"
#include "json/settings.h"
#include "json/text_file.h"

namespace spillway {
namespace {

constexpr std::array<std::string_view, 3> kNotFinite = {"-Infinity", "Infinity", "NaN"};

// The position after the text that begins at `at`.
std::size_t end_of_text(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return text.size();
}

// The position after the comment that begins at `at`; `at` if none begins there.
std::size_t end_of_comment(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (!rest.starts_with("/*")) return at;
  const std::size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? at : end + 2;
}

std::string_view after_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

}  // namespace

bool names_our_schema(std::string_view text) {
  constexpr std::string_view key = "\"schema\"", value = "\"spillway/";
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const std::string_view rest = after_blanks(text.substr(at + key.size()));
    if (rest.starts_with(':') && after_blanks(rest.substr(1)).starts_with(value)) return true;
  }
  return false;
}

std::string read_json_text(const Source& source) {
  Findings findings(source.file);
  const std::optional<std::string> text = source.text ? source.text : read_file(source.file, findings);
  findings.throw_if_any();
  check_json(*text, source.file);
  return *text;
}

void check_json(std::string_view text, const std::string& file) {
  Findings findings(file);
  parse_json(text, findings);
  findings.throw_if_any();
}

std::string with_settings(std::string_view text, const std::string& file,
                          const std::vector<Setting>& settings) {
  Findings findings(file);
  std::optional<Node> document = parse_json(text, findings);
  findings.throw_if_any();
  apply(settings, *document, findings);
  findings.throw_if_any();
  return json_text(*document);
}

std::string strict_json(std::string_view text) {
  std::string strict;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t past_text = text[at] == '"' ? end_of_text(text, at) : at;
    const std::size_t past_comment = end_of_comment(text, at);
    const auto word = std::ranges::find_if(
        kNotFinite, [&](std::string_view name) { return text.substr(at).starts_with(name); });
    if (past_comment > at) {
      for (; at < past_comment; ++at) strict += text[at] == '\n' ? '\n' : ' ';
    } else if (past_text > at) {
      strict += text.substr(at, past_text - at);
      at = past_text;
    } else if (word != kNotFinite.end()) {
      strict.append(1, '"').append(*word).append(1, '"');
      at += word->size();
    } else {
      strict += text[at++];
    }
  }
  return strict;
}

}  // namespace spillway
