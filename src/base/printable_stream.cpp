#include "base/printable_stream.h"

#include <algorithm>
#include <cstddef>
#include <streambuf>
#include <string>
#include <string_view>

#include "base/printable.h"
#include "base/utf8.h"

namespace spillway {
namespace {

constexpr std::size_t kMostHeld = 1 << 16;
constexpr char kEscape = '\x1b';

// The position of an incomplete character at the end of the text; the text's size if there is none.
std::size_t begin_of_cut_character(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto lead = static_cast<unsigned char>(text[text.size() - back]);
    if (lead < 0x80) break;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead >= 0xC2) return lead <= 0xF4 && back < length ? text.size() - back : text.size();
  }
  return text.size();
}

// The length of a colour sequence at the front of `text`; 0 if there is none.
std::size_t colour_length(std::string_view text) {
  if (text.size() < 2 || text[1] != '[') return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

}  // namespace

class PrintableStream::Buffer final : public std::streambuf {
 public:
  Buffer(std::streambuf& place, OwnMarks marks) : place_(place), marks_(marks) {}

  std::streambuf& place() { return place_; }
  bool finish() { return write(held_.size()) && place_.pubsync() == 0; }

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char one = traits_type::to_char_type(c);
    return xsputn(&one, 1) == 1 ? c : traits_type::eof();
  }

  std::streamsize xsputn(const char* text, std::streamsize length) override {
    held_.append(text, static_cast<std::size_t>(length));
    if (held_.size() < kMostHeld) return length;
    return write(begin_of_cut_character(held_)) ? length : 0;
  }

  int sync() override { return write(begin_of_cut_character(held_)) && place_.pubsync() == 0 ? 0 : -1; }

 private:
  bool write(std::size_t length) {
    const std::string shown = guarded(std::string_view(held_).substr(0, length));
    held_.erase(0, length);
    return place_.sputn(shown.data(), static_cast<std::streamsize>(shown.size())) ==
           static_cast<std::streamsize>(shown.size());
  }

  // Makes the text printable, except for the program's own marks.
  std::string guarded(std::string_view text) const {
    if (marks_ == OwnMarks::None) return printable_lines(text);
    const char mark = marks_ == OwnMarks::Colours ? kEscape : '\r';
    std::string shown;
    while (!text.empty()) {
      const std::size_t at = std::min(text.find(mark), text.size());
      shown += printable_lines(text.substr(0, at));
      text.remove_prefix(at);
      if (text.empty()) break;
      const std::size_t length = mark == '\r' ? 1 : colour_length(text);
      shown += length > 0 ? std::string(text.substr(0, length)) : printable_lines(text.substr(0, 1));
      text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return shown;
  }

  std::streambuf& place_;
  const OwnMarks marks_;
  std::string held_;
};

PrintableStream::PrintableStream(std::ostream& out, OwnMarks marks)
    : out_(out), buffer_(std::make_unique<Buffer>(*out.rdbuf(), marks)) {
  out.rdbuf(buffer_.get());
}

PrintableStream::~PrintableStream() {
  const bool whole = buffer_->finish();
  const auto state = out_.rdstate();
  out_.rdbuf(&buffer_->place());  // clears the state
  out_.clear(whole ? state : state | std::ios::badbit);
}

}  // namespace spillway
