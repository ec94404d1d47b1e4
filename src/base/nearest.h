// Finds the known word that a misspelt word probably meant.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace spillway {

// Levenshtein distance: insertions, deletions and substitutions. Cost a.size() x b.size().
std::size_t edit_distance(std::string_view a, std::string_view b);

// The known word that `word` may misspell, ignoring case: at most a third of the letters differ, or one word
// begins with the other. Returns nothing if no word is so near, because a guess would mislead.
std::optional<std::string_view> near_word(std::string_view word, std::span<const std::string_view> known);

// The known word at the least edit distance; the first one on a tie. Contract: `known` is not empty.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace spillway
