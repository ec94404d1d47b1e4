// Three values, true, false and not known: "false and not known" is false (POSIX.1-2024, XCU, test).
// Test: tests/launch/shell_script_test.cpp.
#include "launch/shell/condition.h"

#include <charconv>

#include "base/text.h"
#include "launch/shell/glob.h"

namespace spillway {
namespace {

using Answer = std::optional<bool>;
constexpr int kDeepestTest = 40;

Answer both(Answer a, Answer b) {
  if ((a && !*a) || (b && !*b)) return false;
  return a && b ? Answer(true) : std::nullopt;
}

Answer opposite(Answer a) {
  return a ? Answer(!*a) : a;
}

Answer either(Answer a, Answer b) {
  return opposite(both(opposite(a), opposite(b)));
}

std::optional<long long> as_whole(std::string_view text) {
  long long number = 0;
  text = trimmed(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Answer compared(const std::string& a, std::string_view op, const std::string& b) {
  const auto left = as_whole(a), right = as_whole(b);
  if (!left || !right) return std::nullopt;
  if (op == "-eq") return *left == *right;
  if (op == "-ne") return *left != *right;
  if (op == "-lt") return *left < *right;
  if (op == "-le") return *left <= *right;
  if (op == "-gt") return *left > *right;
  if (op == "-ge") return *left >= *right;
  return std::nullopt;
}

class Test {
 public:
  Test(const std::vector<std::string>& words, bool double_brackets, const UnknownParts& parts)
      : double_(double_brackets) {
    for (const std::string& word : words) words_.push_back(with_unset_as_empty(word, parts));
  }

  Answer run() {
    if (words_.empty()) return false;
    const Answer answer = disjunction();
    return at_ == words_.size() ? answer : std::nullopt;
  }

 private:
  bool take(std::string_view word) {
    if (at_ >= words_.size() || words_[at_] != word) return false;
    ++at_;
    return true;
  }
  Answer disjunction() {
    if (++depth_ > kDeepestTest) return std::nullopt;
    Answer answer = conjunction();
    while (take("||") || take("-o")) answer = either(answer, conjunction());
    --depth_;
    return answer;
  }
  Answer conjunction() {
    Answer answer = primary();
    while (take("&&") || take("-a")) answer = both(answer, primary());
    return answer;
  }
  Answer primary() {
    if (at_ >= words_.size()) return std::nullopt;
    if (words_.size() - at_ > 1 && take("!"))
      return ++depth_ > kDeepestTest ? std::nullopt : opposite(primary());
    if (words_.size() - at_ > 2 && take("(")) {
      const Answer inner = disjunction();
      return take(")") ? inner : std::nullopt;
    }
    if (at_ + 2 < words_.size() && is_binary(words_[at_ + 1])) return binary();
    if (at_ + 1 < words_.size() && words_[at_].size() == 2 && words_[at_][0] == '-') return unary();
    const std::string& text = words_[at_++];
    return known(text, !text.empty());
  }

  static bool is_binary(std::string_view op) {
    return op == "=" || op == "==" || op == "!=" || op == "=~" || op == "<" || op == ">" || op == "-nt" ||
           op == "-ot" || op == "-ef" ||
           (op.size() == 3 && op.front() == '-' && std::string_view("-eq-ne-lt-le-gt-ge").find(op) % 3 == 0);
  }
  static Answer known(const std::string& text, bool answer) {
    return has_unknown(text) ? std::nullopt : Answer(answer);
  }

  Answer binary() {
    const std::string &a = words_[at_], &op = words_[at_ + 1], &b = words_[at_ + 2];
    at_ += 3;
    if (has_unknown(a) || has_unknown(b)) return std::nullopt;
    const bool equality = op == "=" || op == "==" || op == "!=";
    if (!equality) return compared(a, op, b);
    const bool same = double_ ? matches_glob(b, a) : a == b;
    return same == (op != "!=");
  }
  Answer unary() {
    const std::string &op = words_[at_], &text = words_[at_ + 1];
    at_ += 2;
    if (op == "-n" || op == "-z") {
      if (has_unknown(text)) return std::nullopt;
      return text.empty() == (op == "-z");
    }
    return std::nullopt;
  }

  std::vector<std::string> words_ = {};
  bool double_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<bool> shell_condition(const std::vector<std::string>& words, bool double_brackets,
                                    const UnknownParts& parts) {
  return Test(words, double_brackets, parts).run();
}

}  // namespace spillway
