#include "traces/files/note.h"

#include <gtest/gtest.h>

namespace spillway {
namespace {

TEST(Note, ReadsAsItPrints) {
  for (const NoteKind kind : {NoteKind::Read, NoteKind::Dropped, NoteKind::Guessed, NoteKind::Missing,
                              NoteKind::Corrected, NoteKind::Differs}) {
    for (const std::size_t count : {0, 1, 12}) {
      const Note note = {kind, count, "rows: 7 of them"};
      EXPECT_EQ(note_from(to_string(note)), note) << to_string(note);
    }
  }
}

TEST(Note, OtherTextIsAFact) {
  EXPECT_EQ(note_from("source: somewhere"), (Note{NoteKind::Read, 0, "source: somewhere"}));
  EXPECT_EQ(note_from("dropped"), (Note{NoteKind::Dropped, 0, ""}));
  EXPECT_EQ(note_from(""), (Note{NoteKind::Read, 0, ""}));
}

}  // namespace
}  // namespace spillway
