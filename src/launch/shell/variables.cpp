// Assignments. Under a condition that is not known, a list keeps the elements that it has in any case, and
// what may be added becomes an unknown part. Test: tests/launch/shell_script_test.cpp.
#include "launch/shell/variables.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "launch/shell/expand.h"
#include "launch/shell/lexer.h"

namespace spillway {

void ShellVariables::fix(const std::string& name, const std::string& value, Findings& findings) {
  const bool number = !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  if (!number && !is_shell_name(name)) {
    findings.add("--set " + name, "the name of a variable, or a number as in $1", "\"" + name + "\"");
    return;
  }
  fixed_.insert(name);
  if (!number) {
    state_.variables[name] = {{line_mark(0) + value}, false};
    return;
  }
  const std::size_t index = name.size() > 3 ? 0 : std::stoul(name);
  if (index == 0) return findings.add("--set " + name, "a number from 1 to 999", name);
  while (state_.positional.size() < index)
    state_.positional.push_back(state_.unknowns.mark(
        {true, std::to_string(state_.positional.size() + 1), "an argument of the script"}));
  state_.positional[index - 1] = value;
}

void ShellVariables::assign(const ShellWord& assignment) {
  const std::size_t length = assignment_prefix(assignment.raw);
  const std::string_view left = std::string_view(assignment.raw).substr(0, length);
  const std::string name(left.substr(0, left.find_first_of("[+=")));
  const bool appends = left.ends_with("+=");
  const std::string right = assignment.raw.substr(length);
  if (left.find('[') != std::string_view::npos)
    return assign(name, false, {{state_.unknown(assignment.line, "elements are set one by one")}, false},
                  assignment.line);
  if (!right.starts_with('('))
    return assign(name, appends, {{expanded_text({right, assignment.line}, state_)}, false}, assignment.line);
  ShellValue list{{}, true};
  const std::string inner = right.substr(1, right.size() < 2 ? 0 : right.size() - 2);
  for (const ShellToken& token : shell_tokens(inner, assignment.line).tokens)
    if (token.kind == ShellTokenKind::Word)
      for (std::string& field : expanded_fields(token.word, state_))
        list.elements.push_back(std::move(field));
  assign(name, appends, std::move(list), assignment.line);
}

// An unknown part without a name is asked for by the name of its variable.
std::string ShellVariables::named(const std::string& text, const std::string& name) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != kUnknownBegins) {
      result += text[at++];
      continue;
    }
    UnknownPart part = state_.unknowns.at(number_of_mark(text, at));
    if (part.name.empty()) part.name = name;
    result += state_.unknowns.mark(part);
  }
  return result;
}

void ShellVariables::assign(const std::string& name, bool appends, ShellValue value, std::size_t line) {
  if (fixed_.contains(name)) return;
  if (!value.is_list)
    for (std::string& element : value.elements) element = named(element, name);
  ShellValue& old = state_.variables[name];
  if (condition_line_ > 0) return assign_perhaps(name, appends, old, value, line);
  if (!appends) {
    old = std::move(value);
  } else if (value.is_list) {
    old.is_list = true;
    old.elements.insert(old.elements.end(), value.elements.begin(), value.elements.end());
  } else if (old.elements.empty()) {
    old = std::move(value);
  } else {
    old.elements.front() += value.elements.front();
  }
  std::size_t size = 0;
  for (const std::string& element : old.elements) size += element.size();
  if (size > kLongestShellText || old.elements.size() > kLongestShellList) {
    state_.too_long = true;
    old = {};
  }
}

// Keeps what is known in any case: the elements before those that are added.
void ShellVariables::assign_perhaps(const std::string& name, bool appends, ShellValue& old,
                                    const ShellValue& value, std::size_t line) {
  std::vector<std::string> known = old.elements;
  std::vector<std::string> added = value.elements;
  if (!appends && value.is_list && added.size() >= known.size() &&
      std::equal(known.begin(), known.end(), added.begin(), [](const std::string& a, const std::string& b) {
        return without_lines(a) == without_lines(b);
      })) {
    added.erase(added.begin(), added.begin() + static_cast<std::ptrdiff_t>(known.size()));
    appends = true;
  }
  const std::string what = shown(joined(added, " "), state_.unknowns).substr(0, 200);
  const std::string why = "line " + std::to_string(line) + ": \"" + std::string(trimmed(what)) +
                          "\" only under the condition of line " + std::to_string(condition_line_);
  const std::string mark = line_mark(line) + state_.unknowns.mark({false, appends ? "" : name, why});
  if (!appends || known.empty()) {
    old = {{mark}, value.is_list};
  } else if (value.is_list) {
    old.elements.push_back(mark);
  } else {
    old.elements.front() += ' ' + mark;
  }
}

}  // namespace spillway
