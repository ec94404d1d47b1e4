// An interpreter whose programs do nothing. Test: tests/launch/shell_script_test.cpp.
#include "launch/shell/script.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>

#include "base/text.h"
#include "launch/shell/condition.h"
#include "launch/shell/expand.h"
#include "launch/shell/glob.h"
#include "launch/shell/parser.h"
#include "launch/shell/shell_words.h"
#include "launch/shell/state.h"
#include "launch/shell/variables.h"

namespace spillway {
namespace {

constexpr std::size_t kMostSteps = 50000;
constexpr std::size_t kMostCommands = 1000;
constexpr int kDeepestCall = 30;
// What launchers read in the environment.
constexpr std::array<std::string_view, 4> kEnvironment{"NPROC_PER_NODE", "NNODES", "CUDA_VISIBLE_DEVICES",
                                                       "ASCEND_RT_VISIBLE_DEVICES"};

struct Outcome {
  std::optional<bool> holds = {};
  bool is_test = false;  // otherwise a program, which is taken to succeed
};

std::string at_line(std::size_t line) {
  return "line " + std::to_string(line);
}

// "a = b", not "a == b".
bool is_assignment(const std::string& text) {
  for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
    const bool compares = (at > 0 && std::string_view("=!<>").find(text[at - 1]) != std::string_view::npos) ||
                          (at + 1 < text.size() && text[at + 1] == '=');
    if (!compares) return true;
  }
  return false;
}

class ScriptReader {
 public:
  ScriptReader(const ScriptSettings& settings, Findings& findings) : findings_(findings) {
    for (const auto& [name, value] : settings) variables_.fix(name, value, findings);
  }

  ScriptReading run(const std::string& text) && {
    const std::size_t before = findings_.all().size();
    const ShellTree& tree = parse(text, 1);
    for (const ShellWord& words : tree.sbatch)
      for (std::string& field : expanded_fields(words, state_)) reading_.sbatch.push_back(word(field));
    if (findings_.all().size() == before) follow(tree.commands);
    if (state_.too_long)
      findings_.add("/", "texts of at most 1 MiB and lists of at most 100,000 words", "longer ones");
    if (steps_ > kMostSteps)
      findings_.add("/", "at most " + std::to_string(kMostSteps) + " commands to follow", "more");
    reading_.unknowns = std::move(state_.unknowns);
    return std::move(reading_);
  }

 private:
  const ShellTree& parse(const std::string& text, std::size_t line) {
    trees_.push_back(parse_shell(text, line));
    for (const ShellError& error : trees_.back().errors)
      findings_.add(at_line(error.line), error.expected,
                    error.found.starts_with("the end")
                        ? error.found
                        : '"' + without_lines(error.found).substr(0, 60) + '"');
    return trees_.back();
  }
  static ScriptWord word(const std::string& field) { return {without_lines(field), line_of(field)}; }

  // A text that the script gives to a shell.
  void follow_text(const std::string& text) {
    if (++calls_ <= kDeepestCall) {
      trees_.push_back(parse_shell(text, line_of(text)));
      if (trees_.back().errors.empty())
        follow(trees_.back().commands);
      else
        note(line_of(text),
             "a text given to a shell is not understood: expected " + trees_.back().errors.front().expected);
    }
    --calls_;
  }

  void note(std::size_t line, const std::string& text) {
    const bool known = std::ranges::any_of(
        reading_.notes, [&](const ScriptNote& each) { return each.line == line && each.text == text; });
    if (!known) reading_.notes.push_back({line, text});
  }

  bool is_certain() const { return variables_.condition_line() == 0; }

