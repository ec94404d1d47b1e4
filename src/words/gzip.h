// Text packed on its way out. Format: RFC 1952, by zlib.
#pragma once

#include <functional>
#include <iosfwd>

namespace spillway {

// Hands `write` a stream, and `out` what came as a gzip file: without a name or time in it, so that the same
// text gives the same bytes. Where `out` takes no more, that shows in its state.
void write_gzipped(std::ostream& out, const std::function<void(std::ostream&)>& write);

}  // namespace spillway
