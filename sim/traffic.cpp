#include "sim/traffic.h"

#include <algorithm>
#include <limits>

namespace spillway {
namespace {

// Ends that add up to their port's bandwidth do so but for rounding.
constexpr double kFull = 1 + 1e-12;

// What is left of a flow for less than this share of the time passed since the run began is not there: dates
// that are alike but for rounding.
constexpr double kInstant = 8 * std::numeric_limits<double>::epsilon();

void erase(std::vector<std::uint32_t>& numbers, std::uint32_t number) {
  *std::find(numbers.begin(), numbers.end(), number) = numbers.back();
  numbers.pop_back();
}

}  // namespace

void Traffic::start(Route& route, Bytes bytes, Token token) {
  const bool leaving = crowd(*route.out, route.alone);
  const bool entering = crowd(*route.in, route.alone);
  if (leaving || entering) return start_shared(route, bytes, token);
  start_alone(route, agenda_.now() + bytes / route.alone, token);
}

// Whether the end of a port is too narrow for one more: what flows there shares it from now on.
bool Traffic::crowd(PortEnd& end, BytesPerSecond more) {
  if (end.alone.empty() && end.shared == 0) return false;
  BytesPerSecond wanted = end.shared_rate + more;
  for (const std::uint32_t number : end.alone)
    if (lasts(number)) wanted += alone_[number].route->alone;
  if (wanted <= end.bandwidth * kFull) return false;
  for (std::size_t i = end.alone.size(); i-- > 0;)
    if (lasts(end.alone[i])) share(end.alone[i]);
  return true;
}

bool Traffic::lasts(std::uint32_t number) const {
  return alone_[number].end > agenda_.now() * (1 + kInstant);
}

void Traffic::start_alone(Route& route, Seconds end, Token token) {
  const std::uint32_t number = free_.empty() ? static_cast<std::uint32_t>(alone_.size()) : free_.back();
  if (free_.empty())
    alone_.emplace_back();
  else
    free_.pop_back();
  Alone& flow = alone_[number] = {&route, end, token, kNone};
  route.out->alone.push_back(number);
  route.in->alone.push_back(number);
  if (latest_ != kNone && alone_[latest_].token == token && alone_[latest_].end == end) {
    flow.next = std::exchange(alone_[latest_].next, number);
    return;
  }
  latest_ = number;
  agenda_.add(end, Agenda::What::FlowsEnd, number);
}

void Traffic::start_shared(Route& route, Bytes bytes, Token token) {
  for (PortEnd* end : {route.out, route.in}) {
    ++end->shared;
    end->shared_rate += route.alone;
  }
  shared_.start(route, bytes, token);
}

void Traffic::share(std::uint32_t number) {
  Route& route = *alone_[number].route;
  const Bytes left = (alone_[number].end - agenda_.now()) * route.alone;
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
  const Token token = alone_[first].token;
  std::uint32_t ended = 0;
  for (std::uint32_t number = first; number != kNone; number = alone_[number].next) {
    free_.push_back(number);
    if (alone_[number].route == nullptr) continue;
    leave(number);
    ++ended;
  }
  if (ended > 0) ended_(token, ended);
}

void Traffic::shared_end(Route& route, Token token) {
  for (PortEnd* end : {route.out, route.in}) {
    end->shared_rate -= route.alone;
    if (--end->shared == 0) end->shared_rate = BytesPerSecond(0);
  }
  ended_(token, 1);
}

}  // namespace spillway
