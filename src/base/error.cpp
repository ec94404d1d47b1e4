#include "base/error.h"

#include "base/printable.h"

namespace spillway {
namespace {

std::string one_per_line(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& violation : violations) {
    if (!text.empty()) text += '\n';
    text += to_string(violation);
  }
  return text;
}

}  // namespace

std::string to_string(const Violation& v) {
  return printable(v.file) + ": " + printable(v.pointer) + ": expected " + printable(v.expected) +
         ", found " + printable_lines(v.found);
}

std::vector<Violation> located(std::vector<Violation> violations, const std::string& file,
                               const std::string& prefix) {
  for (Violation& violation : violations) {
    if (violation.file.empty()) violation.file = file;
    violation.pointer = prefix + violation.pointer;
  }
  return violations;
}

InputError::InputError(std::vector<Violation> violations)
    : std::runtime_error(one_per_line(violations)), violations_(std::move(violations)) {}

}  // namespace spillway
