// A note counts one kind of change that was made to a measured file before anything was computed from it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace spillway {

enum class NoteKind {
  Read,       // a fact about the file
  Dropped,    // rows or events without useful content
  Guessed,    // the file does not say; this was assumed
  Missing,    // expected, but absent
  Corrected,  // clocks, order
  Differs     // two sources disagree: the trace and a schedule, a configuration
};

struct Note {
  NoteKind kind;
  std::size_t count;  // of rows, events, ranks, as `text` says; 0 if there is nothing to count
  std::string text;   // a sentence without a full stop; begins with the counted noun, in the plural

  friend bool operator==(const Note&, const Note&) = default;
};

// "dropped: 12 rows with a negative duration (first at line 7)", or "dropped: 1 row with ..."
std::string to_string(const Note& note);

// Returns the note that prints as this text. Any other text becomes a fact about the file without a count.
Note note_from(std::string_view text);

}  // namespace spillway
