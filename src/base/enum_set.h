// A set of the values of an enumeration, which count from 0 and are at most 32.
#pragma once

#include <cstdint>

namespace spillway {

template <class Enum>
class EnumSet {
 public:
  constexpr EnumSet() = default;
  constexpr EnumSet(Enum one) : bits_(std::uint32_t{1} << static_cast<std::uint32_t>(one)) {}

  constexpr EnumSet& operator|=(EnumSet other) {
    bits_ |= other.bits_;
    return *this;
  }
  constexpr bool any() const { return bits_ != 0; }
  constexpr bool meets(EnumSet other) const { return (bits_ & other.bits_) != 0; }
  friend constexpr bool operator==(EnumSet, EnumSet) = default;

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace spillway
