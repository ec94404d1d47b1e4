#include "base/nearest.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/text.h"

namespace spillway {
namespace {

// A longer word is not a misspelt key.
constexpr std::size_t kLongestWord = 100;

// Fewer letters begin too many words.
constexpr std::size_t kShortestBeginning = 3;

bool begins_the_other(std::string_view a, std::string_view b) {
  return std::min(a.size(), b.size()) >= kShortestBeginning && (a.starts_with(b) || b.starts_with(a));
}

bool may_mean(const std::string& word, const std::string& known) {
  const std::size_t letters = std::max(word.size(), known.size());
  return edit_distance(word, known) <= std::max<std::size_t>(1, letters / 3) || begins_the_other(word, known);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // distance of the prefix of a read so far to each prefix of b
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view compared = word.substr(0, kLongestWord);
  return *std::min_element(known.begin(), known.end(), [&](std::string_view a, std::string_view b) {
    return edit_distance(compared, a) < edit_distance(compared, b);
  });
}

std::optional<std::string_view> near_word(std::string_view word, std::span<const std::string_view> known) {
  const std::string compared = lower(word.substr(0, kLongestWord));
  std::optional<std::string_view> best;
  std::size_t least = 0;
  for (const std::string_view candidate : known) {
    const std::string its = lower(candidate);
    const std::size_t distance = edit_distance(compared, its);
    if (!may_mean(compared, its) || (best && distance >= least)) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

}  // namespace spillway
