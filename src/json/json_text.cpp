#include "json/json_text.h"

#include <algorithm>
#include <optional>

#include "json/document.h"
#include "json/settings.h"
#include "json/text_file.h"

namespace spillway {
namespace {

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

}  // namespace spillway
