// Whole numbers with the operators and precedences of C (POSIX.1-2024, XCU 2.6.4), without assignments.
// Division cuts off: 7 / 2 = 3. Test: tests/launch/shell_arithmetic_test.cpp.
#include "launch/shell/arithmetic.h"

#include <array>
#include <charconv>
#include <limits>

#include "base/text.h"

namespace spillway {
namespace {

using Whole = std::optional<std::int64_t>;
constexpr int kDeepestTerm = 60;

Whole power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0 || exponent > 63) return std::nullopt;
  std::int64_t product = 1;
  for (std::int64_t i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(product, base, &product)) return std::nullopt;
  return product;
}

Whole combined(std::string_view op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (op == "+") return __builtin_add_overflow(a, b, &result) ? Whole() : result;
  if (op == "-") return __builtin_sub_overflow(a, b, &result) ? Whole() : result;
  if (op == "*") return __builtin_mul_overflow(a, b, &result) ? Whole() : result;
  if (op == "**") return power(a, b);
  if (op == "/" || op == "%") {
    if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
    return op == "/" ? a / b : a % b;
  }
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  if (op == "&&") return a != 0 && b != 0;
  return a != 0 || b != 0;
}

struct ArithmeticOperator {
  std::string_view op;
  int binds;
};
// Longer operators first.
constexpr std::array<ArithmeticOperator, 14> kArithmeticOperators{{{"**", 7},
                                                                   {"==", 3},
                                                                   {"!=", 3},
                                                                   {"<=", 4},
                                                                   {">=", 4},
                                                                   {"&&", 2},
                                                                   {"||", 1},
                                                                   {"<", 4},
                                                                   {">", 4},
                                                                   {"+", 5},
                                                                   {"-", 5},
                                                                   {"*", 6},
                                                                   {"/", 6},
                                                                   {"%", 6}}};

class Arithmetic {
 public:
  Arithmetic(std::string_view text, const VariableText& value_of) : text_(text), value_of_(value_of) {}

  Whole run() {
    const Whole result = chosen();
    skip_blanks();
    return at_ == text_.size() ? result : std::nullopt;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && kBlanks.find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(std::string_view token) {
    skip_blanks();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  // a ? b : c
  Whole chosen() {
    if (++depth_ > kDeepestTerm) return std::nullopt;
    const Whole condition = binary(1);
    Whole result = condition;
    if (condition && take("?")) {
      const Whole yes = chosen();
      const bool colon = take(":");
      const Whole no = chosen();
      result = colon ? (*condition != 0 ? yes : no) : std::nullopt;
    }
    --depth_;
    return result;
  }

  const ArithmeticOperator* next_operator(int least) {
    skip_blanks();
    for (const ArithmeticOperator& each : kArithmeticOperators)
      if (text_.substr(at_, each.op.size()) == each.op) return each.binds >= least ? &each : nullptr;
    return nullptr;
  }

  Whole binary(int least) {
    Whole left = unary();
    while (left) {
      const ArithmeticOperator* next = next_operator(least);
      if (!next) break;
      at_ += next->op.size();
      const Whole right = binary(next->op == "**" ? next->binds : next->binds + 1);
      left = right ? combined(next->op, *left, *right) : std::nullopt;
    }
    return left;
  }

  Whole unary() {
    if (++depth_ > kDeepestTerm) return std::nullopt;
    Whole value;
    if (take("-")) {
      value = unary();
      value = value ? combined("-", 0, *value) : value;
    } else if (take("+")) {
      value = unary();
    } else if (take("!")) {
      value = unary();
      if (value) value = *value == 0;
    } else if (take("(")) {
      value = chosen();
      if (!take(")")) value = std::nullopt;
    } else {
      value = operand();
    }
    --depth_;
    return value;
  }

  Whole operand() {
    skip_blanks();
    take("$");
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word.empty()) return std::nullopt;
    if (word.front() >= '0' && word.front() <= '9') return number(word);
    const std::optional<std::string> value = value_of_(word);
    return value ? number(trimmed(*value)) : std::nullopt;
  }

  static Whole number(std::string_view word) {
    std::int64_t value = 0;
    const int base = word.size() > 1 && word.front() == '0' ? 8 : 10;  // 010 is 8
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    return error == std::errc() && end == word.data() + word.size() && !word.empty() ? Whole(value)
                                                                                     : std::nullopt;
  }

  std::string_view text_;
  const VariableText& value_of_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<std::int64_t> shell_arithmetic(std::string_view text, const VariableText& value_of) {
  return Arithmetic(text, value_of).run();
}

}  // namespace spillway
