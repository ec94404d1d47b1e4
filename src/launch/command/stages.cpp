// A layout is parts one after the other; a part is a letter, "|" or a bracket, each perhaps "*N". Brackets do
// not nest. Test: tests/launch/stages_test.cpp.
#include "launch/command/stages.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace spillway {
namespace {

constexpr std::size_t kMostParts = 100000;
constexpr std::string_view kLetters = "EtmL|";

class LayoutReader {
 public:
  LayoutReader(std::string_view text, const std::string& place, Findings& findings)
      : text_(text), place_(place), findings_(findings) {}

  // The letters, written out.
  std::optional<std::string> run() {
    std::string letters = sequence(false);
    if (!wrong_ && at_ < text_.size()) fail("E, t, m, L, | or (...)*N");
    return wrong_ ? std::nullopt : std::optional(std::move(letters));
  }

 private:
  void fail(const std::string& expected) {
    if (!wrong_)
      findings_.add(
          place_, expected,
          at_ < text_.size() ? '"' + std::string(text_.substr(at_, 20)) + '"' : "the end of the layout");
    wrong_ = true;
  }

  std::string sequence(bool in_brackets) {
    std::string letters;
    while (!wrong_ && at_ < text_.size() && text_[at_] != ')') {
      const char c = text_[at_];
      std::string part(1, c);
      if (c == '(' && !in_brackets) {
        ++at_;
        part = sequence(true);
        if (at_ >= text_.size() || text_[at_] != ')') {
          fail(")");
          return letters;
        }
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '*') {
          ++at_;
          fail("*N behind a bracket");
          return letters;
        }
      } else if (kLetters.find(c) == std::string_view::npos) {
        {
          fail("E, t, m, L, | or (...)*N");
          return letters;
        }
      }
      ++at_;
      const std::size_t times = repeats();
      if (letters.size() + part.size() * times > kMostParts) {
        fail("at most 100,000 parts");
        return letters;
      }
      for (std::size_t i = 0; i < times; ++i) letters += part;
    }
    return letters;
  }

  std::size_t repeats() {
    if (at_ >= text_.size() || text_[at_] != '*') return 1;
    ++at_;
    std::uint16_t times = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), times);
    if (error != std::errc()) {
      fail("a number behind *, at most 65,535");
      return 0;
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    return times;
  }

  std::string_view text_;
  const std::string& place_;
  Findings& findings_;
  std::size_t at_ = 0;
  bool wrong_ = false;
};

void add_letter(StageParts& stage, char letter) {
  if (letter == 'E') ++stage.embedding;
  if (letter == 't') ++stage.decoder;
  if (letter == 'm') ++stage.prediction;
  if (letter == 'L') ++stage.loss;
}

std::string letters_of(const StageParts& stage) {
  std::string text;
  const auto add = [&](char letter, std::uint32_t count) {
    if (count > 0) text += letter;
    if (count > 1) text += '*' + std::to_string(count);
  };
  add('E', stage.embedding);
  add('t', stage.decoder);
  add('m', stage.prediction);
  add('L', stage.loss);
  return text;
}

}  // namespace

std::vector<StageParts> read_pipeline_layout(std::string_view text, const std::string& place,
                                             Findings& findings) {
  std::string plain;
  std::ranges::copy_if(text, std::back_inserter(plain), [](char c) { return c != ','; });
  const std::optional<std::string> letters = LayoutReader(plain, place, findings).run();
  if (!letters) return {};
  std::vector<StageParts> stages(1);
  for (const char letter : *letters) {
    if (letter == '|')
      stages.emplace_back();
    else
      add_letter(stages.back(), letter);
  }
  return stages;
}

std::string pipeline_layout_text(const std::vector<StageParts>& stages) {
  std::string text;
  for (std::size_t i = 0; i < stages.size();) {
    std::size_t end = i + 1;
    while (end < stages.size() && stages[end] == stages[i]) ++end;
    const bool last = end == stages.size();
    const std::size_t times = end - i - (last ? 1 : 0);  // the last stage has no "|" behind it
    const std::string letters = letters_of(stages[i]);
    if (times == 1) text += letters + '|';
    if (times > 1) text += '(' + letters + "|)*" + std::to_string(times);
    if (last) text += letters;
    i = end;
  }
  return text;
}

}  // namespace spillway
