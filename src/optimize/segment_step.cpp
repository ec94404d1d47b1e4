// At every turn, the rank that can begin first takes an item from its queues. So no item that comes later
// could have begun earlier. A forward follows its forward on the previous rank. On the first rank of a
// segment it follows the one on the last rank of the previous segment. Backwards run the other way round. The
// next turn of each rank is kept, and updated when its queues change.
#include "optimize/segment_step.h"

#include <algorithm>
#include <bit>

namespace spillway {
namespace {

constexpr std::uint32_t kForward = 0, kBackward = 1;

// Returns the items of the first segment that may be in flight on the first rank.
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

// A bound on the relative difference of sums of the same times in another order.
constexpr double kRounded = 1 + 1e-9;

// The number of marks from which a run can be resumed.
constexpr std::size_t kMarks = 16;

}  // namespace

// Chooses the item that can begin first. If both directions can begin at once, it chooses the one that was
// not taken last.
inline void SegmentStep::take_turns(std::uint32_t at) {
  Rank& rank = now_.ranks[at];
  const double forward = rank.waiting[kForward].begin(rank.free_at).value();
  const double backward = rank.waiting[kBackward].begin(rank.free_at).value();
  rank.next = (backward < forward) | ((backward <= forward) & (rank.last == kForward));
  now_.begins[at] = Seconds(std::min(forward, backward));
}

inline void SegmentStep::offer(std::uint32_t at, std::uint32_t which, std::uint32_t pass, Seconds since) {
  now_.ranks[at].waiting[which].add(since, priority_[pass]);
  if (since.value() <= now_.begins[at].value()) take_turns(at);
}

// Offers a forward to the first rank.
inline void SegmentStep::offer_forward(std::uint32_t pass, Seconds since) {
  run_.offered[pass] = run_.taken.size();
  offer(0, kForward, pass, since);
}

// Lets in the next microbatch that is held back, when a backward of the first segment ends on the first rank.
// No other rank has more of them in flight.
void SegmentStep::let_in(Seconds time) {
  if (now_.let_in < held_back_.size()) offer_forward(held_back_[now_.let_in++], time);
}

// Passes on from the end of the ranks: from the last forward to its backward on the same rank, or to the
// segment beside.
void SegmentStep::pass_on(std::uint32_t pass, Seconds end) {
  const Pass& done = passes_[pass];
  if (done.count == 0) return let_in(end);
  const std::uint32_t which = direction(done.then);
  const Seconds since = direction(pass) != which ? end : end + transfer_;
  for (std::uint32_t then = done.then; then < done.then + done.count; ++then) {
    if (--now_.missing[then] > 0) continue;
    if (which == kForward)
      offer_forward(then, since);
    else
      offer(shape_.ranks - 1, kBackward, then, since);
  }
}

inline void SegmentStep::advance(std::uint32_t at) {
  Rank& rank = now_.ranks[at];
  const std::uint32_t which = rank.next;
  const std::uint32_t pass = pass_of_[which][rank.waiting[which].take(now_.begins[at])];
  const Seconds takes = takes_[std::size_t{pass} * shape_.ranks + at];
  const Seconds end = now_.begins[at] + takes;
  rank.free_at = end;
  rank.left -= takes;
  rank.last = which;
  run_.taken.push_back({at, pass});
  const std::uint32_t beside = which == kForward ? at + 1 : at - 1;
  if (beside < shape_.ranks)
    offer(beside, which, pass, end + transfer_);
  else
    pass_on(pass, end);
  take_turns(at);
}

// Times are not negative, so their bits have the same order and are faster to compare.
inline std::size_t SegmentStep::first_to_begin() const {
  const Seconds* begins = now_.begins.data();
  std::size_t first = 0;
  auto least = std::bit_cast<std::uint64_t>(begins[0]);
  for (std::size_t rank = 1, count = now_.begins.size(); rank < count; ++rank) {
    const auto begin = std::bit_cast<std::uint64_t>(begins[rank]);
    first = begin < least ? rank : first;
    least = begin < least ? begin : least;
  }
  return first;
}

SegmentStep::SegmentStep(const SegmentShape& shape, const SegmentTimes& times)
    : shape_(shape), transfer_(times.transfer), most_in_flight_(most_in_flight(shape)), work_(shape.ranks) {
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
  now_.ranks.assign(shape.ranks, {{line(kForward), line(kBackward)}, {}, {}, 0, 0});
  mark_every_ = takes_.size() / kMarks + 1;
  run_.offered.resize(items_);
  run_.marks.assign(kMarks, now_);
  kept_.marks = run_.marks;
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
      // The oldest microbatch comes first, then the part nearest to the input's gradient.
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
  for (std::uint32_t at = 0; at < now_.ranks.size(); ++at) {
    Rank& rank = now_.ranks[at];
    for (WaitingLine& line : rank.waiting) line.clear();
    rank.free_at = Seconds();
    rank.left = work_[at];
    rank.last = kBackward;
  }
  now_.begins.assign(now_.ranks.size(), kNever);
  run_.taken.clear();
  now_.missing.assign(passes_.size(), 1);
  for (std::uint32_t pass = 0; pass < items_; ++pass)
    if (passes_[pass].segment == shape_.joined && shape_.joined > 0) now_.missing[pass] = shape_.parts;
  let_first_in();
}

// Offers the first forwards. The others are held back.
void SegmentStep::let_first_in() {
  now_.let_in = 0;
  for (std::uint32_t pass = 0; pass < std::min(most_in_flight_, shape_.items(0)); ++pass)
    offer_forward(pass, Seconds());
}

void SegmentStep::set_priorities(const std::vector<std::uint32_t>& priorities) {
  run_.priorities = priorities;
  std::copy(priorities.begin(), priorities.end(), priority_.begin());
  for (std::uint32_t pass = 0; pass < items_; ++pass) pass_of_[kForward][priorities[pass]] = pass;
  held_back_.clear();
  for (const std::uint32_t pass : pass_of_[kForward])
    if (is_held_back(pass)) held_back_.push_back(pass);
}

// Returns the number of turns that are certainly the same as in the kept run. They end when a pass with a
// changed priority is offered. If such a pass is held back, they end when a pass is let in that it could come
// before.
std::size_t SegmentStep::same_turns(const std::vector<std::uint32_t>& priorities) {
  std::size_t same = kept_.taken.size();
  std::uint32_t least = items_;  // the least priority of a changed pass that is held back
  changed_.clear();
  for (std::uint32_t pass = 0; pass < kept_.priorities.size(); ++pass) {
    const std::uint32_t before = kept_.priorities[pass], now = priorities[pass];
    if (before == now) continue;
    changed_.push_back(pass);
    same = std::min(same, kept_.offered[pass]);
    if (is_held_back(pass)) least = std::min({least, before, now});
  }
  for (std::uint32_t pass = 0; pass < kept_.priorities.size() && least < items_; ++pass)
    if (is_held_back(pass) && kept_.priorities[pass] >= least) same = std::min(same, kept_.offered[pass]);
  return same;
}

// Returns true if, after the same number of turns, every queue waits for the same passes and every rank has
// taken all passes with changed priorities.
bool SegmentStep::goes_on_as_kept(const Progress& kept) const {
  const auto is_there = [&](std::uint32_t pass) { return kept_.offered[pass] >= run_.taken.size(); };
  for (std::size_t at = 0; at < now_.ranks.size(); ++at)
    if (now_.ranks[at].free_at != kept.ranks[at].free_at || now_.ranks[at].last != kept.ranks[at].last)
      return false;
  if (now_.let_in != kept.let_in || now_.missing != kept.missing) return false;
  if (std::any_of(changed_.begin(), changed_.end(), is_there)) return false;
  for (std::size_t at = 0; at < now_.ranks.size(); ++at)
    for (const std::uint32_t which : {kForward, kBackward}) {
      const WaitingLine& line = now_.ranks[at].waiting[which];
      if (!line.waits_as(kept.ranks[at].waiting[which])) return false;
      if (which == kForward && std::any_of(changed_.begin(), changed_.end(),
                                           [&](std::uint32_t pass) { return line.has(priority_[pass]); }))
        return false;
    }
  return true;
}

void SegmentStep::begin_at(std::size_t mark) {
  now_ = kept_.marks[mark];
  run_.taken.assign(kept_.taken.begin(),
                    kept_.taken.begin() + static_cast<std::ptrdiff_t>(mark * mark_every_));
  run_.offered = kept_.offered;
}

// Begins at the last mark that the run shares with the kept one.
void SegmentStep::begin(std::size_t same) {
  marked_from_ = (same + mark_every_ - 1) / mark_every_;
  if (marked_from_ > 0)
    begin_at(marked_from_ - 1);
  else
    begin_anew();
}

Seconds SegmentStep::run(const std::vector<std::uint32_t>& priorities, Seconds limit) {
  const std::size_t same = same_turns(priorities);
  set_priorities(priorities);
  begin(same);
  const double hopeless = limit.value() * kRounded;
  std::size_t mark = marked_from_;
  for (std::size_t turn = run_.taken.size(); turn < takes_.size(); ++turn) {
    if (turn == mark * mark_every_) {
      if (!changed_.empty() && goes_on_as_kept(kept_.marks[mark])) return kept_.end;
      run_.marks[mark++] = now_;
    }
    const std::size_t at = first_to_begin();
    if (now_.begins[at] == kNever) return kNever;
    advance(static_cast<std::uint32_t>(at));
    if ((now_.ranks[at].free_at + now_.ranks[at].left).value() > hopeless) return kNever;
  }
  run_.end = Seconds();
  for (const Rank& rank : now_.ranks) run_.end = std::max(run_.end, rank.free_at);
  return run_.end;
}

void SegmentStep::keep() {
  kept_.priorities = run_.priorities;
  kept_.taken = run_.taken;
  kept_.offered = run_.offered;
  kept_.end = run_.end;
  std::swap_ranges(run_.marks.begin() + static_cast<std::ptrdiff_t>(marked_from_), run_.marks.end(),
                   kept_.marks.begin() + static_cast<std::ptrdiff_t>(marked_from_));
}

std::vector<RankOrder> SegmentStep::orders() const {
  std::vector<RankOrder> orders(shape_.ranks);
  for (const Taken& taken : kept_.taken) {
    const Pass& pass = passes_[taken.pass];
    const Action action = direction(taken.pass) == kForward ? Action::Forward : Action::Backward;
    append_slots(shape_, {pass.segment, pass.number}, action, orders[taken.rank]);
  }
  return orders;
}

}  // namespace spillway
