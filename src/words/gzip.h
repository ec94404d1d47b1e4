// Packs text while it is written. Format: RFC 1952, by zlib.
#pragma once

#include <functional>
#include <iosfwd>

namespace spillway {

// Calls `write` with a stream, and writes the packed text to `out` as a gzip file. The file has no name or
// time in it, so the same text gives the same bytes. If `out` fails, its state shows it.
void write_gzipped(std::ostream& out, const std::function<void(std::ostream&)>& write);

}  // namespace spillway