  Outcome follow(const ShellCommands& commands) {
    Outcome last;
    for (const ShellCommand& command : commands) {
      if (stopped_ || returned_ || ++steps_ > kMostSteps) break;
      const bool joined = command.join == ShellJoin::IfTrue || command.join == ShellJoin::IfFalse;
      if (!joined) {
        last = follow(command);
        continue;
      }
      const std::optional<bool> before = last.is_test ? last.holds : std::optional(true);
      if (before && *before != (command.join == ShellJoin::IfTrue)) continue;
      if (before)
        last = follow(command);
      else
        last = perhaps(command.line, [&] { return follow(command); });
    }
    return last;
  }

  // Does something under a condition that is not known.
  template <class Do>
  Outcome perhaps(std::size_t line, const Do& action) {
    const std::size_t outer = variables_.condition_line();
    variables_.assume_condition(line);
    action();
    variables_.assume_condition(outer);
    return {std::nullopt, true};
  }

  Outcome follow(const ShellCommand& command) {
    if (calls_ > kDeepestCall) return {};
    Outcome outcome;
    switch (command.kind) {
      case ShellKind::Simple:
        outcome = simple(command);
        break;
      case ShellKind::If:
        conditional(command);
        break;
      case ShellKind::Case:
        choice(command);
        break;
      case ShellKind::For:
        each(command);
        break;
      case ShellKind::While:
        loop(command);
        break;
      case ShellKind::Function:
        functions_[command.name] = &command;
        break;
      case ShellKind::Group:
        if (!command.branches.empty()) outcome = follow(command.branches.front().body);
        break;
    }
    if (command.negated && outcome.holds) outcome.holds = !*outcome.holds;
    return outcome;
  }

  void conditional(const ShellCommand& command) {
    bool perhaps_before = false;
    for (const ShellBranch& branch : command.branches) {
      Outcome outcome{true, true};
      if (!branch.condition.empty()) outcome = follow(branch.condition);
      const std::optional<bool> holds = outcome.is_test ? outcome.holds : std::nullopt;
      if (holds && !*holds) continue;
      if (holds && !perhaps_before) {
        follow(branch.body);
        return;
      }
      perhaps(command.line, [&] { return follow(branch.body); });
      perhaps_before = true;
      if (holds) return;
    }
  }

  void choice(const ShellCommand& command) {
    const std::string subject =
        command.words.empty()
            ? std::string()
            : with_unset_as_empty(expanded_text(command.words.front(), state_), state_.unknowns);
    for (const ShellBranch& branch : command.branches) {
      if (has_unknown(subject)) {
        perhaps(command.line, [&] { return follow(branch.body); });
        continue;
      }
      const bool matches = std::ranges::any_of(branch.patterns, [&](const ShellWord& pattern) {
        return matches_glob(without_lines(expanded_text(pattern, state_)), subject);
      });
      if (!matches) continue;
      follow(branch.body);
      return;
    }
  }

  void each(const ShellCommand& command) {
    if (command.branches.empty()) return;
    std::vector<std::string> items;
    for (const ShellWord& item : command.words)
      for (std::string& field : expanded_fields(item, state_)) items.push_back(std::move(field));
    for (const std::string& item : items) {
      if (stopped_ || returned_ || steps_ > kMostSteps) return;
      variables_.assign(command.name, false, {{item}, false}, command.line);
      if (has_unknown(item))
        perhaps(command.line, [&] { return follow(command.branches.front().body); });
      else
        follow(command.branches.front().body);
    }
  }

  void loop(const ShellCommand& command) {
    if (command.branches.empty()) return;
    const Outcome outcome = follow(command.branches.front().condition);
    if (outcome.is_test && outcome.holds && !*outcome.holds) return;
    perhaps(command.line, [&] { return follow(command.branches.front().body); });
  }

