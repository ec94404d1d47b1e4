// Checks where a store can be created and where not.

#include <gtest/gtest.h>

#include <filesystem>

#include "support/stores.h"
#include "sweep/store/result_store.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;

using testing::bytes_in_file;
using testing::outcomes_of;
using testing::refusal;
using testing::small_grid;
using testing::small_heading;
using testing::TemporaryFolder;
using testing::write_file;

std::string refused_at(const std::string& path) {
  return refusal([&] { ResultStore::create(path, small_heading(), small_grid(2)); });
}

TEST(Create, MakesTheFoldersOnTheWay) {
  const TemporaryFolder folder;
  EXPECT_EQ(refused_at(folder.file("a/b/s.sqlite")), "");
  EXPECT_EQ(ResultStore::open(folder.file("a/b/s.sqlite")).grid().size(), 2u);
}

TEST(Create, NeverReplacesAFile) {
  const TemporaryFolder folder;
  write_file(folder.file("s.sqlite"), "mine");
  EXPECT_EQ(refused_at(folder.file("s.sqlite")), folder.file("s.sqlite") +
                                                     ": /: expected a new file, found an existing file: "
                                                     "continue it with --resume, or choose another --out");
  EXPECT_EQ(bytes_in_file(folder.file("s.sqlite")), "mine");
  EXPECT_EQ(folder.names(), std::set<std::string>{"s.sqlite"});
}

TEST(Create, RefusesAFolderThatIsAFile) {
  const TemporaryFolder folder;
  write_file(folder.file("file"), "mine");
  EXPECT_EQ(
      refused_at(folder.file("file/s.sqlite")),
      folder.file("file/s.sqlite") + ": /: expected a place that can be written, found Not a directory");
}

// SQLite would read the old log into the new store.
TEST(Create, RefusesTheLogOfAStoreThatIsGone) {
  const TemporaryFolder folder;
  const std::string path = folder.file("s.sqlite");
  write_file(path + "-wal", "log");
  EXPECT_EQ(refused_at(path), path + ": /: expected no log of a missing store, found " + path +
                                  "-wal: remove it, or restore its store beside it");
  EXPECT_FALSE(fs::exists(path));
}

TEST(Create, TakesNamesThatSqliteWouldReadAsItsOwn) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.file(""));
  for (const std::string name : {":memory:", "file:s?mode=memory", "a b%20#?.sqlite"}) {
    ResultStore::create(name, small_heading(), small_grid(2)).put(outcomes_of(0, 2));
    EXPECT_EQ(ResultStore::open_to_read(name).finished().size(), 2u) << name;
  }
  fs::current_path(before);
}

TEST(Create, TwiceOfOneSweepMakesTheSameBytes) {
  const TemporaryFolder folder;
  EXPECT_EQ(refused_at(folder.file("a")) + refused_at(folder.file("b")), "");
  EXPECT_EQ(bytes_in_file(folder.file("a")), bytes_in_file(folder.file("b")));
}

}  // namespace
}  // namespace spillway
