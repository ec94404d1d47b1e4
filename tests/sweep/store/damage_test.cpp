// Checks that files that are not or no longer a store are refused with the reason.

#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <set>

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

constexpr std::size_t kPoints = 60;

std::string whole_store(const TemporaryFolder& folder) {
  const std::string path = folder.file("whole.sqlite");
  ResultStore::create(path, small_heading(), small_grid(kPoints)).put(outcomes_of(0, kPoints));
  return bytes_in_file(path);
}

// Returns the refusal of a file of these bytes, without its name.
std::string bytes_refusal(const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string path = folder.file("s");
  write_file(path, bytes);
  const std::string text = refusal([&] { testing::table_of(ResultStore::open(path)); });
  EXPECT_EQ(bytes_in_file(path), bytes) << "refused, but changed";
  return text.substr(std::min(text.size(), path.size() + 2));
}

std::string refusal_after(const std::string& statement) {
  const TemporaryFolder folder;
  whole_store(folder);
  const std::string path = folder.file("whole.sqlite");
  SQLite::Database(path, SQLite::OPEN_READWRITE).exec(statement);
  const std::string text = refusal([&] { testing::table_of(ResultStore::open(path)); });
  return text.substr(std::min(text.size(), path.size() + 2));
}

std::string with_flipped(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  return bytes;
}

TEST(Damage, WhatIsNoFileIsRefused) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal([&] { ResultStore::open(folder.file("none")); }),
            folder.file("none") + ": /: expected a results store, found no such file");
  EXPECT_EQ(refusal([&] { ResultStore::open(folder.file("")); }),
            folder.file("") + ": /: expected a results store, found no regular file");
}

TEST(Damage, AFileOfAnotherKindIsRefused) {
  EXPECT_EQ(bytes_refusal(""), "/: expected a results store, found an empty file");
  EXPECT_EQ(bytes_refusal("point,makespan\n"), "/: expected a results store, found a file of another kind");
  std::string noise(20'000, '\0');
  std::mt19937 random(1);
  for (char& c : noise) c = static_cast<char>(random());
  EXPECT_EQ(bytes_refusal(noise), "/: expected a results store, found a file of another kind");
}

TEST(Damage, AnotherApplicationsDatabaseIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("other");
  SQLite::Database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE heading (a)");
  EXPECT_EQ(refusal([&] { ResultStore::open(path); }),
            path + ": /: expected a results store, found an SQLite database of another application");
}

TEST(Damage, AnotherFormatIsRefused) {
  EXPECT_EQ(refusal_after("PRAGMA user_version = 0"),
            "/: expected a results store of format 1, found format 0, of another version of this program");
}

TEST(Damage, ATruncatedStoreIsRefused) {
  const TemporaryFolder folder;
  const std::string bytes = whole_store(folder);
  EXPECT_EQ(bytes_refusal(bytes.substr(0, bytes.size() / 2)),
            "/: expected a whole results store, found a damaged one (database disk image is malformed): use "
            "an earlier copy, or start again with another --out");
}

TEST(Damage, AFlippedByteOfAnOutcomeIsRefusedByItsKey) {
  const TemporaryFolder folder;
  const std::string bytes = whole_store(folder);
  const std::string text = bytes_refusal(with_flipped(bytes, bytes.rfind("mpipe") + 20));
  EXPECT_TRUE(text.starts_with("/outcomes/")) << text;
  EXPECT_NE(text.find(": expected an outcome whose checksum holds, found a damaged one: remove it (sqlite3 "),
            std::string::npos)
      << text;
}

// Otherwise a lookup would find the key before the damaged one in its place.
TEST(Damage, AKeyOutOfOrderIsRefused) {
  const TemporaryFolder folder;
  const std::string bytes = whole_store(folder);
  std::set<std::string> keys;
  for (std::size_t point = 0; point < kPoints; ++point) keys.insert(testing::key_of(point));
  int refused = 0;
  for (const std::string& key : keys) {
    std::string damaged = bytes;
    const std::size_t in_outcomes = bytes.rfind(key);
    damaged[in_outcomes] = 'g';
    const std::string text = bytes_refusal(damaged);
    refused += text.starts_with("/: expected a whole results store, found a damaged one (keys out of order)");
    EXPECT_TRUE(text.empty() || text.starts_with("/: expected a whole results store")) << text;
  }
  EXPECT_GT(refused, 0);
}

TEST(Damage, AChangedHeadingOrGridIsRefused) {
  const std::string damaged =
      "/: expected a whole results store, found a damaged one (a heading or grid whose checksum does not "
      "hold): use an earlier copy, or start again with another --out";
  EXPECT_EQ(refusal_after("UPDATE heading SET value = '8' WHERE field = 'seed'"), damaged);
  EXPECT_EQ(refusal_after("UPDATE heading SET value = 'x' WHERE field = 'seed'"), damaged);
  EXPECT_EQ(refusal_after("DELETE FROM heading WHERE field = 'seal'"), damaged);
  EXPECT_EQ(refusal_after("UPDATE grid SET \"values\" = '[9,\"a\"]' WHERE point = 9"), damaged);
  EXPECT_EQ(refusal_after("DELETE FROM grid WHERE point = 59"), damaged);
}

TEST(Damage, ATableThatIsGoneIsRefused) {
  EXPECT_EQ(refusal_after("DROP TABLE outcomes"),
            "/: expected a results store that can be read and written, found no such table: outcomes");
}

// A figure of a damaged store is right, missing or refused. Zero bytes are skipped: most of them are the
// unused ends of pages.
TEST(Damage, AnywhereNeverChangesAFigure) {
  const TemporaryFolder folder;
  const std::string bytes = whole_store(folder), path = folder.file("flipped");
  std::mt19937 random(3);
  int refused = 0;
  for (int times = 0; times < 300; ++times) {
    std::size_t flip = random() % bytes.size();
    while (bytes[flip] == 0) flip = random() % bytes.size();
    write_file(path, with_flipped(bytes, flip));
    refused += !refusal([&] {
                  std::size_t point = 0;
                  ResultStore::open(path).for_each([&](const GridPoint& at, const auto& outcome) {
                    EXPECT_EQ(at, small_grid(kPoints)[point]);
                    EXPECT_EQ(outcome.value_or(testing::outcome_of(point).outcome),
                              testing::outcome_of(point).outcome)
                        << "point " << point << ", byte " << flip;
                    ++point;
                  });
                  EXPECT_EQ(point, kPoints);
                }).empty();
    for (const char* beside : {"", "-wal", "-shm"}) fs::remove(path + beside);
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace spillway
