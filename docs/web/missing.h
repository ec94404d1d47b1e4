// What the C++20 library of LLVM 13, which Debian 12's Emscripten comes with, lacks of what the rooms use.
// Put before every file by CMakeLists.txt; to be dropped with the next Emscripten. Algorithms on ranges do
// what std's on iterators do; of their many forms those are here that are used.
#pragma once

#include <algorithm>
#include <charconv>
#include <compare>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <numeric>
#include <ranges>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

static_assert(_LIBCPP_VERSION < 14000, "this library has these itself");

namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

// There is one thread: what another is to do is done when that is made.
class jthread {
 public:
  template <class Work>
  explicit jthread(Work&& work) {
    std::forward<Work>(work)();
  }
};

// The longest prefix that is a number without a sign '+' before it.
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const string text(first,
                    find_if(first, last, [](char c) { return !strchr("+-.0123456789eEinfatyINFATY", c); }));
  char* end = nullptr;
  const double number = text.empty() || text[0] == '+' ? 0 : strtod(text.c_str(), &end);
  if (end == nullptr || end == text.c_str()) return {first, errc::invalid_argument};
  if (number == HUGE_VAL && isdigit(text[text[0] == '-'])) return {first, errc::result_out_of_range};
  value = number;
  return {first + (end - text.c_str()), errc()};
}

// As few digits as read back as the same number.
inline to_chars_result to_chars(char* first, char* last, double value) {
  char text[32];
  int length = 0;
  for (int digits = 1; digits <= 17; ++digits) {
    length = snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, nullptr) == value) break;
  }
  if (last - first < length) return {last, errc::value_too_large};
  return {copy_n(text, length, first), errc()};
}

// Defaulted comparisons of types that hold pairs and lists ask for these.
template <class T>
concept ThreeWay = requires(const T& x) {
  x <=> x;
};
template <ThreeWay A, ThreeWay B>
constexpr auto operator<=>(const pair<A, B>& a, const pair<A, B>& b) {
  using Order = common_comparison_category_t<decltype(a.first <=> b.first), decltype(a.second <=> b.second)>;
  if (const Order first = a.first <=> b.first; first != 0) return first;
  return Order(a.second <=> b.second);
}
template <ThreeWay T, class Allocator>
constexpr auto operator<=>(const vector<T, Allocator>& a, const vector<T, Allocator>& b) {
  using Order = decltype(a[0] <=> b[0]);
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    if (const Order each = a[i] <=> b[i]; each != 0) return each;
  return Order(a.size() <=> b.size());
}

