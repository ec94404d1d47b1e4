// Words, operators and <<texts of a shell script (POSIX.1-2024, volume XCU, 2.2 to 2.4; bash for arrays and
// [[). Test: tests/launch/shell_script_test.cpp.
#include "launch/shell/lexer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "launch/shell/marks.h"

namespace spillway {
namespace {

constexpr std::size_t kNever = std::string_view::npos;
constexpr std::size_t kDeepestPart = 40;
constexpr std::string_view kWordEnds = " \t\r\n;&|()<>";

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool begins(std::string_view text, std::size_t at, std::string_view with) {
  return text.substr(at, with.size()) == with;
}

std::size_t behind_next(std::string_view text, std::size_t at, char closing) {
  const std::size_t found = text.find(closing, at);
  return found == kNever ? kNever : found + 1;
}

// Behind "`...`", in which a backslash escapes.
std::size_t behind_backticks(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '`')
      return at + 1;
  }
  return kNever;
}

// Behind the text between double quotes.
std::size_t behind_double_quotes(std::string_view text, std::size_t at, std::size_t depth) {
  for (++at; at < text.size();) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\'' || text[at] == '#') {
      ++at;
      continue;
    }
    at = behind_part(text, at, depth + 1);
    if (at == kNever) return kNever;
  }
  return kNever;
}

// Behind a comment, or at `at` if none begins there.
std::size_t behind_comment(std::string_view text, std::size_t at, std::size_t begin) {
  if (text[at] != '#' || (at > begin && kWordEnds.find(text[at - 1]) == kNever)) return at;
  const std::size_t end = text.find('\n', at);
  return end == kNever ? text.size() : end;
}

// Behind the bracket that closes the one before `at`.
std::size_t behind_brackets(std::string_view text, std::size_t at, char open, char close, std::size_t depth) {
  const std::size_t begin = at;
  for (std::size_t level = 1; at < text.size();) {
    if (open == '(') {
      const std::size_t behind = behind_comment(text, at, begin);
      if (behind != at) {
        at = behind;
        continue;
      }
    }
    if (text[at] == open) ++level;
    if (text[at] == close && --level == 0) return at + 1;
    at = text[at] == open || text[at] == close ? at + 1 : behind_part(text, at, depth + 1);
    if (at == kNever) return kNever;
  }
  return kNever;
}

class ShellLexer {
 public:
  ShellLexer(std::string_view text, std::size_t line) : text_(text), line_(line) {}

  ShellTokens run() && {
    while (at_ < text_.size()) step();
    if (!waiting_.empty()) read_inputs();
    tokens_.tokens.push_back({ShellTokenKind::End, {"", line_}});
    return std::move(tokens_);
  }

 private:
  struct Waiting {  // a <<END whose text begins behind the line
    std::size_t token;
    std::string end;
    bool quoted;
    bool strips_tabs;
  };

  // Moves to `to` and counts the lines in between.
  void advance(std::size_t to) {
    while (at_ < to) {
      if (text_[at_] == kLineBegins) {
        line_ = number_of_mark(text_, at_);
        continue;
      }
      if (text_[at_] == '\n') ++line_;
      ++at_;
    }
  }

  void step() {
    const char c = text_[at_];
    if (c == kLineBegins || c == ' ' || c == '\t' || c == '\r') return advance(at_ + 1);
    if (begins(text_, at_, "\\\n")) return advance(at_ + 2);
    if (begins(text_, at_, "\\\r\n")) return advance(at_ + 3);
    if (c == '#') return comment();
    if (c == '\n') return newline();
    if (begins(text_, at_, "((") && at_command_start()) return arithmetic();
    if (std::string_view(";&|()<>").find(c) != kNever) return operation();
    word();
  }

