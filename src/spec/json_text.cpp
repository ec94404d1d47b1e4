#include "spec/json_text.h"

#include <optional>

#include "spec/document.h"
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

}  // namespace spillway
