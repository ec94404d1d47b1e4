// The evidence behind a number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace spillway {

// From the strongest to the weakest.
//   measured      someone timed it
//   vendor        a specification
//   derived       computed from such
//   fitted        chosen so that measured results come out
//   extrapolated  a measurement or fit used outside the range it was made in
//   assumed       no source
enum class Evidence { Measured, Vendor, Derived, Fitted, Extrapolated, Assumed };
inline constexpr std::size_t kEvidenceKinds = 6;

// As platform files write it: "measured", "vendor", ...
inline const char* to_string(Evidence evidence) {
  constexpr const char* names[] = {"measured", "vendor", "derived", "fitted", "extrapolated", "assumed"};
  return names[static_cast<std::size_t>(evidence)];
}

// A number that rests on both is no better than the weaker one.
inline Evidence weaker(Evidence a, Evidence b) {
  return std::max(a, b);
}

// A 95 % interval, divided by the value.
struct RelativeInterval {
  double low;
  double high;

  friend bool operator==(const RelativeInterval&, const RelativeInterval&) = default;
};

template <class Value>
struct Sourced {
  Value value;
  Evidence evidence;
  std::string source;
  std::optional<RelativeInterval> interval = {};  // if the source states one

  friend bool operator==(const Sourced&, const Sourced&) = default;
};

// The default of a number that a platform may leave out.
template <class Value>
Sourced<Value> not_stated(Value value) {
  return {std::move(value), Evidence::Assumed, "not stated"};
}

template <class Value>
bool is_stated(const Sourced<Value>& figure) {
  return figure.source != "not stated";
}

}  // namespace spillway
