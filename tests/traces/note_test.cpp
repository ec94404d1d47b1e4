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

TEST(Note, OneIsInTheSingular) {
  const auto one = [](const char* text) { return to_string({NoteKind::Dropped, 1, text}); };
  EXPECT_EQ(one("rows without a size"), "dropped: 1 row without a size");
  EXPECT_EQ(one("passes"), "dropped: 1 pass");
  EXPECT_EQ(one("boundaries of steps"), "dropped: 1 boundary of steps");
  EXPECT_EQ(one("boxes beyond"), "dropped: 1 box beyond");
  EXPECT_EQ(one("of 8 devices"), "dropped: 1 of 8 devices");
  EXPECT_EQ(to_string({NoteKind::Dropped, 2, "rows"}), "dropped: 2 rows");
  EXPECT_EQ(to_string(note_from(one("rows"))), one("rows"));
}

TEST(Note, OtherTextIsAFact) {
  EXPECT_EQ(note_from("source: somewhere"), (Note{NoteKind::Read, 0, "source: somewhere"}));
  EXPECT_EQ(note_from("dropped"), (Note{NoteKind::Dropped, 0, ""}));
  EXPECT_EQ(note_from(""), (Note{NoteKind::Read, 0, ""}));
}

}  // namespace
}  // namespace spillway
