#include "cost/slabs/host_queue.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {

HostQueue HostQueue::of_kernels(double kernels, Seconds device, Seconds launch) {
  ensure(kernels > 0, "a host issues something");
  const Seconds issued = launch * kernels;
  if (kernels <= 1) return {issued, kNever, issued + device, device};
  return {issued, kNever, std::max(launch + device, issued + device / kernels), device};
}

HostQueue HostQueue::of_wait() {
  return {Seconds(), Seconds(), Seconds(), Seconds()};
}

HostQueue HostQueue::then(const HostQueue& next) const {
  return {std::max(host_host_ + next.host_host_, host_device_ + next.device_host_),
          std::max(device_host_ + next.host_host_, device_device_ + next.device_host_),
          std::max(host_host_ + next.host_device_, host_device_ + next.device_device_),
          std::max(device_host_ + next.host_device_, device_device_ + next.device_device_)};
}

HostQueue HostQueue::repeated(std::uint64_t times) const {
  HostQueue result, power = *this;
  for (; times > 0; times /= 2) {
    if (times % 2 == 1) result = result.then(power);
    power = power.then(power);
  }
  return result;
}

Seconds HostQueue::span() const {
  return std::max({host_host_, device_host_, host_device_, device_device_});
}

}  // namespace spillway
