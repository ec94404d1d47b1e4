// A document in the form in which RapidJSON reads one, for documents that are too large to be held as text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"
#include "json/byte_source.h"
#include "json/source.h"

namespace spillway {

// Implements RapidJSON's stream concept over a file or a text. Throws InputError as ByteSource does.
class JsonStream {
 public:
  using Ch = char;

  explicit JsonStream(const Source& source) : file_(source.file) {
    if (source.text) {
      buffer_.assign(source.text->begin(), source.text->end());
      at_ = buffer_.data();
      end_ = at_ + buffer_.size();
    } else {
      source_.emplace(file_);
      buffer_.resize(std::size_t{1} << 17);
      at_ = end_ = buffer_.data();
      fill();
    }
    if (std::string_view(at_, end_).starts_with(kByteOrderMark)) at_ += kByteOrderMark.size();
  }

  Ch Peek() const { return at_ == end_ ? '\0' : *at_; }
  Ch Take() {
    const Ch taken = Peek();
    if (at_ != end_ && ++at_ == end_) fill();
    return taken;
  }
  std::size_t Tell() const { return before_ + static_cast<std::size_t>(at_ - buffer_.data()); }
  bool at_end() const { return at_ == end_; }
  // Starts a new part of the text: an event or action, or a value outside of these.
  void begin_part() { part_ = Tell(); }

  // The concept requires these for writing; this stream is only read.
  Ch* PutBegin() { throw ContractBreach("a stream that is only read"); }
  void Put(Ch) { PutBegin(); }
  void Flush() { PutBegin(); }
  std::size_t PutEnd(Ch*) { return PutBegin(), std::size_t{0}; }

 private:
  // The memory of the parser and its handler grows with a part, and a text packed a thousandfold may be one
  // part.
  static constexpr std::size_t kLongestPart = std::size_t{16} << 20;

  void fill() {
    before_ += static_cast<std::size_t>(end_ - buffer_.data());
    if (before_ - part_ > kLongestPart)
      throw InputError(
          {{file_, "byte " + std::to_string(part_),
            "events and values of at most " + std::to_string(kLongestPart >> 20) + " MiB", "a longer one"}});
    at_ = buffer_.data();
    end_ = at_ + (source_ ? source_->read(buffer_) : 0);
  }

  std::string file_;
  std::optional<ByteSource> source_;  // none: the buffer has the whole text
  std::vector<char> buffer_;
  const char* at_ = buffer_.data();
  const char* end_ = buffer_.data();
  std::size_t before_ = 0;  // bytes of earlier buffers
  std::size_t part_ = 0;    // where the last part begins
};

}  // namespace spillway
