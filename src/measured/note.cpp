#include "measured/note.h"

#include "base/error.h"

namespace spillway {
namespace {

const char* word(NoteKind kind) {
  switch (kind) {
    case NoteKind::Read:
      return "read";
    case NoteKind::Dropped:
      return "dropped";
    case NoteKind::Guessed:
      return "guessed";
    case NoteKind::Missing:
      return "missing";
    case NoteKind::Corrected:
      return "corrected";
    case NoteKind::Differs:
      return "differs";
  }
  throw ContractBreach("a note of a known kind");
}

}  // namespace

std::string to_string(const Note& note) {
  const std::string count = note.count == 0 ? "" : std::to_string(note.count) + " ";
  return std::string(word(note.kind)) + ": " + count + note.text;
}

}  // namespace spillway
