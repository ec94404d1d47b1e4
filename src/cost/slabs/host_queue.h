// A host and its device as two clocks. The host issues kernels one after the other, each in `launch`. A
// kernel begins when it is issued and the kernel before it is done. The host may run ahead, so a long kernel
// hides the launches after it. If the host waits for the device, the two clocks meet.
//
// The effect of some work on both clocks is linear in (max,+):
//
//   host'   = max(host + host_host,   device + device_host)
//   device' = max(host + host_device, device + device_device)
//
// So work after work is a product of two such maps, and a layer repeated n times takes log n products.
//
//   k kernels of d in all   host_host = k launch, device_host never, device_device = d,
//                           host_device = max(launch + d, k launch + d / k): the device waits for the first
//                           kernel, or for the last (kernels of one length wait longest for one of these)
//   a wait                  both at the later of both
//
// tests/cost/host_queue_test.cpp compares it with a simulation kernel by kernel. Baccelli et al.,
// Synchronization and Linearity (1992), chapter 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/quantity.h"

namespace spillway {

class HostQueue {
 public:
  HostQueue() = default;  // no work: both clocks stay

  // `kernels` of equal length take `device` together; a number below one is that part of one kernel.
  // Contract: kernels > 0.
  static HostQueue of_kernels(double kernels, Seconds device, Seconds launch);
  static HostQueue of_wait();

  HostQueue then(const HostQueue& next) const;
  HostQueue repeated(std::uint64_t times) const;

  // The time until the host is done, if both clocks begin together.
  Seconds issued() const { return std::max(host_host_, device_host_); }
  // The time until the device is done, if both clocks begin together.
  Seconds span() const;

 private:
  static constexpr Seconds kNever = Seconds(-std::numeric_limits<double>::infinity());

  HostQueue(Seconds host_host, Seconds device_host, Seconds host_device, Seconds device_device)
      : host_host_(host_host),
        device_host_(device_host),
        host_device_(host_device),
        device_device_(device_device) {}

  Seconds host_host_;
  Seconds device_host_ = kNever;
  Seconds host_device_ = kNever;
  Seconds device_device_;
};

}  // namespace spillway
