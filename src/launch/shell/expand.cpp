// One pass over a word. Quoted characters never split; a variable's text does if it is not quoted. Each field
// begins with the mark of its line. Test: tests/launch/shell_script_test.cpp.
#include "launch/shell/expand.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "launch/shell/arithmetic.h"
#include "launch/shell/lexer.h"
#include "launch/shell/parameter.h"

namespace spillway {
namespace {

constexpr int kDeepestExpansion = 30;

enum class Quoting { Split, Text, Input };

// WordFields as they grow.
class WordFields {
 public:
  WordFields(bool splits, bool& too_long) : splits_(splits), too_long_(too_long) {}

  void line(std::size_t line) {
    if (open_ && line != line_) fields_.back() += line_mark(line);
    line_ = line;
  }
  void put(char c, bool quoted) {
    if (splits_ && !quoted && kBlanks.find(c) != std::string_view::npos) {
      open_ = false;
      if (c == '\n') ++line_;
      return;
    }
    open();
    append({&c, 1});
    if (c == '\n') line(line_ + 1);
  }
  // A text with marks.
  void put(std::string_view text, bool quoted) {
    std::size_t at = 0;
    if (!open_ && text.starts_with(kLineBegins)) line(number_of_mark(text, at));
    if (quoted) open();
    while (at < text.size()) {
      if (text[at] == kLineBegins) {
        line(number_of_mark(text, at));
      } else if (text[at] == kUnknownBegins) {
        const std::size_t begin = at;
        number_of_mark(text, at);
        open();
        append(text.substr(begin, at - begin));
      } else {
        put(text[at++], quoted);
      }
    }
  }
  void open() {
    if (open_) return;
    open_ = true;
    if (fields_.size() < kLongestShellList)
      fields_.push_back(line_mark(line_));
    else
      too_long_ = true;
  }
  void close() { open_ = false; }
  std::vector<std::string> take() && { return std::move(fields_); }

 private:
  void append(std::string_view part) {
    size_ += part.size();
    if (size_ <= kLongestShellText)
      fields_.back() += part;
    else
      too_long_ = true;
  }

  bool splits_;
  bool& too_long_;
  std::size_t size_ = 0;
  bool open_ = false;
  std::size_t line_ = 0;
  std::vector<std::string> fields_ = {};
};

class WordExpansion {
 public:
  WordExpansion(ShellState& state, Quoting quoting)
      : state_(state), quoting_(quoting), fields_(quoting == Quoting::Split, state.too_long) {}

  std::vector<std::string> run(const ShellWord& word) && {
    line_ = word.line;
    fields_.line(line_);
    if (++state_.depth > kDeepestExpansion)
      put(state_.unknown(line_, "an expansion nested too deep"), true);
    else
      take(word.raw, quoting_ == Quoting::Input);
    --state_.depth;
    return std::move(fields_).take();
  }

 private:
  void take(std::string_view raw, bool quoted) {
    if (++depth_ > kDeepestExpansion)
      put(state_.unknown(line_, "an expansion nested too deep"), true);
    else
      for (std::size_t at = 0; at < raw.size();) at = take_part(raw, at, quoted);
    --depth_;
  }

  std::size_t take_part(std::string_view raw, std::size_t at, bool quoted) {
    const char c = raw[at];
    if (c == kLineBegins) {
      line_ = number_of_mark(raw, at);
      fields_.line(line_);
      return at;
    }
    if (c == '\\') return take_escaped(raw, at, quoted);
    if ((c == '\'' || c == '"') && !quoted) return take_quoted(raw, at);
    if (c == '$') return take_dollar(raw, at, quoted);
    if (c == '`') return take_command(raw, at);
    if (c == '\n') ++line_;
    fields_.put(c, quoted);
    return at + 1;
  }

