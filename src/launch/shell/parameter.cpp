// ${NAME}, ${#NAME}, ${NAME[@]} and the operators on texts (bash manual, Shell Parameter Expansion).
// Test: tests/launch/shell_script_test.cpp.
#include "launch/shell/parameter.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "launch/shell/expand.h"
#include "launch/shell/glob.h"
#include "launch/shell/lexer.h"

namespace spillway {
namespace {

constexpr std::string_view kSpecial = "@*#?$!-";

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::size_t> as_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

// Removes the shortest or longest part at the beginning or end that the pattern matches.
std::string without_part(const std::string& text, std::string_view pattern, bool at_end, bool longest) {
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const std::size_t length = longest ? text.size() - i : i;
    const std::size_t begin = at_end ? text.size() - length : 0;
    if (!matches_glob(pattern, std::string_view(text).substr(begin, length))) continue;
    return at_end ? text.substr(0, begin) : text.substr(length);
  }
  return text;
}

// Replaces texts; patterns with * or ? are not evaluated.
std::string replaced(std::string_view text, std::string_view from, std::string_view to, bool all) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool here = !from.empty() && text.substr(at, from.size()) == from;
    if (here)
      result += to;
    else
      result += text[at];
    at += here ? from.size() : 1;
    if (here && !all) return result += text.substr(at);
  }
  return result;
}

std::optional<std::string> part_of(std::string_view text, const ShellParameter& parameter, ShellState& state,
                                   std::size_t line) {
  const std::vector<std::string_view> bounds = split(parameter.argument, ':');
  const auto number = [&](std::string_view bound) {
    return as_number(without_lines(expanded_arithmetic({std::string(bound), line}, state)));
  };
  const std::optional<std::size_t> begin = number(bounds.front());
  const std::optional<std::size_t> length =
      bounds.size() > 1 ? number(bounds[1]) : std::optional(text.size());
  if (!begin || !length) return std::nullopt;
  return std::string(text.substr(std::min(*begin, text.size()), *length));
}

std::optional<std::string> changed_text(const std::string& text, const ShellParameter& parameter,
                                        ShellState& state, std::size_t line) {
  const std::string_view op = parameter.op;
  if (op == ":") return part_of(text, parameter, state, line);
  if (op == "^^" || op == ",,") {
    std::string changed = lower(text);
    if (op == "^^")
      for (char& c : changed) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return changed;
  }
  const std::string argument = without_lines(expanded_text({std::string(parameter.argument), line}, state));
  if (has_unknown(argument)) return std::nullopt;
  if (op == "%" || op == "%%" || op == "#" || op == "##")
    return without_part(text, argument, op.front() == '%', op.size() == 2);
  if (op == "/" || op == "//") {
    const std::size_t slash = argument.find('/');
    const std::string from = argument.substr(0, slash);
    if (from.find_first_of("*?[") != std::string::npos) return std::nullopt;
    return replaced(text, from, slash == std::string::npos ? std::string() : argument.substr(slash + 1),
                    op == "//");
  }
  return std::nullopt;
}

void read_index(ShellParameter& parameter, std::string_view& rest) {
  if (!rest.starts_with('[')) return;
  const std::size_t close = rest.find(']');
  if (close == std::string_view::npos) return;
  parameter.index = rest.substr(1, close - 1);
  if (parameter.index == "@" || parameter.index == "*") {
    parameter.all_elements = true;
    parameter.index = {};
  } else if (parameter.index.empty()) {
    parameter.known_form = false;
  }
  rest.remove_prefix(close + 1);
}

}  // namespace

ShellParameter shell_parameter(std::string_view text) {
  constexpr std::array<std::string_view, 19> kOperators{
      ":-", ":=", ":+", ":?", "%%", "##", "//", "^^", ",,", "-", "=", "+", "?", "%", "#", "/", ":", "^", ","};
  ShellParameter parameter;
  if (text.size() > 1 && text.front() == '#') {
    parameter.length = true;
    text.remove_prefix(1);
  }
  std::size_t end = 0;
  while (end < text.size() && (is_shell_name(text.substr(0, end + 1)) || is_digits(text.substr(0, end + 1))))
    ++end;
  if (end == 0 && !text.empty() && kSpecial.find(text.front()) != std::string_view::npos) end = 1;
  parameter.name = text.substr(0, end);
  std::string_view rest = text.substr(end);
  if (parameter.name == "@") parameter.all_elements = true;
  read_index(parameter, rest);
  parameter.known_form = parameter.known_form && end > 0;
  const auto known =
      std::ranges::find_if(kOperators, [&](std::string_view op) { return rest.starts_with(op); });
  if (known != kOperators.end()) {
    parameter.op = *known;
    parameter.argument = rest.substr(known->size());
  } else if (!rest.empty()) {
    parameter.known_form = false;
  }
  return parameter;
}

std::optional<std::vector<std::string>> value_of(const ShellParameter& parameter, ShellState& state,
                                                 std::size_t line) {
  using Elements = std::vector<std::string>;
  if (!parameter.known_form) return Elements{state.unknown(line, "a form of ${...} that is not evaluated")};
  if (parameter.name == "@" || parameter.name == "*") return state.positional;
  if (parameter.name == "#") return Elements{std::to_string(state.positional.size())};
  if (parameter.name.size() == 1 && std::string_view("?$!-").find(parameter.name) != std::string_view::npos)
    return Elements{state.unknown(line, "$" + std::string(parameter.name) + " is known only to a shell")};
  if (const auto number = as_number(parameter.name)) {
    if (*number > 0 && *number <= state.positional.size()) return Elements{state.positional[*number - 1]};
    return std::nullopt;
  }
  const ShellValue* value = state.find(parameter.name);
  if (!value) return std::nullopt;
  if (parameter.all_elements || (value->is_list && parameter.index.empty() && parameter.length))
    return value->elements;
  if (parameter.index.empty())
    return value->elements.empty() ? std::optional<Elements>() : Elements{value->elements.front()};
  const auto index =
      as_number(without_lines(expanded_arithmetic({std::string(parameter.index), line}, state)));
  if (!index) return Elements{state.unknown(line, "an element whose number is not known")};
  return *index < value->elements.size() ? std::optional(Elements{value->elements[*index]}) : std::nullopt;
}

std::vector<std::string> changed_value(const ShellParameter& parameter, std::vector<std::string> value,
                                       ShellState& state, std::size_t line) {
  if (parameter.length) {
    const bool counts = parameter.all_elements || value.size() != 1;
    if (!counts && has_unknown(value.front())) return {state.unknown(line, "the length of an unknown text")};
    return {std::to_string(counts ? value.size() : without_lines(value.front()).size())};
  }
  if (parameter.op.empty() || parameter.op == ":?" || parameter.op == "?") return value;
  for (std::string& element : value) {
    if (has_unknown(element)) continue;  // asked for by its own name
    const std::optional<std::string> text = changed_text(without_lines(element), parameter, state, line);
    element = text ? *text
                   : state.unknown(line, "${" + std::string(parameter.name) + std::string(parameter.op) +
                                             "...} is not evaluated");
  }
  return value;
}

}  // namespace spillway
