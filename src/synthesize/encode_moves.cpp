#include "synthesize/encode_moves.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace spillway {
namespace {

class EncodeMove {
 public:
  EncodeMove(const OwnedOrder& order, const SequencedStep& ends, std::uint32_t lane, RegionId input,
             MicrobatchId microbatch)
      : from_(order), ends_(ends), lane_(lane), input_(input), microbatch_(microbatch) {}

  OwnedOrder on(RankId rank, const WithOwners& with_owners, RandomStream& random) {
    OwnerMaps owners = owners_of(derived());
    RankId& owner = owners[input_.index()][microbatch_.index()];
    const bool stays = std::exchange(owner, rank) == rank;
    OwnedOrder to{stays ? from_.step : with_owners(owners), PassSequences(derived().pipeline.ranks)};
    carry_over(to);
    insert(rank, random, to);
    return to;
  }

 private:
  // A pass of the moved microbatch, and the times between which it can start.
  struct Moved {
    Event event;
    Seconds from, until;
  };

  const Derived& derived() const { return from_.step->derived(); }
  const Event& event_of(std::uint32_t pass) const { return derived().order.event(EventId(pass)); }
  Seconds end(std::uint32_t event) const { return ends_.ends.at(EventId(event), lane_); }
  Seconds start(std::uint32_t pass) const {
    return end(pass) - from_.step->durations().at(EventId(pass), lane_);
  }
  bool moves(const Event& event) const {
    return derived().stage(event.stage).region == input_ && event.microbatch == microbatch_;
  }

  // Copies all other passes, and notes the start of each. Notes the passes that move.
  void carry_over(OwnedOrder& to) {
    for (std::uint32_t rank = 0; rank < from_.sequences.size(); ++rank) {
      starts_.emplace_back();
      for (const std::uint32_t pass : from_.sequences[rank]) {
        const Event& event = event_of(pass);
        if (moves(event)) {
          note(pass, event);
          continue;
        }
        to.sequences[rank].push_back(to.step == from_.step ? pass : to.step->pass_of(event));
        starts_[rank].push_back(start(pass));
      }
    }
  }

  void note(std::uint32_t pass, const Event& event) {
    if (event.runs_forward()) {
      moved_.push_back({event, Seconds(), needed_at()});
      return;
    }
    Seconds ready;
    for (const std::uint32_t needed : from_.step->graph().needs_of(pass))
      ready = std::max(ready, end(needed));
    moved_.push_back({event, ready, ends_.last[lane_]});
  }

  // The start of the first pass behind the inputs that needs the microbatch.
  Seconds needed_at() const {
    std::optional<Seconds> first;
    for (const auto& sequence : from_.sequences)
      for (const std::uint32_t pass : sequence) {
        const Event& event = event_of(pass);
        if (derived().is_input(event.stage) || !event.runs_forward() || event.microbatch != microbatch_)
          continue;
        if (!first || start(pass) < *first) first = start(pass);
      }
    return first.value_or(Seconds());
  }

  Event on_rank(Event event, RankId rank) const {
    for (const StageId stage : derived().input_stages(rank))
      if (derived().stage(stage).region == input_) event.stage = event.peer_stage = stage;
    event.rank = event.peer_rank = rank;
    return event;
  }

  // A forward goes before passes that start no earlier than it has to end, as far as its draw allows.
  void insert(RankId rank, RandomStream& random, OwnedOrder& to) {
    auto& sequence = to.sequences[rank.index()];
    auto& starts = starts_[rank.index()];
    for (const Moved& one : moved_) {
      const Seconds at = one.from + (one.until - one.from) * random.uniform();
      const auto place = std::ranges::lower_bound(starts, at) - starts.begin();
      sequence.insert(sequence.begin() + place, to.step->pass_of(on_rank(one.event, rank)));
      starts.insert(starts.begin() + place, at);
    }
  }

  const OwnedOrder& from_;
  const SequencedStep& ends_;
  const std::uint32_t lane_;
  const RegionId input_;
  const MicrobatchId microbatch_;
  std::vector<std::vector<Seconds>> starts_;  // of the passes that are carried over, by rank
  std::vector<Moved> moved_;
};

}  // namespace

OwnerMaps owners_of(const Outline& outline) {
  OwnerMaps owners;
  for (std::size_t input = 0; input < outline.inputs(); ++input)
    owners.push_back(std::get<ByMicrobatch>(outline.placement[input].owner).owner);
  return owners;
}

OwnedOrder with_moved_encode(const OwnedOrder& order, const SequencedStep& ends, std::uint32_t lane,
                             RegionId input, MicrobatchId microbatch, RankId rank,
                             const WithOwners& with_owners, RandomStream& random) {
  return EncodeMove(order, ends, lane, input, microbatch).on(rank, with_owners, random);
}

}  // namespace spillway
