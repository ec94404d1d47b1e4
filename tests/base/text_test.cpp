// Text, tables, bytes and findings as their headers promise them.
#include "base/text.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/csv.h"
#include "base/error_summary.h"
#include "base/findings.h"

namespace spillway {
namespace {

using Texts = std::vector<std::string_view>;

TEST(Text, TrimsSplitsAndJoins) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed("\ta ", " "), "\ta");
  EXPECT_EQ(trimmed(" \r"), "");
  EXPECT_EQ(split("a,,b,", ','), (Texts{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), Texts{""});
  EXPECT_EQ(lower("ZB-h1 Ä"), "zb-h1 Ä");
  EXPECT_EQ(joined(Texts{"", "a"}), ", a");
  EXPECT_EQ(joined(Texts{}), "");
  std::string list;
  for (const char* text : {"a", "b"}) add_to_list(list, text, "; ");
  EXPECT_EQ(list, "a; b");
}

TEST(Csv, QuotesKeepCommasAndBlanksAreDropped) {
  std::vector<std::string_view> fields;
  split_csv("a, b ,\"1,2;3\",,\" c \"\r", fields);
  EXPECT_EQ(fields, (Texts{"a", "b", "1,2;3", "", " c "}));
  split_csv("", fields);
  EXPECT_EQ(fields, Texts{""});
}

TEST(Csv, LinesOfEitherEndWithoutMarkCommentsAndBlankOnes) {
  const auto lines = csv_lines("\xEF\xBB\xBF# told\r\n\"m\", n\r\n\r\n 1 ,\"2\"\n  # told\n3,4");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[0].has("m,n"));
  EXPECT_FALSE(lines[0].has("m"));
  EXPECT_EQ(lines[1].fields, (Texts{"1", "2"}));
  EXPECT_EQ(lines[1].place(), "line 4");
  EXPECT_EQ(lines[2].number, 6u);
}

TEST(Csv, AFieldIsQuotedWhereItHasTo) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
}

TEST(Bytes, ComeBackAndAreLittleEndian) {
  ByteWriter out;
  out.integer(std::uint32_t{0x01020304});
  out.number(-0.5);
  out.text("ab");
  EXPECT_EQ(out.bytes().substr(0, 4), "\x04\x03\x02\x01");
  EXPECT_EQ(out.bytes().substr(12), std::string("\2\0\0\0ab", 6));
  ByteReader in(out.bytes(), "a note");
  EXPECT_EQ(in.integer<std::uint32_t>(), 0x01020304u);
  EXPECT_EQ(in.number(), -0.5);
  EXPECT_EQ(in.text(), "ab");
  EXPECT_EQ(in.left(), "");
  EXPECT_THROW(in.integer<std::uint8_t>(), InputError);
}

TEST(Bytes, ALengthIsHeldAgainstWhatIsLeft) {
  ByteWriter out;
  out.length(3);
  out.integer(std::uint64_t{0});
  EXPECT_EQ(ByteReader(out.bytes(), "a note").length(2), 3u);
  try {
    ByteReader(out.bytes(), "a note").length(4);
    ADD_FAILURE() << "3 times 4 bytes in 8";
  } catch (const InputError& error) {
    EXPECT_EQ(error.violations()[0].expected, "a note with room for a part of length 3");
  }
}

TEST(Findings, CountThoseBeyondTheMost) {
  Findings findings("x.csv", 2);
  EXPECT_NO_THROW(findings.throw_if_any());
  for (int line = 1; line <= 4; ++line) findings.add("line " + std::to_string(line), "a", "b");
  findings.count_one_more();
  const auto all = findings.listed();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(to_string(all[1]), "x.csv: line 2: expected a, found b");
  EXPECT_EQ(to_string(all[2]), "x.csv: /: expected at most 2 violations, found 3 more");
  EXPECT_THROW(findings.throw_if_any(), InputError);
}

TEST(ErrorSummary, MeansOfSizesAndOfSigns) {
  const ErrorSummary summary = error_summary({0.5, -1, 0.25, 0.25});
  EXPECT_EQ(summary.count, 4u);
  EXPECT_EQ(summary.mean_absolute, 0.5);
  EXPECT_EQ(summary.most_absolute, 1);
  EXPECT_EQ(summary.bias, 0);
}

}  // namespace
}  // namespace spillway
