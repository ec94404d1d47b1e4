#include "base/nearest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace spillway {
namespace {

// Beyond this a word is no misspelling of a key.
constexpr std::size_t kLongestWord = 100;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // of the prefix of a read so far, to each prefix of b
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

}  // namespace spillway