  std::size_t take_escaped(std::string_view raw, std::size_t at, bool quoted) {
    if (at + 1 >= raw.size()) {
      fields_.put('\\', true);
      return at + 1;
    }
    const char next = raw[at + 1];
    if (next == '\n') {
      fields_.line(++line_);
      return at + 2;
    }
    if (quoted && std::string_view("$`\"\\").find(next) == std::string_view::npos) fields_.put('\\', true);
    fields_.put(next, true);
    return at + 2;
  }

  // '...' or "..."; the lexer has found its end.
  std::size_t take_quoted(std::string_view raw, std::size_t at) {
    const std::size_t behind = std::min(behind_part(raw, at), raw.size());
    const std::size_t length = behind > at + 1 ? behind - at - 2 : 0;
    const std::string_view inner = raw.substr(at + 1, length);
    fields_.open();
    if (raw[at] == '"')
      take(inner, true);
    else
      for (const char c : inner) {
        if (c == '\n') ++line_;
        fields_.put(c, true);
      }
    return behind;
  }

  std::size_t take_command(std::string_view raw, std::size_t at) {
    const std::size_t behind = std::min(behind_part(raw, at), raw.size());
    put(state_.unknown(line_, without_lines(raw.substr(at, behind - at)) + " is not run"), true);
    line_ += static_cast<std::size_t>(std::ranges::count(raw.substr(at, behind - at), '\n'));
    return behind;
  }

  std::size_t take_dollar(std::string_view raw, std::size_t at, bool quoted) {
    const std::string_view rest = raw.substr(at);
    if (rest.starts_with("$((") && rest.substr(0, behind_part(raw, at) - at).ends_with("))")) {
      const std::size_t behind = behind_part(raw, at);
      put(arithmetic(raw.substr(at + 3, behind - at - 5)), quoted);
      return behind;
    }
    if (rest.starts_with("$(expr ") && rest.substr(0, behind_part(raw, at) - at).ends_with(')')) {
      // expr computes, and changes nothing; its "\*" is "*".
      const std::size_t behind = behind_part(raw, at);
      std::string formula(raw.substr(at + 7, behind - at - 8));
      std::erase(formula, '\\');
      put(arithmetic(formula), quoted);
      return behind;
    }
    if (rest.starts_with("$(")) return take_command(raw, at);
    if (rest.starts_with("$'") && !quoted) return take_quoted(raw, at + 1);
    if (rest.starts_with("${")) {
      const std::size_t behind = std::min(behind_part(raw, at), raw.size());
      take_parameter(raw.substr(at + 2, behind > at + 2 ? behind - at - 3 : 0), quoted);
      return behind;
    }
    std::size_t end = at + 1;
    while (end < raw.size() && is_shell_name(raw.substr(at + 1, end - at))) ++end;
    if (end == at + 1 && end < raw.size() &&
        std::string_view("0123456789@*#?$!-").find(raw[end]) != std::string_view::npos)
      ++end;
    if (end == at + 1)
      fields_.put('$', true);
    else
      take_parameter(raw.substr(at + 1, end - at - 1), quoted);
    return end;
  }

  std::string arithmetic(std::string_view text) {
    return expanded_arithmetic({std::string(text), line_}, state_);
  }

  void put(const std::string& text, bool quoted) {
    fields_.put(text, quoted);
    fields_.line(line_);
  }

  void take_parameter(std::string_view text, bool quoted) {
    const ShellParameter parameter = shell_parameter(text);
    const std::optional<std::vector<std::string>> value = value_of(parameter, state_, line_);
    const std::string_view op = parameter.op;
    const bool is_empty =
        !value || (op.size() == 2 && op.starts_with(':') && without_lines(joined(*value, "")).empty());
    if (op == ":-" || op == "-" || op == ":=" || op == "=") {
      if (!is_empty) return put_value(parameter, *value, quoted);
      if (op.ends_with('=')) {
        const std::string otherwise = expanded_text({std::string(parameter.argument), line_}, state_);
        state_.variables[std::string(parameter.name)] = {{otherwise}, false};
        return put(otherwise, quoted);
      }
      return take(parameter.argument, quoted);
    }
    if (op == ":+" || op == "+") return is_empty ? void() : take(parameter.argument, quoted);
    if (!value) return put(unset(parameter), quoted);
    put_value(parameter, changed_value(parameter, *value, state_, line_), quoted);
  }

