// Recursive descent over words: if, case, for, while, functions, groups (POSIX.1-2024, XCU 2.9, 2.10).
// Test: tests/launch/shell_script_test.cpp.
#include "launch/shell/parser.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <utility>

namespace spillway {
namespace {

constexpr std::size_t kDeepestCommand = 60;
using Ends = std::initializer_list<std::string_view>;

class ShellParser {
 public:
  explicit ShellParser(ShellTokens tokens) : tokens_(std::move(tokens)) {}

  ShellTree run() && {
    ShellTree tree;
    while (peek().kind != ShellTokenKind::End) {
      const std::size_t before = at_;
      ShellCommands more = list({});
      tree.commands.insert(tree.commands.end(), std::make_move_iterator(more.begin()),
                           std::make_move_iterator(more.end()));
      if (at_ != before || peek().kind == ShellTokenKind::End) continue;
      fail("a command");  // such as a lone ")" or "fi"
      ++at_;
    }
    tree.sbatch = std::move(tokens_.sbatch);
    tree.errors = std::move(tokens_.errors);
    return tree;
  }

 private:
  const ShellToken& peek() const { return tokens_.tokens[at_]; }
  bool is(std::string_view text) const {
    return peek().kind != ShellTokenKind::End && peek().word.raw == text;
  }
  bool is_any(Ends ends) const {
    return std::ranges::any_of(ends, [&](std::string_view end) { return is(end); });
  }
  bool take(std::string_view text) {
    if (!is(text)) return false;
    ++at_;
    return true;
  }
  void skip_newlines() {
    while (peek().kind == ShellTokenKind::Newline) ++at_;
  }
  void skip_separators() {
    while (peek().kind == ShellTokenKind::Newline || is(";")) ++at_;
  }

  void fail(const std::string& expected) {
    const bool end = peek().kind == ShellTokenKind::End;
    tokens_.errors.push_back({peek().word.line, expected,
                              end                       ? "the end of the file"
                              : peek().word.raw == "\n" ? "the end of the line"
                                                        : peek().word.raw});
  }
  void expect(std::string_view text) {
    skip_newlines();
    if (!take(text)) fail(std::string(text));
  }

  // Commands up to a word of `ends`, which stays.
  ShellCommands list(Ends ends) {
    ShellCommands commands;
    ShellJoin join = ShellJoin::After;
    if (++depth_ > kDeepestCommand)
      fail("commands nested at most " + std::to_string(kDeepestCommand) + " deep");
    while (depth_ <= kDeepestCommand) {
      if (join == ShellJoin::After)
        skip_separators();
      else
        skip_newlines();
      if (peek().kind == ShellTokenKind::End || is_any(ends) ||
          is_any({")", "}", ";;", "fi", "done", "esac"}))
        break;
      const std::size_t before = at_;
      ShellCommand next = command();
      next.join = join;
      commands.push_back(std::move(next));
      join = joint();
      if (at_ == before) break;
    }
    --depth_;
    return commands;
  }

  ShellJoin joint() {
    if (take("&&")) return ShellJoin::IfTrue;
    if (take("||")) return ShellJoin::IfFalse;
    if (take("|") || take("|&")) return ShellJoin::Pipe;
    take("&");
    return ShellJoin::After;
  }

  ShellCommand command() {
    ShellCommand next;
    next.line = peek().word.line;
    while (take("!")) next.negated = !next.negated;
    if (take("if"))
      conditional(next);
    else if (take("case"))
      choice(next);
    else if (take("for") || take("select"))
      each(next);
    else if (take("while") || take("until"))
      loop(next);
    else if (take("function"))
      named_function(next);
    else if (is("{") || is("("))
      group(next);
    else if (is_function())
      function(next);
    else
      simple(next);
    if (next.kind != ShellKind::Simple)
      while (redirection(next)) continue;
    return next;
  }

  void conditional(ShellCommand& next) {
    next.kind = ShellKind::If;
    do {
      ShellBranch branch;
      branch.condition = list({"then"});
      expect("then");
      branch.body = list({"elif", "else", "fi"});
      next.branches.push_back(std::move(branch));
    } while (take("elif"));
    if (take("else")) next.branches.push_back({{}, {}, list({"fi"})});
    expect("fi");
  }

