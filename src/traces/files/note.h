// What was done to a measured file before anything was computed from it, counted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace spillway {

enum class NoteKind {
  Read,       // a fact about the file
  Dropped,    // rows or events that say nothing here, or nothing sensible
  Guessed,    // the file does not say; this was taken
  Missing,    // expected and not there
  Corrected,  // clocks, order
  Differs     // two sources do not agree: the trace and a schedule, a configuration
};

struct Note {
  NoteKind kind;
  std::size_t count;  // of rows, events, ranks, whatever `text` says; 0 where counting says nothing
  std::string text;   // a sentence without a full stop; what is counted comes first, in the plural

  friend bool operator==(const Note&, const Note&) = default;
};

// "dropped: 12 rows with a negative duration (first at line 7)", or "dropped: 1 row with ..."
std::string to_string(const Note& note);

// The note that prints so; any other text is a fact about the file, uncounted.
Note note_from(std::string_view text);

}  // namespace spillway
