#include "report/order/goal.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/order/rank_programs.h"

namespace spillway {
namespace {

std::uint64_t nanoseconds(Seconds time) {
  return static_cast<std::uint64_t>(std::llround(std::max(0.0, time.value()) * 1e9));
}

// Returns the least duration of any transfer, or 0 if there is none.
Seconds least_latency(const Derived& derived, const Prices& prices) {
  std::optional<Seconds> least;
  for (std::uint32_t index = 0; index < derived.order.event_count(); ++index) {
    if (!derived.order.event(EventId(index)).transfers()) continue;
    for (std::uint32_t lane = 0; lane < prices.durations.lanes(); ++lane) {
      const Seconds time = prices.durations.at(EventId(index), lane);
      least = std::min(least.value_or(time), time);
    }
  }
  return least.value_or(Seconds());
}

class GoalWriter {
 public:
  GoalWriter(std::ostream& out, const Derived& derived, const Prices& prices)
      : out_(out),
        derived_(derived),
        prices_(prices),
        programs_(derived),
        latency_(least_latency(derived, prices)) {}

  void write() {
    out_ << "// replica x " << ranks() << " + rank; durations in ns, messages in bytes\n"
         << "// as Spillway prices messages, at least: LogGOPSim -L " << nanoseconds(latency_)
         << " -o 0 -g 0 -G 0 -O 0 -S 4294967295\n"
         << "num_ranks " << ranks() * prices_.durations.lanes() << '\n';
    for (lane_ = 0; lane_ < prices_.durations.lanes(); ++lane_)
      for (std::uint32_t rank = 0; rank < ranks(); ++rank) write_block(RankId(rank));
  }

 private:
  std::uint32_t ranks() const { return derived_.order.rank_count(); }
  std::uint32_t host(std::uint32_t lane, RankId rank) const { return lane * ranks() + rank.index(); }

  void write_block(RankId rank) {
    out_ << "rank " << host(lane_, rank) << " {\n";
    programs_.visit(rank, [&](const RankStep& step) { write_step(rank, step); });
    out_ << "}\n";
  }

  static char letter(RankOperation kind) { return "lshrl"[static_cast<std::size_t>(kind)]; }

  void write_step(RankId rank, const RankStep& step) {
    const Event& event = derived_.order.event(step.event);
    switch (step.kind) {
      case RankOperation::Run:
      case RankOperation::Hold:
        calculate(step, prices_.durations.at(step.event, lane_));
        return need(step, letter(step.kind));
      case RankOperation::Send:
        message(step.event, "send", " to ", host(lane_, event.peer_rank));
        return need(step, 's');
      case RankOperation::Receive:
        return message(step.event, "recv", " from ", host(lane_, event.rank));
      case RankOperation::Reduce:
        return reduce(host(lane_, rank), step, event);
    }
  }

  void calculate(const RankStep& step, Seconds time) {
    out_ << letter(step.kind) << step.event.index() << ": calc " << nanoseconds(time) << '\n';
  }

  void message(EventId event, const char* word, const char* direction, std::uint32_t other) {
    const auto bytes = std::max(1.0, std::ceil(prices_.payload.at(event, lane_).value()));
    out_ << word[0] << event.index() << ": " << word << ' ' << static_cast<std::uint64_t>(bytes) << 'b'
         << direction << other << " tag " << event.index() << '\n';
  }

  void need(const RankStep& step, char label, const std::string& more = "") {
    for (const OperationRef& before : step.needs)
      out_ << label << step.event.index() << more << " requires " << letter(before.kind)
           << before.event.index() << '\n';
  }

  std::vector<std::uint32_t> members(const Event& event) const {
    std::vector<std::uint32_t> hosts;
    const bool of_each = event.kind == EventKind::Broadcast;
    for (std::uint32_t lane = 0; lane < prices_.durations.lanes(); ++lane)
      if (!of_each || lane == lane_)
        for (const RankId rank : programs_.reducing_ranks(event)) hosts.push_back(host(lane, rank));
    return hosts;
  }

  // A pairwise exchange takes one message's time. An exchange through the first member takes two.
  void reduce(std::uint32_t me, const RankStep& step, const Event& event) {
    const std::vector<std::uint32_t> all = members(event);
    const bool pairs = all.size() <= kPairs, answers = !pairs && me == all.front();
    std::vector<std::uint32_t> others;
    for (const std::uint32_t other : all)
      if (other != me && (pairs || answers || other == all.front())) others.push_back(other);
    const double messages = others.empty() ? 0 : pairs || answers ? 1 : 2;
    for (const std::uint32_t other : others) exchange(step, other, answers);
    calculate(step, prices_.durations.at(step.event, lane_) - latency_ * messages);
    need(step, 'l');
    for (const std::uint32_t other : others)
      out_ << 'l' << step.event.index() << " requires y" << step.event.index() << '_' << other << '\n';
    if (answers) answer(step, others);
  }

  // Receives one byte from another member. Sends one byte to it, too, unless answer() sends that one.
  void exchange(const RankStep& step, std::uint32_t other, bool answers) {
    const std::uint32_t event = step.event.index();
    out_ << 'y' << event << '_' << other << ": recv 1b from " << other << " tag " << event << '\n';
    if (answers) return;
    out_ << 'x' << event << '_' << other << ": send 1b to " << other << " tag " << event << '\n';
    need(step, 'x', '_' + std::to_string(other));
  }

  // Sends one byte to all members after all of theirs have arrived.
  void answer(const RankStep& step, const std::vector<std::uint32_t>& others) {
    const std::uint32_t event = step.event.index();
    out_ << 'g' << event << ": calc 0\n";
    need(step, 'g');
    for (const std::uint32_t other : others) {
      out_ << 'g' << event << " requires y" << event << '_' << other << '\n'
           << 'x' << event << '_' << other << ": send 1b to " << other << " tag " << event << '\n'
           << 'x' << event << '_' << other << " requires g" << event << '\n';
    }
  }

  std::ostream& out_;
  const Derived& derived_;
  const Prices& prices_;
  const RankPrograms programs_;
  const Seconds latency_;
  std::uint32_t lane_ = 0;
};

}  // namespace

void write_goal(std::ostream& out, const Derived& derived, const Prices& prices) {
  GoalWriter(out, derived, prices).write();
}

}  // namespace spillway
