#include "measured/calibrate/held_back.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace spillway {

HeldBackError held_back_error(std::string what, std::span<const double> errors) {
  ensure(!errors.empty(), "something was held back");
  double sum = 0, absolute = 0, most = 0;
  for (const double error : errors) {
    sum += error;
    absolute += std::abs(error);
    most = std::max(most, std::abs(error));
  }
  const auto count = static_cast<double>(errors.size());
  return {std::move(what), errors.size(), absolute / count, most, sum / count};
}

}  // namespace spillway
