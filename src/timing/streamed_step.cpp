// In each round, every rank with new arrivals advances by a few events; its transfers let other ranks advance
// in the next round. A rank's turn is short, so that little data waits at its neighbours: only some tens of
// gpipe's M forwards on rank 0 are under way at once. The result does not depend on the turns, because an
// event starts when its predecessors have ended. Tests: tests/timing/streamed_step_test.cpp.
#include "timing/streamed_step.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "derive/feeding.h"
#include "timing/stream_walk.h"

namespace spillway {
namespace {

// The most events that a rank runs in one round.
constexpr int kTurn = 32;

// One instant in three runs of a step, in seconds from its start: with the transposed work counted, with it
// free, and with the transfers of its outputs free, too.
struct Instant {
  double counted = 0;
  double free = 0;
  double fed = 0;

  friend Instant operator+(Instant a, Instant b) {
    return {a.counted + b.counted, a.free + b.free, a.fed + b.fed};
  }
};

Instant later(Instant a, Instant b) {
  return {std::max(a.counted, b.counted), std::max(a.free, b.free), std::max(a.fed, b.fed)};
}

Instant counted(Seconds time) {
  return {time.value(), time.value(), time.value()};
}

// Caches uniform prices, by stage and kind of event.
class KnownPrices {
 public:
  KnownPrices(const EventPrices& prices, std::size_t stages) : prices_(prices), known_(stages) {}

  // A computing event.
  Seconds of(const Event& event) {
    if (event.kind == EventKind::ForwardBackward) return prices_.of(event);
    return of(event, known_[event.stage.index()][static_cast<std::size_t>(event.kind)]);
  }
  // A transfer. Contract: each stage sends to only one stage in direction `way`.
  Seconds of(const Event& transfer, Way way) {
    return of(transfer, known_[transfer.stage.index()][kPasses + (way == Way::Forward ? 0 : 1)]);
  }
  Seconds anew(const Event& event) const { return prices_.of(event); }

 private:
  static constexpr std::size_t kPasses = 4, kWays = 2;

  struct Known {
    enum { Unasked, Varies, Uniform } state = Unasked;
    Seconds takes;
  };

  Seconds of(const Event& event, Known& known) const {
    if (known.state == Known::Uniform) return known.takes;
    known.takes = prices_.of(event);
    if (known.state == Known::Unasked) known.state = prices_.uniform(event) ? Known::Uniform : Known::Varies;
    return known.takes;
  }

  const EventPrices& prices_;
  std::vector<std::array<Known, kPasses + kWays>> known_;  // by stage
};

class Streaming {
 public:
  Streaming(const OrderStream& order, const EventPrices& prices)
      : order_(order),
        outline_(order.outline()),
        blocking_(outline_.point_to_point == PointToPoint::Blocking),
        prices_(prices, outline_.stages.size()),
        feeding_(feeding_of(outline_)),
        walk_(order),
        last_backward_(outline_.stages.size()),
        ranks_(outline_.pipeline.ranks) {}

  StreamedStep run() && {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) wake(RankId(rank));
    while (!awake_.empty()) {
      for (RankId rank : std::exchange(awake_, {})) take_turn(rank);
    }
    walk_.ensure_over();
    for (const StepReduce& reduce : order_.reduces()) run_reduce(reduce);
    end_step();
    StreamedStep step{Seconds(last_.counted), {}, {}, events_};
    if (feeding_) step.free_end = Seconds(last_.free);
    for (const Rank& rank : ranks_) step.ranks.push_back(rank.figures);
    return step;
  }

 private:
  struct Rank {
    bool awake = false;
    Instant free_again;  // when the rank is free for the next event
    RankShare figures;
    bool begun = false;  // has run any event
    bool warm = false;   // has run an event of the fed region
  };

  void wake(RankId rank) {
    if (std::exchange(ranks_[rank.index()].awake, true)) return;
    awake_.push_back(rank);
  }

