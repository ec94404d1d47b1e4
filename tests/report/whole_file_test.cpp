#include "words/whole_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;

class WholeFile : public ::testing::Test {
 protected:
  std::string content(const fs::path& path) const {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const testing::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

TEST_F(WholeFile, MakesItsFoldersAndReplacesWhatIsThere) {
  const fs::path path = folder_ / "a/b/file.txt";
  write_whole_file(path, [](std::ostream& out) { out << "first, and longer"; });
  write_whole_file(path, [](std::ostream& out) { out << "second"; });
  EXPECT_EQ(content(path), "second");
}

TEST_F(WholeFile, AFaultInTheMiddleLeavesTheOldFileAndNoOther) {
  const fs::path path = folder_ / "file.txt";
  write_whole_file(path, [](std::ostream& out) { out << "old"; });
  const auto broken = [](std::ostream& out) {
    out << "half";
    throw std::runtime_error("stopped");
  };
  EXPECT_THROW(write_whole_file(path, broken), std::runtime_error);
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(WholeFile, AnUnwritablePlaceIsNamed) {
  std::ofstream(folder_ / "file") << "in the way of a folder";
  const fs::path path = folder_ / "file/report.json";
  try {
    write_whole_file(path, [](std::ostream&) {});
    FAIL() << "wrote below a file";
  } catch (const InputError& refused) {
    ASSERT_EQ(refused.violations().size(), 1u);
    EXPECT_EQ(refused.violations()[0].file, path.string());
    EXPECT_NE(refused.violations()[0].found, "");
  }
}

TEST_F(WholeFile, ASpecialFileIsNotReplaced) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(write_whole_file(pipe, [](std::ostream& out) { out << "text"; }), InputError);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

// An answer has several files: a fault at the last one, or a full disk, leaves none of them.
TEST_F(WholeFile, AllOfAnAnswerOrNone) {
  std::ofstream(folder_ / "b") << "old";
  const auto add_three = [&](std::size_t last) {
    WholeFiles files;
    files.add(folder_ / "a", [](std::ostream& out) { out << "new"; });
    files.add(folder_ / "b", [](std::ostream& out) { out << "new"; });
    files.add(folder_ / "c", [&](std::ostream& out) { out << std::string(last, 'c'); });
    files.put();
  };
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{4096, limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(add_three(5000), InputError);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_EQ(content(folder_ / "b"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  add_three(5000);
  EXPECT_EQ(content(folder_ / "a") + content(folder_ / "b"), "newnew");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 3);
}

TEST_F(WholeFile, AFolderInItsPlaceIsRefused) {
  EXPECT_THROW(write_whole_file(folder_, [](std::ostream&) {}), InputError);
}

}  // namespace
}  // namespace spillway
