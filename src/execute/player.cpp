#include "execute/player.h"

#include <algorithm>
#include <thread>

namespace spillway {
namespace {

// Looks at messages take about 5 us each of a core. With more ranks than cores they are rarer, so that they
// take at most a tenth of the cores.
Seconds longest_nap(std::size_t ranks) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return microseconds(200) * std::max(1.0, double(ranks) / (4.0 * cores));
}

}  // namespace

Player::Player(const Program& program, std::size_t index, double time_scale, const Wires& wires, Board& board,
               Watch& watch)
    : program_(program),
      own_(program.programs[index]),
      time_scale_(time_scale),
      wires_(wires),
      board_(board),
      watch_(watch),
      naps_(longest_nap(program.programs.size())),
      plan_(buffers_of(program, own_)) {
  for (const std::uint64_t bytes : plan_.bytes) buffers_.emplace_back(bytes, std::byte(1));
}

std::vector<ActionTimes> Player::play(Seconds start) {
  operations_.clear();
  operations_.resize(own_.actions.size());
  times_.assign(own_.actions.size(), {});
  sleep_until(start);
  for (action_ = 0; action_ < own_.actions.size(); ++action_) {
    board_.begin(static_cast<std::uint32_t>(action_));
    board_.moved(now());
    ActionTimes& times = times_[action_];
    times.start = now();
    const End end = std::visit([&](const auto& action) { return act(action); }, own_.actions[action_]);
    times.end = now();
    times.due = end.due, times.done = end.done;
  }
  board_.begin(static_cast<std::uint32_t>(action_));
  meet();
  return relative(start);
}

std::vector<ActionTimes> Player::relative(Seconds start) const {
  std::vector<ActionTimes> times = times_;
  for (std::size_t index = 0; index < times.size(); ++index) {
    if (operations_[index]) {
      times[index].due = operations_[index]->due();
      times[index].done = operations_[index]->done();
    }
    for (Seconds ActionTimes::*each :
         {&ActionTimes::start, &ActionTimes::end, &ActionTimes::due, &ActionTimes::done})
      times[index].*each -= start;
  }
  return times;
}

Seconds Player::meet(MPI_Comm members) {
  Exchange meeting(members, Exchange::Moves::Nothing, 0, {}, Seconds(), now());
  moving_.push_back(&meeting);
  finish(meeting);
  return meeting.due();
}

Player::End Player::act(const ComputeAction& action) {
  const Seconds begin = action.group ? meet(wires_.of(*group_operation(action))) : now();
  return spend(begin, action.time);
}

Player::End Player::act(const PostReceive& action) {
  start(std::make_unique<ReceivedMessage>(end_of(action)));
  return at(now());
}

Player::End Player::act(const Send& action) {
  start(std::make_unique<SentMessage>(end_of(action), now()));
  return at(now());
}

Player::End Player::act(const Wait& action) {
  if (operations_[action.of]) finish(*operations_[action.of]);
  return at(now());
}

Player::End Player::act(const BroadcastAction& action) {
  exchange(action, Exchange::Moves::Broadcast, action.bytes, action.time);
  return at(now());
}

Player::End Player::act(const ReduceAction& action) {
  exchange(action, Exchange::Moves::Reduction, action.bytes, action.time);
  return at(now());
}

Player::End Player::act(const BarrierAction& action) {
  return spend(meet(wires_.barriers()), action.time);
}

MessageEnd Player::end_of(const MessageAction& action) {
  const auto peer = static_cast<int>(own_.replica.index() * program_.ranks + action.peer.index());
  const auto bytes = static_cast<std::uint64_t>(program_.sizes[action.size].bytes->value());
  return {wires_.stamps(), wires_.messages(),  peer, static_cast<int>(action.tag),
          buffer(bytes),   scaled(action.time)};
}

std::span<std::byte> Player::buffer(std::uint64_t bytes) {
  return std::span(buffers_[plan_.of_action[action_]]).first(bytes);
}

void Player::start(std::unique_ptr<Operation> operation) {
  operations_[action_] = std::move(operation);
  moving_.push_back(operations_[action_].get());
}

void Player::exchange(const RankAction& action, Exchange::Moves moves, const std::optional<Bytes>& bytes,
                      Seconds time) {
  const auto moved = bytes ? static_cast<std::uint64_t>(bytes->value()) : 0;
  const std::span<std::byte> piece = bytes ? buffer(std::min(moved, kPieceBytes)) : std::span<std::byte>();
  start(std::make_unique<Exchange>(wires_.of(*group_operation(action)), moves, moved, piece, scaled(time),
                                   now()));
}

Player::End Player::spend(Seconds begin, Seconds time) {
  const Seconds until = begin + scaled(time);
  board_.moved(until);
  while (now() < until) {
    if (advance_all()) naps_.moved();
    if (moving_.empty())
      sleep_until(until);
    else
      naps_.nap(until);
  }
  return {until, std::max(until, now())};
}

void Player::finish(Operation& operation) {
  for (;;) {
    if (advance_all()) {
      naps_.moved();
      board_.moved(now());
    }
    if (operation.complete()) break;
    watch_.look();
    naps_.nap(now() + Seconds(1));
  }
  if (operation.due() > now()) spend(operation.due(), Seconds());
}

bool Player::advance_all() {
  bool moved = false;
  for (Operation* operation : moving_) moved = operation->advance() || moved;
  std::erase_if(moving_, [](const Operation* operation) { return operation->complete(); });
  return moved;
}

}  // namespace spillway
