// Numbers with a unit. Inside the program time is seconds, data bytes, work FLOPs; a bare double never
// crosses a module boundary where one of these fits.
#pragma once

#include <compare>

namespace spillway {

template <class Unit>
class Quantity {
 public:
  constexpr Quantity() = default;
  explicit constexpr Quantity(double value) : value_(value) {}

  constexpr double value() const { return value_; }

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, double k) { return Quantity(a.value_ * k); }
  friend constexpr Quantity operator*(double k, Quantity a) { return Quantity(a.value_ * k); }
  friend constexpr Quantity operator/(Quantity a, double k) { return Quantity(a.value_ / k); }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  constexpr Quantity& operator+=(Quantity b) { return value_ += b.value_, *this; }
  constexpr Quantity& operator-=(Quantity b) { return value_ -= b.value_, *this; }

 private:
  double value_ = 0;
};

using Seconds = Quantity<struct SecondUnit>;
using Bytes = Quantity<struct ByteUnit>;
using Flops = Quantity<struct FlopUnit>;
using BytesPerSecond = Quantity<struct BytePerSecondUnit>;
using FlopsPerSecond = Quantity<struct FlopPerSecondUnit>;
using Dollars = Quantity<struct DollarUnit>;  // US dollars
using DollarsPerHour = Quantity<struct DollarPerHourUnit>;

constexpr Seconds operator/(Bytes n, BytesPerSecond rate) {
  return Seconds(n.value() / rate.value());
}
constexpr Seconds operator/(Flops w, FlopsPerSecond rate) {
  return Seconds(w.value() / rate.value());
}
constexpr Bytes operator*(Seconds t, BytesPerSecond rate) {
  return Bytes(t.value() * rate.value());
}
constexpr Flops operator*(Seconds t, FlopsPerSecond rate) {
  return Flops(t.value() * rate.value());
}
constexpr Dollars operator*(Seconds t, DollarsPerHour rate) {
  return Dollars(t.value() / 3600 * rate.value());
}

constexpr Seconds milliseconds(double ms) {
  return Seconds(ms * 1e-3);
}
constexpr Seconds microseconds(double us) {
  return Seconds(us * 1e-6);
}
constexpr Bytes gigabytes(double gb) {
  return Bytes(gb * 1e9);
}

}  // namespace spillway
