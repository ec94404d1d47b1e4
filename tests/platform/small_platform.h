// A platform with round numbers: pairs of 2 in nodes of 8 in a cluster of 64.
#pragma once

#include "platform/platform.h"

namespace spillway {

template <class Value>
Sourced<Value> chosen(Value value) {
  return {value, Evidence::Assumed, "chosen for a test"};
}

inline Sourced<BytesPerSecond> gigabytes_per_second(double value) {
  return chosen(BytesPerSecond(value * 1e9));
}

inline Platform small_platform() {
  Platform platform;
  platform.name = "small";
  platform.accelerator = {"device", chosen(FlopsPerSecond(100e12)), chosen(Bytes(64e9)),
                          gigabytes_per_second(1000)};
  platform.ports = {{"bridge", gigabytes_per_second(200)}, {"network", gigabytes_per_second(50)}};
  platform.tiers = {{"pair", 2, 0, chosen(microseconds(1)), gigabytes_per_second(100)},
                    {"node", 8, 1, chosen(microseconds(2)), gigabytes_per_second(50)},
                    {"cluster", 64, 1, chosen(microseconds(10)), gigabytes_per_second(10)}};
  return platform;
}

}  // namespace spillway
