#include "words/gzip.h"

#include <zlib.h>

#include <array>
#include <ostream>
#include <streambuf>

#include "base/error.h"

namespace spillway {
namespace {

constexpr int kGzip = MAX_WBITS + 16;  // as zlib.h has it: a gzip header and trailer
constexpr int kMemory = 8;             // zlib's own default

class GzipBuffer : public std::streambuf {
 public:
  explicit GzipBuffer(std::ostream& out) : out_(out) {
    ensure(
        deflateInit2(&state_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) == Z_OK,
        "room for zlib");
    setp(taken_.data(), taken_.data() + taken_.size());
  }
  ~GzipBuffer() override { deflateEnd(&state_); }

  void finish() { pack(Z_FINISH); }

 private:
  int_type overflow(int_type c) override {
    pack(Z_NO_FLUSH);
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return out_ ? traits_type::not_eof(c) : traits_type::eof();
  }

  void pack(int flush) {
    state_.next_in = reinterpret_cast<Bytef*>(pbase());
    state_.avail_in = static_cast<uInt>(pptr() - pbase());
    do {
      state_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      state_.avail_out = static_cast<uInt>(packed_.size());
      deflate(&state_, flush);
      out_.write(packed_.data(), static_cast<std::streamsize>(packed_.size() - state_.avail_out));
    } while (state_.avail_out == 0);
    setp(taken_.data(), taken_.data() + taken_.size());
  }

  std::ostream& out_;
  z_stream state_ = {};
  std::array<char, 1 << 16> taken_, packed_;
};

}  // namespace

void write_gzipped(std::ostream& out, const std::function<void(std::ostream&)>& write) {
  GzipBuffer packing(out);
  std::ostream packed(&packing);
  write(packed);
  packing.finish();
}

}  // namespace spillway
