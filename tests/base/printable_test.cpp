#include "base/printable.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "base/error.h"
#include "base/printable_stream.h"
#include "base/utf8.h"
#include "support/property.h"

namespace spillway {
namespace {

// Returns true for the characters that shown text never has, tested one at a time.
bool misleads(char32_t code) {
  const bool control = code < 0x20 || (code >= 0x7F && code <= 0x9F);
  const bool turns = code == 0x061C || code == 0x200E || code == 0x200F ||
                     (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return control || turns || code == 0x2028 || code == 0x2029 || code == 0xFEFF;
}

std::string utf8(char32_t code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | (code >> 6)), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | (code >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (code >> 18)), tail(12), tail(6), tail(0)};
}

TEST(Printable, SpellsOutWhatATerminalActsOn) {
  EXPECT_EQ(printable("a\x1b[2Jb"), "a\\u001b[2Jb");
  EXPECT_EQ(printable("line\nspillway: all is well\r\t"), "line\\nspillway: all is well\\r\\t");
  EXPECT_EQ(printable("\xe2\x80\xaegnp.exe"), "\\u202egnp.exe");
  EXPECT_EQ(printable("\xc2\x9b"), "\\u009b");  // a terminal's escape in one byte of Latin-1
  EXPECT_EQ(printable("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(printable("caf\xc3\xa9 \xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x98\x80"),
            "caf\xc3\xa9 \xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x98\x80");
  EXPECT_EQ(printable_lines("a\n\tb\x1b"), "a\n\tb\\u001b");
}

// Tests every character of Unicode.
TEST(Printable, LeavesOtherCharactersAsTheyAre) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    const std::string text = utf8(code), shown = printable(text);
    ASSERT_EQ(shown == text, !misleads(code)) << std::hex << static_cast<unsigned>(code);
    ASSERT_TRUE(!misleads(code) || shown[0] == '\\');
  }
}

RC_GTEST_PROP(Printable, IsUtf8OnOneLineAndStaysAsItIs, (const std::string& bytes)) {
  const std::string shown = printable(bytes);
  RC_ASSERT(!first_invalid_utf8(shown));
  for (const char c : shown) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 && c != '\x7f');
  RC_ASSERT(printable(shown) == shown);
}

RC_GTEST_PROP(Utf8, AFrontOfATextIsTextAndAsLongAsItMayBe, (const std::vector<std::uint32_t>& numbers)) {
  std::string text;
  for (const std::uint32_t number : numbers) text += utf8(number % 0xD800);
  for (std::size_t bytes = 0; bytes <= text.size() + 1; ++bytes) {
    const std::string_view front = front_of(text, bytes);
    RC_ASSERT(front.size() <= bytes && !first_invalid_utf8(front));
    RC_ASSERT(front.size() + 4 > std::min(bytes, text.size()));
    RC_ASSERT(std::string_view(text).starts_with(front));
  }
}

// The found text may be a picture of several lines, such as a cycle of waits; code that puts a name there
// quotes it.
TEST(Violation, IsPrintableWhateverItSays) {
  const Violation violation{"a\nb.json", "/x\x1b", "\xff", "\xe2\x80\xae"};
  EXPECT_EQ(to_string(violation), "a\\nb.json: /x\\u001b: expected \\xff, found \\u202e");
}

std::string through(OwnMarks marks, const std::vector<std::string>& parts) {
  std::ostringstream place;
  {
    std::ostream out(place.rdbuf());
    const PrintableStream guard(out, marks);
    for (const std::string& part : parts) out << part << std::flush;
  }
  return place.str();
}

TEST(PrintableStream, GuardsWhatIsWrittenThroughIt) {
  EXPECT_EQ(through(OwnMarks::None, {"a\n", "\x1b[31m\r"}), "a\n\\u001b[31m\\r");
  EXPECT_EQ(through(OwnMarks::Colours, {"\x1b[0;31mX\x1b[0m", "\x1b]0;title\x07"}),
            "\x1b[0;31mX\x1b[0m\\u001b]0;title\\u0007");
  EXPECT_EQ(through(OwnMarks::Returns, {"\r42 %", "\x1b[2K"}), "\r42 %\\u001b[2K");
}

TEST(PrintableStream, KnowsACharacterThatComesInPieces) {
  EXPECT_EQ(through(OwnMarks::None, {"\xe4", "\xb8", "\xad"}), "\xe4\xb8\xad");
  EXPECT_EQ(through(OwnMarks::None, {"\xe2\x80", "\xae"}), "\\u202e");
  EXPECT_EQ(through(OwnMarks::None, {"\xe4\xb8"}), "\\xe4\\xb8");
}

TEST(PrintableStream, LeavesTheStreamAsItWas) {
  std::ostringstream out;
  { const PrintableStream guard(out, OwnMarks::None); }
  out << "\x1b";
  EXPECT_EQ(out.str(), "\x1b");
}

// The shown text is the same wherever the text is cut.
RC_GTEST_PROP(PrintableStream, ShowsTheSameHoweverTheTextIsCut,
              (const std::string& bytes, std::size_t seed)) {
  const std::size_t at = bytes.empty() ? 0 : seed % bytes.size();
  RC_ASSERT(through(OwnMarks::None, {bytes.substr(0, at), bytes.substr(at)}) == printable_lines(bytes));
}

// A terminal gives an accent no column of its own, precomposed or combined.
TEST(DisplayWidth, CountsColumns) {
  const std::vector<std::pair<std::string, std::size_t>> texts = {
      {"", 0},       {"zb-1p", 5},    {"caf\u00e9", 4},  {"cafe\u0301", 4}, {"\u5317\u4eac", 4},
      {"\uff21", 2}, {"\uac00 x", 4}, {"\U0001F680", 2}, {"\xff", 1},       {"a\xe5\x8c", 3}};
  for (const auto& [text, columns] : texts) EXPECT_EQ(display_width(text), columns) << text;
}

RC_GTEST_PROP(DisplayWidth, OfTwoTextsIsTheSum,
              (const std::vector<std::uint32_t>& numbers, std::size_t cut)) {
  std::string before, after;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    (i < cut % (numbers.size() + 1) ? before : after) += utf8(0x20 + numbers[i] % 0x2FE0);
  RC_ASSERT(display_width(before + after) == display_width(before) + display_width(after));
  RC_ASSERT(display_width(before) <= 2 * before.size());
}

}  // namespace
}  // namespace spillway
