#include "launch/shell/shell_words.h"

#include "launch/shell/marks.h"

namespace spillway {
namespace {

bool is_shell(const std::string& word) {
  return word == "bash" || word == "sh" || word.ends_with("/bash") || word.ends_with("/sh");
}

}  // namespace

bool may_train(const std::string& field) {
  const std::string text = without_lines(field);
  return text.starts_with("--") || text.ends_with(".yaml") || text.ends_with(".yml");
}

const std::string* text_for_shell(const std::vector<std::string>& fields) {
  for (std::size_t i = 0; i + 2 < fields.size(); ++i) {
    if (!is_shell(without_lines(fields[i]))) continue;
    for (std::size_t option = i + 1; option + 1 < fields.size(); ++option) {
      const std::string word = without_lines(fields[option]);
      if (!word.starts_with('-')) break;
      if (word.ends_with('c') && !word.starts_with("--")) return &fields[option + 1];
    }
  }
  return nullptr;
}

}  // namespace spillway