  void take_turn(RankId id) {
    Rank& rank = ranks_[id.index()];
    rank.awake = false;
    for (int i = 0; i < kTurn; ++i) {
      Instant ready = rank.free_again;
      const auto event = walk_.take_next(id, ready);
      if (!event) return;
      run(*event, ready, rank);
    }
    wake(id);
  }

  void run(const Event& event, Instant ready, Rank& rank) {
    const Seconds takes = prices_.of(event);
    const bool transposed = is_transposed_work(outline_, feeding_, event);
    const Instant end = ready + (transposed ? Instant{takes.value()} : counted(takes));
    note(event, ready, takes, rank);
    rank.figures.last_end = Seconds(end.counted);
    ended(end);
    if (ends_backward(event)) {
      Instant& last = last_backward_[event.peer_stage.index()];
      last = later(last, end);
    }
    rank.free_again = end;
    walk_.for_each_sent(event, [&](const Event& sent, Way way) {
      const bool occupies = blocking_ && sent.transfers();
      const Instant there = transfer(sent, way, occupies ? rank.free_again : end);
      if (occupies) rank.free_again = there;
    });
  }

  // Adds the same terms as figures.cpp, in the same order. Before its first event of the fed region a rank
  // has only transposed work, so it is idle until then if that work is free.
  void note(const Event& event, Instant start, Seconds takes, Rank& rank) const {
    rank.figures.busy += takes;
    if (!std::exchange(rank.begun, true)) rank.figures.first_start = Seconds(start.counted);
    if (is_transposed_forward(outline_, feeding_, event)) rank.figures.encoder += takes;
    if (rank.warm || is_transposed_work(outline_, feeding_, event)) return;
    rank.warm = true;
    rank.figures.warm_up_slack = Seconds(start.fed);
  }

  // Returns the arrival time.
  Instant transfer(const Event& sent, Way way, Instant start) {
    const bool to_owner =
        outline_.placement[outline_.stage(sent.peer_stage).region.index()].layout == Layout::Replicated;
    const Instant there = start + in_runs(sent, to_owner ? prices_.anew(sent) : prices_.of(sent, way));
    ended(there);
    walk_.arrive(sent, way, there);
    wake(sent.peer_rank);
    return there;
  }

  Instant in_runs(const Event& sent, Seconds takes) const {
    Instant all = counted(takes);
    if (feeding_ && feeds(outline_, *feeding_, sent)) all.fed = 0;
    return all;
  }

  void run_reduce(const StepReduce& reduce) {
    Instant ready;
    for (StageId copy : reduce.copies) ready = later(ready, last_backward_[copy.index()]);
    ended(ready + counted(prices_.anew(reduce.event)));
  }

  void end_step() {
    const Seconds takes = prices_.anew(Event{EventKind::StepBarrier});
    if (takes > Seconds()) ended(last_ + counted(takes));
  }

  void ended(Instant at) {
    last_ = later(last_, at);
    ++events_;
  }

  const OrderStream& order_;
  const Outline& outline_;
  bool blocking_;
  KnownPrices prices_;
  std::optional<Feeding> feeding_;  // the transposed input and the run after it
  StreamWalk<Instant> walk_;
  std::vector<Instant> last_backward_;  // by stage
  std::vector<Rank> ranks_;
  std::vector<RankId> awake_;  // ranks that take a turn in the next round
  Instant last_;
  std::uint64_t events_ = 0;
};

}  // namespace

StreamedStep streamed_step(const OrderStream& order, const EventPrices& prices) {
  return Streaming(order, prices).run();
}

LaneFigures lane_figures(const StreamedStep& step) {
  LaneFigures figures{step.end, {}};
  if (step.free_end) figures.spill = {{step.end, *step.free_end}};
  for (const RankShare& rank : step.ranks) add(rank, figures);
  return figures;
}

}  // namespace spillway
