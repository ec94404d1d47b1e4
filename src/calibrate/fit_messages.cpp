#include "calibrate/fit_messages.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "base/text.h"
#include "calibrate/message_errors.h"
#include "calibrate/message_groups.h"
#include "calibrate/protocol_steps.h"
#include "cost/network/collectives.h"

namespace spillway {
namespace {

using enum CollectiveOperation;
using Groups = std::map<MessageGroup, GroupedMessages>;

constexpr std::size_t kMostKnots = 12;
constexpr std::size_t kEnoughSizesToHoldBack = 8, kEnoughForALine = 3;
constexpr double kFallAtMost = 0.1;  // from one knot to the next; noise alone explains it

struct SizeHalves {
  SizedTimes seen;
  SizedTimes held_back;
};

// Every second size is seen. So is the last one where a step follows, since nothing else shows where it is.
SizeHalves size_halves(const SizedTimes& points, bool step_follows) {
  SizeHalves halves;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool seen = i % 2 == 0 || (step_follows && i + 1 == points.size());
    (seen ? halves.seen : halves.held_back).push_back(points[i]);
  }
  return halves;
}

// A sweep that is fitted, and what was seen of it.
struct FittedCurve {
  SizedTimes knots;
  std::size_t seen;
  SizedTimes held_back;
  bool stepped;
};

FittedCurve curve_of(const SizedTimes& points, const std::vector<SizedTimes>& parts) {
  FittedCurve curve{{}, 0, {}, true};
  std::vector<SizedTimes> seen_parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool whole = points.size() < kEnoughSizesToHoldBack;
    const SizeHalves halves = whole ? SizeHalves{parts[i], {}} : size_halves(parts[i], i + 1 < parts.size());
    curve.seen += halves.seen.size();
    curve.held_back.insert(curve.held_back.end(), halves.held_back.begin(), halves.held_back.end());
    seen_parts.push_back(halves.seen);
  }
  if (auto knots = fit_stepped_curve(seen_parts, kMostKnots)) {
    curve.knots = *std::move(knots);
    return curve;
  }
  const auto [seen, held_back] =
      points.size() < kEnoughSizesToHoldBack ? SizeHalves{points, {}} : size_halves(points, false);
  return {fit_curve(seen, kMostKnots), seen.size(), held_back, false};
}

std::string tier_pointer(std::size_t tier) {
  return "/tiers/" + std::to_string(tier);
}

// Returns true for collectives among two that are one message of half the bytes each way.
bool half_each_way(CollectiveOperation operation) {
  return operation == AllGather || operation == ReduceScatter || operation == AllToAll;
}

SizedTimes with_half_the_bytes(SizedTimes points) {
  for (auto& [bytes, time] : points) bytes = bytes / 2;
  return points;
}

class MessageFit {
 public:
  MessageFit(const Platform& base, const std::vector<Samples>& measurements)
      : base_(&base), groups_(grouped(base, measurements, fits_.notes)) {}

  Fits fits() && {
    for (const auto& [group, messages] : groups_) fit_sweep(group, messages);
    for (std::size_t tier = 0; tier < base_->tiers.size(); ++tier) fit_pair(tier);
    widen_ports();
    return std::move(fits_);
  }

 private:
  // A curve is flat below its first size and straight beyond its last. If it lacks latency or bandwidth, the
  // price of every other size is wrong. Where it has steps, one line through all sizes shows neither: the
  // latency is that of the first part, the bandwidth that of the last.
  bool determined(const MessageGroup& group, const SizedTimes& points, const std::vector<SizedTimes>& parts) {
    const AlphaBeta line = fit_alpha_beta(points);
    const bool by_parts = parts.size() > 1 && fit_alpha_beta(parts.front()).latency.value > 0 &&
                          fit_alpha_beta(parts.back()).per_byte.value > 0;
    for (const FittedTerm& term : {line.latency, line.per_byte}) {
      if (term.value > 0 || by_parts) continue;
      fits_.undetermined.push_back({tier_pointer(group.tier) + "/collectives",
                                    "no curve of " + name_of(*base_, group) + ": " + term.unknown});
      return false;
    }
    return true;
  }

