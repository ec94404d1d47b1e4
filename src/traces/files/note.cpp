#include "traces/files/note.h"

#include <algorithm>
#include <array>

#include "base/number.h"

namespace spillway {
namespace {

constexpr std::array<std::string_view, 6> kWords = {"read",    "dropped",   "guessed",
                                                    "missing", "corrected", "differs"};

// Turns "rows without a size" into "row without a size": the counted noun comes first.
std::string of_one(std::string_view text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  std::string_view noun = text.substr(0, end);
  const auto ends = [&](const char* ending) { return noun.ends_with(ending); };
  if (!ends("s") || ends("ss")) return std::string(text);
  if (ends("ies")) return std::string(noun.substr(0, end - 3)) + 'y' + std::string(text.substr(end));
  noun.remove_suffix(ends("sses") || ends("ches") || ends("xes") ? 2 : 1);
  return std::string(noun) + std::string(text.substr(end));
}

}  // namespace

std::string to_string(const Note& note) {
  const std::string count = note.count == 0 ? "" : std::to_string(note.count) + " ";
  return std::string(kWords[static_cast<std::size_t>(note.kind)]) + ": " + count +
         (note.count == 1 ? of_one(note.text) : note.text);
}

Note note_from(std::string_view text) {
  const std::size_t colon = std::min(text.find(": "), text.size());
  const auto word = std::find(kWords.begin(), kWords.end(), text.substr(0, colon));
  if (word == kWords.end()) return {NoteKind::Read, 0, std::string(text)};
  std::string_view rest = text.substr(std::min(colon + 2, text.size()));
  const std::size_t blank = std::min(rest.find(' '), rest.size());
  const auto count = number_from<std::size_t>(rest.substr(0, blank));
  if (count) rest.remove_prefix(std::min(blank + 1, rest.size()));
  return {static_cast<NoteKind>(word - kWords.begin()), count.value_or(0), std::string(rest)};
}

}  // namespace spillway
