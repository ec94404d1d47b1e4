#include "spec/json_text.h"

#include <optional>

#include "spec/document.h"
#include "spec/settings.h"
#include "spec/text_file.h"

namespace spillway {

std::string read_json_text(const std::string& path) {
  Findings findings(path);
  const std::optional<std::string> text = read_file(path, findings);
  findings.throw_if_any();
  check_json(*text, path);
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
