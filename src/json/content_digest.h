// A 128-bit hash of a content (XXH3, https://xxhash.com: fast and well distributed, not cryptographic).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace spillway {

struct Digest {
  std::uint64_t high;
  std::uint64_t low;

  friend bool operator==(const Digest&, const Digest&) = default;
};

Digest digest_of(std::string_view bytes);

// 32 hexadecimal digits.
std::string to_string(const Digest& digest);

// The same bytes on every machine.
void append_bytes(const Digest& digest, std::string& bytes);

}  // namespace spillway