namespace ranges {

template <class T>
concept Ranged = requires(T& x) {
  std::begin(x);
};

template <class Iterator, class Predicate, class Of = identity>
constexpr auto find_if(Iterator at, Iterator last, Predicate predicate, Of of = {}) {
  while (at != last && !std::invoke(predicate, std::invoke(of, *at))) ++at;
  return at;
}
template <Ranged Range, class Predicate, class Of = identity>
constexpr auto find_if(Range&& range, Predicate predicate, Of of = {}) {
  return ranges::find_if(std::begin(range), std::end(range), predicate, of);
}
template <class Iterator, class Value, class Of = identity>
constexpr auto find(Iterator first, Iterator last, const Value& value, Of of) {
  return ranges::find_if(
      first, last, [&](const auto& each) { return each == value; }, of);
}
template <class Range, class Value, class Of = identity>
constexpr auto find(Range&& range, const Value& value, Of of = {}) {
  return ranges::find_if(
      range, [&](const auto& each) { return each == value; }, of);
}
template <class Range, class Predicate>
constexpr auto find_if_not(Range&& range, Predicate predicate) {
  return ranges::find_if(range, not_fn(predicate));
}
template <class Range, class Pair>
constexpr auto adjacent_find(Range&& range, Pair pair) {
  return std::adjacent_find(std::begin(range), std::end(range), pair);
}
template <class Range>
constexpr bool is_sorted(const Range& range) {
  return std::is_sorted(std::begin(range), std::end(range));
}
template <class Range, class Predicate, class Of = identity>
constexpr bool any_of(Range&& range, Predicate predicate, Of of = {}) {
  return ranges::find_if(range, predicate, of) != std::end(range);
}
template <class Range, class Predicate, class Of = identity>
constexpr bool none_of(Range&& range, Predicate predicate, Of of = {}) {
  return !ranges::any_of(range, predicate, of);
}
template <class Range, class Predicate, class Of = identity>
constexpr bool all_of(Range&& range, Predicate predicate, Of of = {}) {
  return !ranges::any_of(range, not_fn(predicate), of);
}
template <class Range, class Predicate, class Of = identity>
constexpr auto count_if(Range&& range, Predicate predicate, Of of = {}) {
  return std::count_if(std::begin(range), std::end(range),
                       [&](const auto& each) { return std::invoke(predicate, std::invoke(of, each)); });
}
template <class Range, class Value>
constexpr auto count(Range&& range, const Value& value) {
  return std::count(std::begin(range), std::end(range), value);
}

template <class Order, class Of>
constexpr auto by(Order& order, Of& of) {
  return [&](const auto& a, const auto& b) -> bool {
    return std::invoke(order, std::invoke(of, a), std::invoke(of, b));
  };
}
template <class Range, class Order = std::less<>, class Of = identity>
constexpr void sort(Range&& range, Order order = {}, Of of = {}) {
  std::sort(std::begin(range), std::end(range), by(order, of));
}
template <class Range, class Order = std::less<>, class Of = identity>
void stable_sort(Range&& range, Order order = {}, Of of = {}) {
  std::stable_sort(std::begin(range), std::end(range), by(order, of));
}
template <class Range, class Order = std::less<>, class Of = identity>
constexpr auto max_element(Range&& range, Order order = {}, Of of = {}) {
  return std::max_element(std::begin(range), std::end(range), by(order, of));
}
template <class Range, class Order = std::less<>, class Of = identity>
constexpr auto min_element(Range&& range, Order order = {}, Of of = {}) {
  return std::min_element(std::begin(range), std::end(range), by(order, of));
}

template <class Range, class Order = std::less<>, class Of = identity>
constexpr auto max(Range&& range, Order order = {}, Of of = {}) {
  return *ranges::max_element(range, order, of);
}

template <class One, class Other, class Same = std::equal_to<>, class OfOne = identity,
          class OfOther = identity>
constexpr bool equal(One&& one, Other&& other, Same same = {}, OfOne of_one = {}, OfOther of_other = {}) {
  return std::equal(std::begin(one), std::end(one), std::begin(other), std::end(other),
                    [&](const auto& a, const auto& b) {
                      return std::invoke(same, std::invoke(of_one, a), std::invoke(of_other, b));
                    });
}
template <class Range, class Out, class Predicate>
constexpr void copy_if(Range&& range, Out out, Predicate predicate) {
  std::copy_if(std::begin(range), std::end(range), out, predicate);
}
template <class Range, class Out>
constexpr void copy(Range&& range, Out out) {
  std::copy(std::begin(range), std::end(range), out);
}
template <class Range, class Out>
constexpr void move(Range&& range, Out out) {
  std::move(std::begin(range), std::end(range), out);
}
template <class Range, class Value>
constexpr void fill(Range&& range, const Value& value) {
  std::fill(std::begin(range), std::end(range), value);
}
template <class Range, class Value, class Order = std::less<>, class Of = identity>
constexpr auto lower_bound(Range&& range, const Value& value, Order order = {}, Of of = {}) {
  return std::lower_bound(std::begin(range), std::end(range), value, [&](const auto& a, const auto& b) {
    return std::invoke(order, std::invoke(of, a), b);
  });
}
template <class One, class Other, class Order>
constexpr bool lexicographical_compare(const One& one, const Other& other, Order order) {
  return std::lexicographical_compare(std::begin(one), std::end(one), std::begin(other), std::end(other),
                                      order);
}
template <class Range>
constexpr auto minmax(const Range& range) {
  const auto [least, most] = std::minmax_element(std::begin(range), std::end(range));
  return pair(*least, *most);
}
template <class Range, class Predicate>
void stable_partition(Range&& range, Predicate predicate) {
  std::stable_partition(std::begin(range), std::end(range),
                        [&](const auto& each) { return std::invoke(predicate, each); });
}
template <class Range>
constexpr void reverse(Range&& range) {
  std::reverse(std::begin(range), std::end(range));
}

template <class Iterator>
struct Part {
  Iterator first, last;
  constexpr Iterator begin() const { return first; }
  constexpr Iterator end() const { return last; }
};
// What is left over behind the last.
template <class Range>
constexpr auto unique(Range&& range) {
  return Part<decltype(std::begin(range))>{std::unique(std::begin(range), std::end(range)), std::end(range)};
}

template <class Range, class Out, class Of>
constexpr Out transform(Range&& range, Out out, Of of) {
  return std::transform(std::begin(range), std::end(range), out, of);
}

}  // namespace ranges

namespace views {
struct Reverse {
  template <class Range>
  friend constexpr auto operator|(const Range& range, Reverse) {
    return ranges::Part<decltype(std::rbegin(range))>{std::rbegin(range), std::rend(range)};
  }
};
inline constexpr Reverse reverse;
struct Take {
  std::ptrdiff_t most;
  template <class Range>
  friend constexpr auto operator|(const Range& range, Take take) {
    const auto first = std::begin(range), last = std::end(range);
    return ranges::Part<decltype(std::begin(range))>{first, first + std::min(take.most, last - first)};
  }
};
constexpr Take take(std::ptrdiff_t most) {
  return {most};
}

template <class Number>
struct Counted {
  struct Iterator {
    Number at;
    constexpr Number operator*() const { return at; }
    constexpr Iterator& operator++() { return ++at, *this; }
    friend constexpr bool operator==(Iterator, Iterator) = default;
  };
  Number first, last;
  constexpr Iterator begin() const { return {first}; }
  constexpr Iterator end() const { return {last}; }
};
template <class Number>
constexpr Counted<Number> iota(Number first, Number last) {
  return {first, last};
}
}  // namespace views

// Boost.Graph asks for the largest of edges, whose iterators are no forward iterators by the letter.
template <class Iterator, class Order>
requires(!__is_cpp17_forward_iterator<Iterator>::value) Iterator
    max_element(Iterator first, Iterator last, Order less) {
  Iterator most = first;
  for (; first != last; ++first)
    if (less(*most, *first)) most = first;
  return most;
}

}  // namespace std
