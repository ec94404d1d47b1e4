// The devices that take part in a collective.
#pragma once

#include <cstdint>

#include "base/id.h"

namespace spillway {

// `size` devices: first, first + stride, ...; repeated `blocks` times, each block_stride further.
struct DeviceGroup {
  DeviceId first;
  std::uint32_t size;
  std::uint32_t stride = 1;
  std::uint32_t blocks = 1;
  std::uint32_t block_stride = 0;

  std::uint32_t device_count() const { return size * blocks; }
  // Devices in the order above. Contract: i < device_count().
  DeviceId device(std::uint32_t i) const {
    return DeviceId(first.index() + i / size * block_stride + i % size * stride);
  }
  friend bool operator==(const DeviceGroup&, const DeviceGroup&) = default;
};

}  // namespace spillway
