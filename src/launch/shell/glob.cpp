// Matching with one point to return to, that of the last *: time is |pattern| x |text|.
// Test: tests/launch/shell_script_test.cpp.
#include "launch/shell/glob.h"

#include <cstddef>

namespace spillway {
namespace {

// Matches one character with the pattern's part at `at`, and moves `at` behind that part.
bool matches_one(std::string_view pattern, std::size_t& at, char c) {
  const char p = pattern[at];
  const std::size_t close = p == '[' ? pattern.find(']', at + 2) : std::string_view::npos;
  if (close == std::string_view::npos) {
    const bool escapes = p == '\\' && at + 1 < pattern.size();
    const bool same = escapes ? pattern[at + 1] == c : p == '?' || p == c;
    at += escapes ? 2 : 1;
    return same;
  }
  std::size_t i = at + 1;
  const bool negated = pattern[i] == '!' || pattern[i] == '^';
  bool found = false;
  for (i += negated ? 1 : 0; i < close; ++i) {
    const bool range = i + 2 < close && pattern[i + 1] == '-';
    found = found || (range ? pattern[i] <= c && c <= pattern[i + 2] : pattern[i] == c);
    i += range ? 2 : 0;
  }
  at = close + 1;
  return found != negated;
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view text) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t p = 0, t = 0, star = kNone, star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
      continue;
    }
    if (p < pattern.size() && matches_one(pattern, p, text[t])) {
      ++t;
      continue;
    }
    if (star == kNone) return false;
    p = star + 1;
    t = ++star_text;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace spillway
