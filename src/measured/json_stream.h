// A file as RapidJSON reads one. Private to src/measured.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "measured/byte_source.h"

namespace spillway {

// RapidJSON's stream concept over a ByteSource.
class JsonStream {
 public:
  using Ch = char;

  explicit JsonStream(const std::string& path) : source_(path), buffer_(std::size_t{1} << 17) {
    fill();
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

  // What the concept wants of streams that are written to.
  Ch* PutBegin() { throw ContractBreach("a stream that is only read"); }
  void Put(Ch) { PutBegin(); }
  void Flush() { PutBegin(); }
  std::size_t PutEnd(Ch*) { return PutBegin(), std::size_t{0}; }

 private:
  void fill() {
    before_ += static_cast<std::size_t>(end_ - buffer_.data());
    at_ = buffer_.data();
    end_ = at_ + source_.read(buffer_);
  }

  ByteSource source_;
  std::vector<char> buffer_;
  const char* at_ = buffer_.data();
  const char* end_ = buffer_.data();
  std::size_t before_ = 0;  // bytes of earlier buffers
};

}  // namespace spillway
