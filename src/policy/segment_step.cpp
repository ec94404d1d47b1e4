// At every turn the rank that can begin first takes what its queues say, so that no item that comes later
// could have begun earlier. A forward follows its forward on the rank before, of a segment's first rank the
// last rank of the segment before; backwards the other way round. The next turn of each rank is kept, and
// found anew where what waits for it has changed.
#include "policy/segment_step.h"

#include <algorithm>

namespace spillway {
namespace {

constexpr std::uint32_t kForward = 0, kBackward = 1;

// Of the first rank's first segment, in its items.
std::uint32_t most_in_flight(const SegmentShape& shape) {
  std::uint32_t now = 0, most = 0;
  const std::vector<RankOrder> orders = interleaved_wholes(shape);
  for (const Slot& slot : orders.front()) {
    if (slot.chunk != 0) continue;
    if (slot.action == Action::Forward)
      most = std::max(most, ++now);
    else
      --now;
  }
  return most * shape.items_of_one(0);
}

// How sums of the same times, added up in another order, may differ at most.
constexpr double kRounded = 1 + 1e-9;

}  // namespace

SegmentStep::SegmentStep(const SegmentShape& shape, const SegmentTimes& times)
    : shape_(shape),
      transfer_(times.transfer),
      most_in_flight_(most_in_flight(shape)),
      work_(shape.ranks),
      begins_(shape.ranks) {
  number_passes();
  for (std::uint32_t pass = 0; pass < passes_.size(); ++pass) {
    const Pass& one = passes_[pass];
    const auto& passes = direction(pass) == kForward ? times.forward : times.backward;
    for (std::uint32_t rank = 0; rank < shape.ranks; ++rank)
      work_[rank] += takes_.emplace_back(passes[one.segment][rank][one.number]);
  }
  const auto line = [&](std::uint32_t which) {
    return WaitingLine(static_cast<std::uint32_t>(pass_of_[which].size()));
  };
  ranks_.assign(shape.ranks, {{line(kForward), line(kBackward)}, {}, 0, {}, {}, 0, 0});
}

void SegmentStep::number_passes() {
  std::vector<Pass> backwards;
  std::uint32_t first = 0, first_before = 0;
  for (std::uint32_t s = 0; s < shape_.segments; ++s) items_ += shape_.items(s);
  pass_of_[kForward].resize(items_);
  pass_of_[kBackward].resize(std::size_t{shape_.microbatches} * shape_.segments * shape_.parts);
  priority_.resize(std::size_t{2} * items_);
  for (std::uint32_t s = 0; s < shape_.segments; ++s) {
    const bool is_last = s + 1 == shape_.segments;
    const std::uint32_t count = shape_.items(s), each = shape_.items_of_one(s);
    const std::uint32_t each_next = is_last ? each : shape_.items_of_one(s + 1);
    const std::uint32_t each_before = s > 0 ? shape_.items_of_one(s - 1) : each;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t next = is_last ? items_ + first + i : first + count + i * each_next / each;
      passes_.push_back({s, i, next, 1});
      backwards.push_back(
          {s, i, items_ + first_before + i * each_before / each, s > 0 ? each_before / each : 0});
      // The oldest microbatch, and of it what is nearest the input's gradient.
      const std::uint32_t priority = (i / each * shape_.segments + s) * shape_.parts + i % each;
      priority_[items_ + first + i] = priority;
      pass_of_[kBackward][priority] = items_ + first + i;
    }
    first_before = first;
    first += count;
  }
  passes_.insert(passes_.end(), backwards.begin(), backwards.end());
}

void SegmentStep::begin_anew() {
  for (std::uint32_t at = 0; at < ranks_.size(); ++at) {
    Rank& rank = ranks_[at];
    for (WaitingLine& line : rank.waiting) line.clear();
    rank.held_back.clear();
    rank.in_flight = 0;
    rank.free_at = Seconds();
    rank.left = work_[at];
    rank.last = kBackward;
  }
  begins_.assign(ranks_.size(), kNever);
  taken_.clear();
  missing_.assign(passes_.size(), 1);
  for (std::uint32_t pass = 0; pass < items_; ++pass)
    if (passes_[pass].segment == shape_.joined && shape_.joined > 0) missing_[pass] = shape_.parts;
  for (std::uint32_t pass = 0; pass < shape_.items(0); ++pass) offer(0, pass, Seconds());
}