  void comment() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    constexpr std::string_view kSbatch = "#SBATCH";
    if (begins(text_, at_, kSbatch))
      tokens_.sbatch.push_back(
          {std::string(text_.substr(at_ + kSbatch.size(), end - at_ - kSbatch.size())), line_});
    advance(end);
  }

  void newline() {
    tokens_.tokens.push_back({ShellTokenKind::Newline, {"\n", line_}});
    advance(at_ + 1);
    if (!waiting_.empty()) read_inputs();
  }

  bool at_command_start() const {
    if (tokens_.tokens.empty()) return true;
    const ShellToken& last = tokens_.tokens.back();
    if (last.kind == ShellTokenKind::Newline || last.word.raw == ";" || last.word.raw == "&&" ||
        last.word.raw == "||")
      return true;
    constexpr std::array<std::string_view, 7> kBefore{"if", "elif", "while", "until", "then", "do", "else"};
    return last.kind == ShellTokenKind::Word && std::ranges::find(kBefore, last.word.raw) != kBefore.end();
  }

  // "((...))" as one word.
  void arithmetic() { take_word(behind_brackets(text_, at_ + 1, '(', ')', 0)); }

  void operation() {
    constexpr std::array<std::string_view, 17> kOperators{"<<<", "<<-", "&>>", ";;&", "&&", "||",
                                                          ";;",  ";&",  "<<",  ">>",  ">&", "<&",
                                                          "&>",  ">|",  "<>",  "|&",  "<("};
    const auto known =
        std::ranges::find_if(kOperators, [&](std::string_view each) { return begins(text_, at_, each); });
    // A process substitution, <(...), is a word of which nothing is known.
    if (known != kOperators.end() && *known == "<(")
      return take_word(behind_brackets(text_, at_ + 2, '(', ')', 0));
    const std::string_view text = known == kOperators.end() ? text_.substr(at_, 1) : *known;
    tokens_.tokens.push_back({ShellTokenKind::Operator, {std::string(text), line_}});
    advance(at_ + text.size());
    if (text == "<<" || text == "<<-") expect_input(text == "<<-");
  }

  void expect_input(bool strips_tabs) {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) advance(at_ + 1);
    std::string end;
    bool quoted = false;
    for (; at_ < text_.size() && kWordEnds.find(text_[at_]) == kNever; advance(at_ + 1)) {
      if (text_[at_] == '\'' || text_[at_] == '"' || text_[at_] == '\\')
        quoted = true;
      else
        end += text_[at_];
    }
    waiting_.push_back({tokens_.tokens.size() - 1, std::move(end), quoted, strips_tabs});
  }

  void read_inputs() {
    for (const Waiting& waiting : std::exchange(waiting_, {})) read_input(waiting);
  }

  void read_input(const Waiting& waiting) {
    const std::size_t begin = at_, line = line_;
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string row = without_lines(text_.substr(at_, end - at_));
      if (waiting.strips_tabs) row.erase(0, std::min(row.find_first_not_of('\t'), row.size()));
      if (!row.empty() && row.back() == '\r') row.pop_back();
      const std::size_t row_begin = at_;
      advance(std::min(end + 1, text_.size()));
      if (row != waiting.end) continue;
      if (!waiting.quoted)
        tokens_.tokens[waiting.token].input.push_back(
            {std::string(text_.substr(begin, row_begin - begin)), line});
      return;
    }
    tokens_.errors.push_back(
        {line, "the line " + waiting.end + " that ends the text behind <<", "the end of the file"});
  }

  // The word from here up to `end`.
  void take_word(std::size_t end) {
    if (end == kNever) {
      tokens_.errors.push_back({line_, "a quote or bracket that closes this word", "the end of the file"});
      end = text_.size();
    }
    tokens_.tokens.push_back({ShellTokenKind::Word, {std::string(text_.substr(at_, end - at_)), line_}});
    advance(end);
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && kWordEnds.find(text_[end]) == kNever) {
      if (begins(text_, end, "\\\n") && end + 2 >= text_.size()) break;
      end = behind_part(text_, end);
      if (end == kNever) return take_word(kNever);
    }
    // NAME=(...) is one word.
    const std::string_view raw = text_.substr(at_, end - at_);
    if (end < text_.size() && text_[end] == '(' && assignment_prefix(raw) == raw.size() && !raw.empty())
      end = behind_brackets(text_, end + 1, '(', ')', 0);
    // A number in front of < or > says which file it redirects.
    else if (end < text_.size() && (text_[end] == '<' || text_[end] == '>') &&
             std::ranges::all_of(raw, [](char c) { return c >= '0' && c <= '9'; }))
      return advance(end);
    take_word(end == at_ ? at_ + 1 : end);
  }

  std::string_view text_;
  std::size_t line_;
  std::size_t at_ = 0;
  std::vector<Waiting> waiting_ = {};
  ShellTokens tokens_ = {};
};

}  // namespace

std::size_t behind_part(std::string_view text, std::size_t at, std::size_t depth) {
  if (depth > kDeepestPart) return kNever;
  const char c = text[at];
  if (c == '\\') return std::min(at + 2, text.size());
  if (c == '\'') return behind_next(text, at + 1, '\'');
  if (c == '"') return behind_double_quotes(text, at, depth);
  if (c == '`') return behind_backticks(text, at);
  if (c == kLineBegins) return behind_next(text, at, kLineEnds);
  if (begins(text, at, "$(")) return behind_brackets(text, at + 2, '(', ')', depth);
  if (begins(text, at, "${")) return behind_brackets(text, at + 2, '{', '}', depth);
  return at + 1;
}

std::size_t assignment_prefix(std::string_view raw) {
  std::size_t end = 0;
  while (end < raw.size() && is_name_character(raw[end])) ++end;
  if (!is_shell_name(raw.substr(0, end))) return 0;
  if (begins(raw, end, "[")) {
    const std::size_t behind = behind_brackets(raw, end + 1, '[', ']', 0);
    if (behind == kNever) return 0;
    end = behind;
  }
  if (begins(raw, end, "+=")) return end + 2;
  return begins(raw, end, "=") ? end + 1 : 0;
}

bool is_shell_name(std::string_view text) {
  return !text.empty() && !(text.front() >= '0' && text.front() <= '9') &&
         std::ranges::all_of(text, is_name_character);
}

ShellTokens shell_tokens(std::string_view text, std::size_t line) {
  return ShellLexer(text, line).run();
}

}  // namespace spillway
