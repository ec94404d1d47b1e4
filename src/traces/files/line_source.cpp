#include "traces/files/line_source.h"

#include <cstring>

#include "base/error.h"
#include "base/utf8.h"

namespace spillway {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;

}  // namespace

LineSource::LineSource(const std::string& path) : bytes_(path), buffer_(kLongestLine) {}

// Moves the remaining bytes to the front and reads more behind them. Returns false if no more came.
bool LineSource::fill() {
  if (at_end_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t count = bytes_.read({buffer_.data() + end_, buffer_.size() - end_});
  end_ += count;
  at_end_ = count == 0;
  return count > 0;
}

std::optional<std::string_view> LineSource::next() {
  std::size_t searched = 0;
  for (;;) {
    const char* from = buffer_.data() + begin_;
    const void* found = std::memchr(from + searched, '\n', end_ - begin_ - searched);
    const bool whole = found != nullptr;
    searched = whole ? static_cast<std::size_t>(static_cast<const char*>(found) - from) : end_ - begin_;
    if (!whole && searched == buffer_.size())
      throw InputError(
          {{path(), "line " + std::to_string(number_ + 1), "a line below 1 MiB", "a longer one"}});
    if (!whole && fill()) continue;
    if (!whole && searched == 0) return std::nullopt;
    ended_ = whole;
    std::string_view line(buffer_.data() + begin_, searched);
    begin_ += searched + (whole ? 1 : 0);
    if (number_++ == 0 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }
}

}  // namespace spillway