Seconds SegmentStep::run(const std::vector<std::uint32_t>& priorities, Seconds limit) {
  std::copy(priorities.begin(), priorities.end(), priority_.begin());
  for (std::uint32_t pass = 0; pass < items_; ++pass) pass_of_[kForward][priorities[pass]] = pass;
  begin_anew();
  const double hopeless = limit.value() * kRounded;
  Seconds end;
  for (std::size_t left = takes_.size(); left > 0; --left) {
    const std::uint32_t rank = first_to_begin();
    if (begins_[rank] == kNever) return kNever;
    end = std::max(end, advance(rank));
    if ((ranks_[rank].free_at + ranks_[rank].left).value() > hopeless) return kNever;
  }
  return end;
}

std::vector<RankOrder> SegmentStep::orders() const {
  std::vector<RankOrder> orders(shape_.ranks);
  for (const Taken& taken : taken_) {
    const Pass& pass = passes_[taken.pass];
    const Action action = direction(taken.pass) == kForward ? Action::Forward : Action::Backward;
    append_slots(shape_, {pass.segment, pass.number}, action, orders[taken.rank]);
  }
  return orders;
}

// What can begin first; of what can begin at once, the other direction than last.
void SegmentStep::take_turns(std::uint32_t at) {
  Rank& rank = ranks_[at];
  const double forward = rank.waiting[kForward].begin(rank.free_at).value();
  const double backward = rank.waiting[kBackward].begin(rank.free_at).value();
  rank.next = (backward < forward) | ((backward == forward) & (rank.last == kForward)) ? kBackward : kForward;
  begins_[at] = Seconds(std::min(forward, backward));
}

std::uint32_t SegmentStep::first_to_begin() const {
  std::uint32_t first = 0;
  double least = begins_[0].value();
  for (std::uint32_t rank = 1; rank < begins_.size(); ++rank) {
    const double begin = begins_[rank].value();
    const bool before = begin < least;
    first = before ? rank : first;
    least = before ? begin : least;
  }
  return first;
}

Seconds SegmentStep::advance(std::uint32_t at) {
  Rank& rank = ranks_[at];
  const std::uint32_t which = rank.next;
  const std::uint32_t pass = pass_of_[which][rank.waiting[which].take(begins_[at])];
  const Seconds takes = takes_[std::size_t{pass} * ranks_.size() + at];
  const Seconds end = begins_[at] + takes;
  rank.free_at = end;
  rank.left -= takes;
  rank.last = which;
  taken_.push_back({at, pass});
  if (which == kBackward && passes_[pass].segment == 0) let_in(at, end);
  const std::uint32_t beside = which == kForward ? at + 1 : at - 1;
  if (beside < shape_.ranks)
    offer(beside, pass, end + transfer_);
  else
    pass_on(pass, end);
  take_turns(at);
  return end;
}

// At the end of the ranks: a backward behind the last forward, on its rank, or the segments beside.
void SegmentStep::pass_on(std::uint32_t pass, Seconds end) {
  const Pass& done = passes_[pass];
  const bool turns = direction(pass) != direction(done.then);
  const Seconds since = turns ? end : end + transfer_;
  for (std::uint32_t then = done.then; then < done.then + done.count; ++then)
    if (--missing_[then] == 0) offer(direction(then) == kForward ? 0 : shape_.ranks - 1, then, since);
}

void SegmentStep::offer(std::uint32_t at, std::uint32_t pass, Seconds since) {
  Rank& rank = ranks_[at];
  const std::uint32_t which = direction(pass);
  if (which == kForward && passes_[pass].segment == 0) {
    if (rank.in_flight >= most_in_flight_) return rank.held_back.push_back({since, pass});
    ++rank.in_flight;
  }
  rank.waiting[which].add(since, priority_[pass]);
  if (since.value() <= begins_[at].value()) take_turns(at);
}

void SegmentStep::let_in(std::uint32_t at, Seconds time) {
  Rank& rank = ranks_[at];
  --rank.in_flight;
  if (rank.held_back.empty()) return;
  const auto goes_before = [&](const HeldBack& a, const HeldBack& b) {
    const double at_a = std::max(a.since, time).value(), at_b = std::max(b.since, time).value();
    return at_a != at_b ? at_a < at_b : priority_[a.pass] < priority_[b.pass];
  };
  const auto first = std::min_element(rank.held_back.begin(), rank.held_back.end(), goes_before);
  const HeldBack next = *first;
  rank.held_back.erase(first);
  offer(at, next.pass, std::max(next.since, time));
}

}  // namespace spillway