  // Assignments, tests, functions and the few builtins that change variables.
  Outcome simple(const ShellCommand& command) {
    std::size_t first = 0;
    std::map<std::string, ScriptWord, std::less<>> prefix;
    std::vector<const ShellWord*> assignments;
    while (first < command.words.size() && assignment_prefix(command.words[first].raw) > 0)
      assignments.push_back(&command.words[first++]);
    if (first == command.words.size()) {
      for (const ShellWord* assignment : assignments) variables_.assign(*assignment);
      return {};
    }
    for (const ShellWord* assignment : assignments) {
      const std::size_t length = assignment_prefix(assignment->raw);
      const std::string value = expanded_text({assignment->raw.substr(length), assignment->line}, state_);
      const std::string name = assignment->raw.substr(0, assignment->raw.find_first_of("[+="));
      if (!variables_.is_fixed(name)) prefix[name] = {without_lines(value), assignment->line};
    }
    const std::string_view raw = command.words[first].raw;
    if (raw.starts_with("((")) return arithmetic(command.words[first]);
    if (raw == "[[" || raw == "[" || raw == "test") return test(command, first);
    if (raw == "export" || raw == "local" || raw == "declare" || raw == "readonly" || raw == "typeset") {
      declare(command, first);
      return {};
    }
    return program(command, first, std::move(prefix));
  }

  void declare(const ShellCommand& command, std::size_t first) {
    for (std::size_t i = first + 1; i < command.words.size(); ++i)
      if (assignment_prefix(command.words[i].raw) > 0) variables_.assign(command.words[i]);
  }

  Outcome arithmetic(const ShellWord& raw) {
    const std::string inner = raw.raw.size() > 4 ? raw.raw.substr(2, raw.raw.size() - 4) : std::string();
    // A change of a variable is not followed.
    if (inner.find("++") != std::string::npos || inner.find("--") != std::string::npos ||
        is_assignment(inner))
      return change_by_arithmetic(inner, raw.line);
    const std::string value = without_lines(expanded_arithmetic({inner, raw.line}, state_));
    if (has_unknown(value)) return {std::nullopt, true};
    return {value != "0", true};
  }
  Outcome change_by_arithmetic(const std::string& text, std::size_t line) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t+-"), text.size());
    const std::string name = text.substr(begin, text.find_first_of(" \t+-=*/%<>", begin) - begin);
    const std::string value = state_.unknown(line, "((" + without_lines(text) + ")) is not followed");
    if (is_shell_name(name)) variables_.assign(name, false, {{value}, false}, line);
    return {};
  }

  Outcome test(const ShellCommand& command, std::size_t first) {
    const bool is_double = command.words[first].raw == "[[";
    std::vector<std::string> words;
    for (std::size_t i = first + 1; i < command.words.size(); ++i) {
      const ShellWord& next = command.words[i];
      if (i + 1 == command.words.size() && (next.raw == "]" || next.raw == "]]")) break;
      if (is_double) {
        words.push_back(expanded_text(next, state_));
        continue;
      }
      for (std::string& field : expanded_fields(next, state_)) words.push_back(std::move(field));
    }
    for (std::string& each : words) each = without_lines(each);
    return {shell_condition(words, is_double, state_.unknowns), true};
  }

  Outcome program(const ShellCommand& command, std::size_t first,
                  std::map<std::string, ScriptWord, std::less<>> environment) {
    std::vector<std::string> fields, left_out;
    for (std::size_t i = first; i < command.words.size(); ++i)
      for (std::string& field : expanded_fields(command.words[i], state_, &left_out))
        fields.push_back(std::move(field));
    if (fields.empty()) return {};
    const std::string name = without_lines(fields.front());
    if (name == "true" || name == ":") return {true, true};
    if (name == "false") return {false, true};
    if (builtin(name, fields)) return {};
    if (const auto known = functions_.find(name); known != functions_.end()) {
      call(*known->second, fields);
      return {};
    }
    for (const ShellWord& input : command.input)
      if (name == "sbatch" || name == "bash" || name == "sh" || name == "ssh")
        follow_text(expanded_input(input, state_));
    if (const std::string* text = text_for_shell(fields))
      follow_text(*text);
    else
      keep(fields, left_out, std::move(environment));
    return {};
  }