  void fit_sweep(const MessageGroup& group, const GroupedMessages& messages) {
    const SizedTimes& all = messages.points;
    const auto steps = largest_steps(protocol_steps(all), kMostKnots / 2 - 1);
    const auto parts = parts_between(all, steps);
    if (!determined(group, all, parts)) return;
    const FittedCurve curve = curve_of(all, parts);
    const std::string name = name_of(*base_, group);
    const std::string source = messages.sources + ": curve fitted to " + std::to_string(curve.seen) + " of " +
                               std::to_string(all.size()) + " sizes";
    const Sourced<SizedTimes> points{curve.knots, Evidence::Fitted, source};
    fits_.sweeps.push_back({group.tier, {group.operation, group.devices, group.inner, points}});
    if (curve.stepped)
      note_steps(name, all, steps);
    else
      note_fall(name, curve.knots);
    const CollectiveTime time(points);
    hold(name, curve.held_back, [&](Bytes n) { return time(n).time; });
  }

  void note_steps(const std::string& what, const SizedTimes& points, const std::vector<ProtocolStep>& steps) {
    std::string list;
    for (const auto& [before, jump] : steps) {
      const auto bytes = [&](std::size_t i) { return std::to_string(std::llround(points[i].first.value())); };
      const std::string change = (jump > 0 ? "+" : "") + std::to_string(std::lround(100 * jump)) + " %";
      add_to_list(list, bytes(before) + " to " + bytes(before + 1) + " bytes (" + change + ")", "; ");
    }
    fits_.notes.push_back(
        {NoteKind::Read, 0,
         what + ": fitted piecewise, with steps as of another protocol or algorithm: " + list});
  }

  // More bytes cannot take less time. Such measurements alternate between two times, or are disturbed.
  void note_fall(const std::string& what, const SizedTimes& curve) {
    double deepest = 1;
    Bytes at;
    for (std::size_t i = 1; i < curve.size(); ++i) {
      const double left = curve[i].second / curve[i - 1].second;
      if (left < deepest) deepest = left, at = curve[i].first;
    }
    if (deepest > 1 - kFallAtMost) return;
    fits_.notes.push_back({NoteKind::Differs, 0,
                           what + ": times fall as sizes grow, by " +
                               std::to_string(std::lround(100 * (1 - deepest))) + " % up to " +
                               std::to_string(std::llround(at.value())) + " bytes"});
  }

  void hold(const std::string& what, const SizedTimes& held_back, const std::function<Seconds(Bytes)>& time) {
    if (!held_back.empty()) {
      fits_.held_back.push_back(size_errors(what, held_back, time));
    } else {
      fits_.notes.push_back({NoteKind::Missing, 0, what + ": too few sizes to hold any back"});
    }
  }

  // Measurements of messages between two devices of the tier, with their name and source.
  struct Pair {
    SizedTimes points;
    std::string what;
    std::string sources;
  };

  // Messages come first, then each collective that is one message each way.
  std::vector<Pair> pairs_of(std::size_t tier) const {
    std::vector<Pair> pairs;
    for (const auto& [group, messages] : groups_) {
      if (group.tier != tier || group.devices != 2) continue;
      const std::string name = name_of(*base_, group);
      if (group.operation == SendRecv)
        pairs.insert(pairs.begin(), {messages.points, name, messages.sources});
      else if (half_each_way(group.operation))
        pairs.push_back({with_half_the_bytes(messages.points), name + " as messages of half the bytes",
                         messages.sources});
    }
    return pairs;
  }

  // Returns the first with enough sizes for a line, or else the first.
  std::optional<Pair> pair_of(std::size_t tier) const {
    const std::vector<Pair> pairs = pairs_of(tier);
    if (pairs.empty()) return std::nullopt;
    for (const Pair& pair : pairs)
      if (pair.points.size() >= kEnoughForALine) return pair;
    return pairs.front();
  }

