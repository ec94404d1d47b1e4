#include "json/content_digest.h"

#include <xxhash.h>

#include <cstdio>

namespace spillway {

Digest digest_of(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

std::string to_string(const Digest& digest) {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(digest.high),
                static_cast<unsigned long long>(digest.low));
  return text;
}

void append_bytes(const Digest& digest, std::string& bytes) {
  append_bytes(digest.high, bytes);
  append_bytes(digest.low, bytes);
}

}  // namespace spillway
