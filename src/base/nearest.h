// The known word a misspelt one was probably meant to be.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace spillway {

// Levenshtein distance: insertions, deletions and substitutions. Cost a.size() x b.size().
std::size_t edit_distance(std::string_view a, std::string_view b);

// The known word that `word` may be a misspelling of, in whatever case: at most a third of the letters
// differ, or one begins with the other. Nothing where none is so near: a guess would mislead.
std::optional<std::string_view> near_word(std::string_view word, std::span<const std::string_view> known);

// The known word at the least distance, the first of equals. Contract: `known` is not empty.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace spillway