  void fit_pair(std::size_t tier) {
    const std::string latency = tier_pointer(tier) + "/latency_us",
                      bandwidth = tier_pointer(tier) + "/bandwidth_gbps";
    const auto pair = pair_of(tier);
    if (!pair) {
      const std::string why = "no message between two devices crosses tier " + base_->tiers[tier].name;
      fits_.undetermined.push_back({latency, why});
      fits_.undetermined.push_back({bandwidth, why});
      return;
    }
    const auto& [points, what, sources] = *pair;
    const auto [seen, held_back] =
        points.size() < kEnoughSizesToHoldBack ? SizeHalves{points, {}} : size_halves(points, false);
    const AlphaBeta line = fit_alpha_beta(seen);
    const std::string source = sources + ": latency and bandwidth fitted to " + what + ", by relative error";
    add(latency, line.latency, 1e6, false, seen.size(), source);
    add(bandwidth, line.per_byte, 1e-9, true, seen.size(), source);
    if (line.latency.unknown.empty() && line.per_byte.unknown.empty())
      hold(what + ", one latency and bandwidth", held_back, line);
    if (line.latency.unknown.empty()) shorten_step(tier, source);
  }

  // Writes the term in multiples of `unit`, or its reciprocal if `inverse`.
  void add(const std::string& pointer, const FittedTerm& term, double unit, bool inverse, std::size_t points,
           const std::string& source) {
    if (!term.unknown.empty()) {
      fits_.undetermined.push_back({pointer, term.unknown});
    } else if (inverse) {
      fits_.numbers.push_back(
          {pointer, unit / term.value, unit / term.high, unit / term.low, points, source});
    } else {
      fits_.numbers.push_back(
          {pointer, unit * term.value, unit * term.low, unit * term.high, points, source});
    }
  }

  const FittedNumber* number(const std::string& pointer) const {
    for (const FittedNumber& fitted : fits_.numbers)
      if (fitted.pointer == pointer) return &fitted;
    return nullptr;
  }

  void shorten_step(std::size_t tier, const std::string& source) {
    const auto& step = base_->tiers[tier].step_latency;
    FittedNumber shorter = *number(tier_pointer(tier) + "/latency_us");
    if (!step || step->value <= microseconds(shorter.value)) return;
    shorter.pointer = tier_pointer(tier) + "/step_latency_us";
    shorter.source = source + "; a step is no longer than a message";
    fits_.numbers.push_back(shorter);
    fits_.notes.push_back(
        {NoteKind::Differs, 0,
         "tier " + base_->tiers[tier].name +
             ": a step of the base platform is longer than the fitted latency, which it takes"});
  }

  // A port is at least as fast as every pair through it.
  void widen_ports() {
    for (std::size_t port = 0; port < base_->ports.size(); ++port) {
      const FittedNumber* fastest = nullptr;
      for (std::size_t tier = 0; tier < base_->tiers.size(); ++tier) {
        const FittedNumber* pair = number(tier_pointer(tier) + "/bandwidth_gbps");
        if (base_->tiers[tier].port == port && pair && (!fastest || pair->value > fastest->value))
          fastest = pair;
      }
      const NetworkPort& base = base_->ports[port];
      if (!fastest || fastest->value * 1e9 <= base.bandwidth.value.value()) continue;
      FittedNumber wider = *fastest;
      wider.pointer = "/ports/" + std::to_string(port) + "/bandwidth_gbps";
      wider.source += "; a port is no slower than one pair through it";
      fits_.numbers.push_back(wider);
      fits_.notes.push_back(
          {NoteKind::Differs, 0,
           "port " + base.name +
               ": a measured pair is faster than the base platform's port, which takes its bandwidth"});
    }
  }

  const Platform* base_;
  Fits fits_;
  Groups groups_;
};

}  // namespace

Fits fit_messages(const Platform& base, const std::vector<Samples>& measurements) {
  return MessageFit(base, measurements).fits();
}

}  // namespace spillway
