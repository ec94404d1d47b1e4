#include "traces/files/line_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/csv.h"
#include "base/error.h"
#include "support/temporary_folder.h"

namespace spillway {
namespace {

class LineSourceTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) { return folder_.file(name, text); }

  std::vector<std::string> lines(const std::string& path) {
    LineSource source(path);
    std::vector<std::string> all;
    while (const auto line = source.next()) all.emplace_back(*line);
    return all;
  }

  const testing::TemporaryFolder folder_;
};

TEST_F(LineSourceTest, LinesOfEitherEndAndAFileWithoutOne) {
  EXPECT_EQ(lines(write("a", "one\r\ntwo\n\nfour")), (std::vector<std::string>{"one", "two", "", "four"}));
  EXPECT_EQ(lines(write("b", "")), std::vector<std::string>{});
}

TEST_F(LineSourceTest, AGzippedFileReadsLikeAPlainOne) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "line " + std::to_string(i) + "\n";
  const std::string plain = write("c", text);
  ASSERT_EQ(std::system(("gzip -kf " + plain).c_str()), 0);
  EXPECT_EQ(lines(plain), lines(plain + ".gz"));
}

TEST_F(LineSourceTest, ATruncatedArchiveIsRefused) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "line " + std::to_string(i * 7919) + "\n";
  const std::string plain = write("d", text);
  ASSERT_EQ(std::system(("gzip -kf " + plain).c_str()), 0);
  std::filesystem::resize_file(plain + ".gz", std::filesystem::file_size(plain + ".gz") / 2);
  EXPECT_THROW(lines(plain + ".gz"), InputError);
}

TEST_F(LineSourceTest, QuotedFieldsKeepTheirCommas) {
  std::vector<std::string_view> fields;
  split_csv("a, b ,\"1,2;3\",,", fields);
  EXPECT_EQ(fields, (std::vector<std::string_view>{"a", "b", "1,2;3", "", ""}));
}

}  // namespace
}  // namespace spillway