  // Returns true if the command is one of these.
  bool builtin(const std::string& name, const std::vector<std::string>& fields) {
    // "exit 1" ends a script that found something missing; here it is taken to have found everything.
    if (name == "exit" && fields.size() > 1 && without_lines(fields[1]) != "0") return true;
    if (name == "exit" || name == "return") {
      if (is_certain()) (name == "exit" || calls_ == 0 ? stopped_ : returned_) = true;
      return true;
    }
    if (name == "eval") {
      follow_text(joined(std::vector<std::string>(fields.begin() + 1, fields.end()), " "));
      return true;
    }
    if (name == "source" || name == ".") {
      note(line_of(fields.front()),
           (fields.size() > 1 ? shown(fields[1], state_.unknowns) : "a file") + " is not read");
      return true;
    }
    if (name == "unset") {
      for (std::size_t i = 1; i < fields.size() && is_certain(); ++i)
        if (const std::string variable = without_lines(fields[i]); !variables_.is_fixed(variable))
          state_.variables.erase(variable);
      return true;
    }
    if (name == "shift") {
      if (!state_.positional.empty()) state_.positional.erase(state_.positional.begin());
      return true;
    }
    if (name == "read" || name == "mapfile" || name == "readarray") {
      for (std::size_t i = 1; i < fields.size(); ++i)
        if (const std::string variable = without_lines(fields[i]); is_shell_name(variable))
          variables_.assign(variable, false,
                            {{state_.unknown(line_of(fields[i]), "read when the script runs")}, false},
                            line_of(fields[i]));
      return true;
    }
    return name == "echo" || name == "printf" || name == "set" || name == "cd" || name == "mkdir";
  }

  void call(const ShellCommand& function, std::vector<std::string> fields) {
    if (function.branches.empty()) return;
    if (++calls_ <= kDeepestCall) {
      fields.erase(fields.begin());
      std::swap(state_.positional, fields);
      follow(function.branches.front().body);
      std::swap(state_.positional, fields);
      returned_ = false;
    }
    --calls_;
  }

  void keep(const std::vector<std::string>& fields, const std::vector<std::string>& left_out,
            std::map<std::string, ScriptWord, std::less<>> environment) {
    if (!std::ranges::any_of(fields, may_train) || reading_.commands.size() >= kMostCommands) return;
    for (const std::string& field : left_out)
      note(line_of(field), shown(field, state_.unknowns) + " is not set by the script, and taken as empty");
    ScriptCommand command{{}, std::move(environment), is_certain()};
    for (const std::string& field : fields) command.words.push_back(word(field));
    for (const std::string_view name : kEnvironment)
      if (const ShellValue* value = state_.find(name); value && !value->elements.empty())
        command.environment.try_emplace(std::string(name), word(value->elements.front()));
    reading_.commands.push_back(std::move(command));
  }

  Findings& findings_;
  ShellState state_ = {};
  ShellVariables variables_{state_};
  std::deque<ShellTree> trees_ = {};
  std::map<std::string, const ShellCommand*, std::less<>> functions_ = {};
  ScriptReading reading_ = {};
  std::size_t steps_ = 0;
  int calls_ = 0;
  bool stopped_ = false;
  bool returned_ = false;  // from a function
};

}  // namespace

ScriptReading read_script(const std::string& text, const ScriptSettings& settings, Findings& findings) {
  const bool has_marks = text.find_first_of(std::string("\x01\x02\x03\x04")) != std::string::npos;
  if (has_marks || text.find('\0') != std::string::npos) {
    findings.add("/", "a shell script, as text", "control characters");
    return {};
  }
  for (const auto& [name, value] : settings)
    if (text.find(name) == std::string::npos)
      findings.add("--set " + name, "a variable that the script uses", '"' + name + '"');
  return ScriptReader(settings, findings).run(text);
}

}  // namespace spillway