  void choice(ShellCommand& next) {
    next.kind = ShellKind::Case;
    if (peek().kind == ShellTokenKind::Word) next.words.push_back(tokens_.tokens[at_++].word);
    expect("in");
    for (skip_newlines(); !is("esac") && peek().kind != ShellTokenKind::End; skip_newlines()) {
      const std::size_t before = at_;
      ShellBranch branch;
      take("(");
      do {
        if (peek().kind == ShellTokenKind::Word) branch.patterns.push_back(tokens_.tokens[at_++].word);
      } while (take("|"));
      expect(")");
      branch.body = list({"esac"});
      next.branches.push_back(std::move(branch));
      if (!take(";;") && !take(";&") && !take(";;&") && at_ == before) break;
    }
    expect("esac");
  }

  void body(ShellCommand& next, ShellCommands condition) {
    skip_separators();
    expect("do");
    next.branches.push_back({std::move(condition), {}, list({"done"})});
    expect("done");
  }

  void each(ShellCommand& next) {
    next.kind = ShellKind::For;
    if (peek().kind == ShellTokenKind::Word) next.name = tokens_.tokens[at_++].word.raw;
    skip_newlines();
    if (take("in"))
      while (peek().kind == ShellTokenKind::Word) next.words.push_back(tokens_.tokens[at_++].word);
    body(next, {});
  }

  void loop(ShellCommand& next) {
    next.kind = ShellKind::While;
    ShellCommands condition = list({"do"});
    body(next, std::move(condition));
  }

  void group(ShellCommand& next) {
    next.kind = ShellKind::Group;
    const bool braces = take("{");
    if (!braces) take("(");
    next.branches.push_back({{}, {}, list({})});
    expect(braces ? "}" : ")");
  }

  bool is_function() const {
    return peek().kind == ShellTokenKind::Word && at_ + 2 < tokens_.tokens.size() &&
           tokens_.tokens[at_ + 1].word.raw == "(" && tokens_.tokens[at_ + 2].word.raw == ")";
  }

  void function(ShellCommand& next) {
    next.kind = ShellKind::Function;
    next.name = tokens_.tokens[at_].word.raw;
    at_ += 3;
    function_body(next);
  }

  void named_function(ShellCommand& next) {
    next.kind = ShellKind::Function;
    if (peek().kind == ShellTokenKind::Word) next.name = tokens_.tokens[at_++].word.raw;
    if (take("(")) take(")");
    function_body(next);
  }

  void function_body(ShellCommand& next) {
    skip_newlines();
    ShellCommand inner;
    if (is("{") || is("("))
      group(inner);
    else
      fail("{");
    if (!inner.branches.empty()) next.branches.push_back(std::move(inner.branches.front()));
  }

  // [[ ... ]] has operators among its words.
  void test(ShellCommand& next) {
    while (peek().kind != ShellTokenKind::End && !is("]]")) {
      if (peek().kind != ShellTokenKind::Newline) next.words.push_back(peek().word);
      ++at_;
    }
    if (is("]]")) next.words.push_back(peek().word);
    expect("]]");
  }

  bool redirection(ShellCommand& next) {
    static constexpr std::array<std::string_view, 12> kRedirections{">",   ">>", "<",   ">&",  "<&", "&>",
                                                                    "&>>", "<<", "<<-", "<<<", ">|", "<>"};
    if (peek().kind != ShellTokenKind::Operator ||
        std::ranges::find(kRedirections, peek().word.raw) == kRedirections.end())
      return false;
    const bool text = is("<<") || is("<<-");
    next.input.insert(next.input.end(), peek().input.begin(), peek().input.end());
    ++at_;
    if (!text && peek().kind == ShellTokenKind::Word) ++at_;
    return true;
  }

  void simple(ShellCommand& next) {
    if (is("[[")) {
      next.words.push_back(tokens_.tokens[at_++].word);
      test(next);
    }
    while (true) {
      if (peek().kind == ShellTokenKind::Word)
        next.words.push_back(tokens_.tokens[at_++].word);
      else if (!redirection(next))
        return;
    }
  }

  ShellTokens tokens_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

ShellTree parse_shell(std::string_view text, std::size_t line) {
  return ShellParser(shell_tokens(text, line)).run();
}

}  // namespace spillway