  std::string unset(const ShellParameter& parameter) {
    return state_.unknowns.mark({true, std::string(parameter.name), "the script does not set it"});
  }

  void put_value(const ShellParameter& parameter, const std::vector<std::string>& value, bool quoted) {
    const bool separate = parameter.all_elements && quoting_ == Quoting::Split;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (i > 0 && separate) fields_.close();
      if (i > 0 && !separate) fields_.put(' ', quoted);
      put(value[i], quoted);
    }
  }

  ShellState& state_;
  Quoting quoting_;
  WordFields fields_;
  std::size_t line_ = 0;
  int depth_ = 0;
};

std::string one_text(std::vector<std::string> fields) {
  return fields.empty() ? std::string() : std::move(fields.front());
}

// Returns true if all that the text has is unset variables.
bool is_all_unset(const std::string& field, const UnknownParts& parts) {
  return has_unknown(field) && with_unset_as_empty(field, parts).empty();
}

// The unknown parts that a formula uses; the first is the one to ask for. A variable that is not set would
// count as 0 in a shell, which is hardly meant.
class FormulaUnknowns {
 public:
  explicit FormulaUnknowns(ShellState& state) : state_(state) {}

  void note(std::string_view text) {
    const std::vector<std::size_t> unknowns = unknowns_in(text);
    if (!first_.empty() || unknowns.empty()) return;
    UnknownPart part = state_.unknowns.at(unknowns.front());
    part.unset = false;
    first_ = state_.unknowns.mark(part);
  }
  std::optional<std::string> value_of(std::string_view name) {
    const ShellValue* value = state_.find(name);
    if (!value || value->elements.empty()) {
      if (first_.empty())
        first_ = state_.unknowns.mark({false, std::string(name), "the script does not set it"});
      return std::nullopt;
    }
    note(value->elements.front());
    if (has_unknown(value->elements.front())) return std::nullopt;
    return without_lines(value->elements.front());
  }
  const std::string& first() const { return first_; }

 private:
  ShellState& state_;
  std::string first_ = {};
};

}  // namespace

std::string expanded_text(const ShellWord& word, ShellState& state) {
  return one_text(WordExpansion(state, Quoting::Text).run(word));
}

std::string expanded_input(const ShellWord& text, ShellState& state) {
  return one_text(WordExpansion(state, Quoting::Input).run(text));
}

std::vector<std::string> expanded_fields(const ShellWord& word, ShellState& state,
                                         std::vector<std::string>* left_out) {
  std::vector<std::string> fields = WordExpansion(state, Quoting::Split).run(word);
  if (word.raw.find('"') != std::string::npos) return fields;
  std::erase_if(fields, [&](const std::string& field) {
    const bool out = is_all_unset(field, state.unknowns);
    if (out && left_out) left_out->push_back(field);
    return out;
  });
  return fields;
}

std::string expanded_arithmetic(const ShellWord& text, ShellState& state) {
  const std::string formula = expanded_text(text, state);
  FormulaUnknowns unknowns(state);
  unknowns.note(formula);
  std::optional<std::int64_t> result;
  if (unknowns.first().empty())
    result = shell_arithmetic(without_lines(formula),
                              [&](std::string_view name) { return unknowns.value_of(name); });
  if (result) return std::to_string(*result);
  if (!unknowns.first().empty()) return unknowns.first();
  return state.unknown(text.line,
                       "(( " + shown(formula, state.unknowns) + " )) is no arithmetic of whole numbers");
}

}  // namespace spillway
