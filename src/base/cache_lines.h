// An allocator that aligns values to cache lines, so that no SIMD vector of them crosses a line.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace spillway {

inline constexpr std::size_t kCacheLineBytes = 64;

template <class Value>
struct CacheLines {
  using value_type = Value;

  CacheLines() = default;
  template <class Other>
  explicit CacheLines(const CacheLines<Other>&) {}

  Value* allocate(std::size_t count) {
    return static_cast<Value*>(::operator new(count * sizeof(Value), std::align_val_t(kCacheLineBytes)));
  }
  void deallocate(Value* at, std::size_t) { ::operator delete(at, std::align_val_t(kCacheLineBytes)); }

  friend bool operator==(const CacheLines&, const CacheLines&) { return true; }
};

template <class Value>
using AlignedVector = std::vector<Value, CacheLines<Value>>;

}  // namespace spillway
