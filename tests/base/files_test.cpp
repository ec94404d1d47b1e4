// A path that cannot be looked at gives an answer, not an exception; passing files leave nothing behind.
#include "base/files.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "base/error.h"
#include "base/passing_file.h"
#include "support/temporary_folder.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  Files() {
    std::ofstream(folder_ / "file") << "text";
    fs::create_symlink(folder_ / "b", folder_ / "a");
    fs::create_symlink(folder_ / "a", folder_ / "b");
  }

  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const testing::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

TEST_F(Files, WhatCannotBeLookedAtIsNoneOfThese) {
  for (const fs::path& path :
       {folder_ / "none", folder_ / "a", folder_ / "file/below", folder_ / "a/below",
        folder_ / std::string(300, 'x'), fs::path(std::string(5000, 'y')), fs::path()}) {
    EXPECT_FALSE(is_there(path) || is_folder(path) || is_plain_file(path) || is_special(path)) << path;
    EXPECT_EQ(size_of_file(path), 0u);
    EXPECT_NE(why_not_there(path), "");
    EXPECT_THROW(entries_of(path), InputError);
    absolute_path(path), canonical_path(path), remove_file(path.empty() ? folder_ / "none" : fs::path());
  }
  EXPECT_TRUE(is_missing(folder_ / "none"));
  EXPECT_FALSE(is_missing(folder_ / "a") || is_missing(folder_ / "file"));
  EXPECT_TRUE(is_taken(folder_ / "a"));
  EXPECT_FALSE(is_taken(folder_ / "none"));
}

TEST_F(Files, SaysWhatIsThere) {
  EXPECT_TRUE(is_plain_file(folder_ / "file") && !is_folder(folder_ / "file"));
  EXPECT_TRUE(is_folder(folder_) && is_special("/dev/null"));
  EXPECT_EQ(size_of_file(folder_ / "file"), 4u);
  EXPECT_EQ(entries_of(folder_), (std::vector<fs::path>{folder_ / "a", folder_ / "b", folder_ / "file"}));
}

std::string text_at(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(Files, APassingFileIsPutInItsPlaceOrGone) {
  const fs::path place = folder_ / "deeper/file";
  { const PassingFile file(place); }
  EXPECT_TRUE(entries_of(folder_ / "deeper").empty());
  {
    const PassingFile file(place);
    std::ofstream(file.name()) << "first";
    EXPECT_TRUE(file.put_where_free());
  }
  {
    const PassingFile file(place);
    std::ofstream(file.name()) << "second";
    EXPECT_FALSE(file.put_where_free());
    EXPECT_EQ(text_at(place), "first");
    file.replace();
  }
  EXPECT_EQ(text_at(place), "second");
  EXPECT_EQ(entries_of(folder_ / "deeper"), std::vector<fs::path>{place});
}

TEST_F(Files, APassingFileOfALongNameIsMade) {
  const fs::path place = folder_ / std::string(250, 'n');
  { PassingFile(place).replace(); }
  EXPECT_TRUE(is_plain_file(place));
}

// An attacker who could predict the name could have the text written into a file of his choice.
TEST_F(Files, PassingNamesAreTheirOwnEachTime) {
  const PassingFile one(folder_ / "p"), other(folder_ / "p");
  EXPECT_NE(one.name(), other.name());
  EXPECT_EQ(one.name().find(std::to_string(getpid())), std::string::npos);
}

// The signal, such as Ctrl-C, comes in the middle of writing.
TEST_F(Files, ASignalLeavesNoPassingFile) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const std::size_t before = entries();
    const pid_t child = fork();
    if (child == 0) {
      const PassingFile one(folder_ / "one"), other(folder_ / "other");
      raise(signal);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    EXPECT_EQ(entries(), before);
  }
}

TEST_F(Files, SignalsAreLeftToWhoeverTookThem) {
  ::signal(SIGINT, SIG_IGN);
  { const PassingFile file(folder_ / "p"); }
  EXPECT_EQ(::signal(SIGINT, SIG_DFL), SIG_IGN);
  { const PassingFile file(folder_ / "p"); }
  EXPECT_EQ(::signal(SIGINT, SIG_DFL), SIG_DFL);
}

}  // namespace
}  // namespace spillway
