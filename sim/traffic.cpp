#include "sim/traffic.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace spillway {
namespace {

// Tolerance for rounding when rates add up to a port's bandwidth.
constexpr double kFull = 1 + 1e-12;

// A flow counts as ended if it would last less than this share of the time since the run began: the dates
// differ only by rounding.
constexpr double kInstant = 8 * std::numeric_limits<double>::epsilon();

void erase(std::vector<std::uint32_t>& numbers, std::uint32_t number) {
  *std::find(numbers.begin(), numbers.end(), number) = numbers.back();
  numbers.pop_back();
}

}  // namespace

void Traffic::start(ActivityToken token) {
  if (starting_.size() == 1) {
    start_one(*starting_.front().route, starting_.front().bytes, token);
  } else {
    compare();
    for (std::size_t port = 0; port < alike_.size(); ++port)
      if (alike_[port].at_each_end > 0) start_port(port, token);
  }
  starting_.clear();
}

void Traffic::compare() {
  alike_.clear();
  for (const auto& [route, bytes] : starting_) ++route->out->starting, ++route->in->starting;
  for (const auto& [route, bytes] : starting_) {
    if (alike_.size() <= route->port) alike_.resize(route->port + 1);
    Alike& all = alike_[route->port];
    if (all.at_each_end == 0) all = {bytes, route->alone, route->out->starting};
    all.alike = all.alike && bytes == all.bytes && route->alone == all.alone && route->out->idle() &&
                route->in->idle() && route->out->starting == all.at_each_end &&
                route->in->starting == all.at_each_end;
  }
  for (const auto& [route, bytes] : starting_) route->out->starting = route->in->starting = 0;
}

void Traffic::start_port(std::size_t port, ActivityToken token) {
  const Alike& all = alike_[port];
  for (const auto& [route, bytes] : starting_) {
    if (route->port != port) continue;
    if (!all.alike)
      start_one(*route, bytes, token);
    else
      start_alone(*route, std::min(route->alone, route->out->bandwidth / all.at_each_end), bytes, token);
  }
}

void Traffic::start_one(Route& route, Bytes bytes, ActivityToken token) {
  const bool leaving = crowd(*route.out, route.alone);
  const bool entering = crowd(*route.in, route.alone);
  if (leaving || entering) return start_shared(route, bytes, token);
  start_alone(route, route.alone, bytes, token);
}

// Returns true if the port end is too narrow for one more flow. The flows there then share it from now on.
bool Traffic::crowd(PortEnd& end, BytesPerSecond more) {
  if (end.idle()) return false;
  BytesPerSecond wanted = end.shared_rate + more;
  for (const std::uint32_t number : end.alone)
    if (lasts(number)) wanted += alone_[number].route->alone;
  if (wanted <= end.bandwidth * kFull) return false;
  const auto some = [&] {
    return std::find_if(end.alone.begin(), end.alone.end(), [this](std::uint32_t n) { return lasts(n); });
  };
  for (auto found = some(); found != end.alone.end(); found = some()) share(*found);
  return true;
}

bool Traffic::lasts(std::uint32_t number) const {
  return alone_[number].end > agenda_.now() * (1 + kInstant);
}

void Traffic::start_alone(Route& route, BytesPerSecond rate, Bytes bytes, ActivityToken token) {
  const Seconds end = agenda_.now() + bytes / rate;
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(alone_.size()));
    alone_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  route.out->alone.push_back(number);
  route.in->alone.push_back(number);
  if (latest_ != kNone && alone_[latest_].token == token && alone_[latest_].end == end) {
    alone_[number] = {&route, rate, end, token, latest_, std::exchange(alone_[latest_].next, number)};
    return;
  }
  alone_[number] = {&route, rate, end, token, number, kNone};
  latest_ = number;
  agenda_.add(end, Agenda::What::FlowsEnd, number);
}

void Traffic::start_shared(Route& route, Bytes bytes, ActivityToken token) {
  for (PortEnd* end : {route.out, route.in}) {
    ++end->shared;
    end->shared_rate += route.alone;
  }
  shared_.start(route, bytes, token);
}

// Moves a flow to SimGrid, together with all flows with which it divides a port.
void Traffic::share(std::uint32_t number) {
  if (alone_[number].rate == alone_[number].route->alone) return share_one(number);
  for (std::uint32_t each = alone_[number].first; each != kNone; each = alone_[each].next)
    if (alone_[each].route != nullptr) share_one(each);
}

void Traffic::share_one(std::uint32_t number) {
  Route& route = *alone_[number].route;
  const Bytes left = (alone_[number].end - agenda_.now()) * alone_[number].rate;
  leave(number);
  start_shared(route, left, alone_[number].token);
}

void Traffic::leave(std::uint32_t number) {
  Route& route = *std::exchange(alone_[number].route, nullptr);
  erase(route.out->alone, number);
  erase(route.in->alone, number);
}

void Traffic::alone_end(std::uint32_t first) {
  if (latest_ == first) latest_ = kNone;
  const ActivityToken token = alone_[first].token;
  std::uint32_t ended = 0;
  for (std::uint32_t number = first; number != kNone; number = alone_[number].next) {
    free_.push_back(number);
    if (alone_[number].route == nullptr) continue;
    leave(number);
    ++ended;
  }
  if (ended > 0) ended_(token, ended);
}

void Traffic::shared_end(Route& route, ActivityToken token) {
  for (PortEnd* end : {route.out, route.in}) {
    end->shared_rate -= route.alone;
    if (--end->shared == 0) end->shared_rate = BytesPerSecond(0);
  }
  ended_(token, 1);
}

}  // namespace spillway
