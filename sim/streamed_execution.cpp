#include "sim/streamed_execution.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace spillway {
namespace {

constexpr ReplicaId kReplica(0);

// Dates of an event: one of its own, and a delay and an end of flows for each of the two transfers that it
// may send.
constexpr std::uint64_t kDatesOfAnEvent = 1 + 2 * 2;

}  // namespace

StreamedExecution::StreamedExecution(const OrderStream& order, const Pricing& pricing, Cluster& cluster,
                                     SharedFlows* shared)
    : order_(order),
      pricing_(pricing),
      cluster_(cluster),
      shared_(shared),
      walk_(order),
      ranks_(order.outline().pipeline.ranks),
      last_backward_(order.outline().stages.size()),
      ended_(order.outline().stages.size(), true) {
  ensure(order.outline().pipeline.replicas == 1, "a replica is streamed by itself");
  cluster_.place(order.outline());
  if (!cluster_.ideal())
    traffic_.emplace(agenda_, *shared_,
                     [this](ActivityToken token, std::uint32_t flows) { parts_done(token, flows); });
  find_last_backwards();
}

// Searches from the end of each rank's sequence, since the last backwards of reduced stages are there.
void StreamedExecution::find_last_backwards() {
  std::vector<std::uint32_t> reduced(ranks_.size(), 0);
  for (const StepReduce& reduce : order_.reduces())
    for (const StageId copy : reduce.copies) {
      ended_[copy.index()] = false;
      ++reduced[order_.outline().stage(copy).rank.index()];
    }
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
    for (std::uint64_t position = order_.positions(RankId(rank)); position-- > 0 && reduced[rank] > 0;) {
      const auto event = order_.computing(RankId(rank), position);
      if (!event || !ends_backward(*event)) continue;
      const std::size_t stage = event->peer_stage.index();
      if (ended_[stage] || last_backward_[stage]) continue;
      last_backward_[stage] = position;
      --reduced[rank];
    }
  for (std::size_t stage = 0; stage < ended_.size(); ++stage)
    if (!last_backward_[stage]) ended_[stage] = true;
}

StreamedReplay StreamedExecution::run() {
  if (shared_ != nullptr)
    shared_->serve({&agenda_, [this] { next(); },
                    [this](Route& route, ActivityToken token) { traffic_->shared_end(route, token); },
                    [this] { return scale(); }});
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) wake(RankId(rank));
  go_on();
  const auto sharing = [this] { return shared_ != nullptr && shared_->any(); };
  while (sharing() || !agenda_.empty()) sharing() ? shared_->run() : next();
  StreamedReplay replay{agenda_.now() + event_seconds(pricing_, Event{EventKind::StepBarrier}, kReplica), {}};
  walk_.ensure_over();
  for (const Rank& rank : ranks_) replay.ranks.push_back(rank.spans);
  return replay;
}

// Reads the whole order, so it runs only if flows share links. It assumes that a chain of events is about as
// long as a rank's own sequence and the way to it.
RunScale StreamedExecution::scale() const {
  RunScale scale{Seconds(), 0, Bytes()};
  const auto note = [&](const Event& message) {
    const Transfer priced = pricing_.transfer(message, kReplica);
    scale.least = std::max(scale.least, priced.alone);
    scale.largest = std::max(scale.largest, priced.payload);
  };
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    Seconds busy;
    const std::uint64_t positions = order_.positions(RankId(rank));
    for (std::uint64_t position = 0; position < positions; ++position) {
      const auto event = order_.computing(RankId(rank), position);
      if (!event) continue;
      busy += event_seconds(pricing_, *event, kReplica);
      walk_.for_each_sent(*event, [&](const Event& sent, Way) { note(sent); });
    }
    scale.least = std::max(scale.least, busy);
    scale.dates = std::max(scale.dates, kDatesOfAnEvent * (positions + ranks_.size()));
  }
  for (const StepReduce& reduce : order_.reduces()) note(reduce.event);
  return scale;
}

void StreamedExecution::next() {
  const Agenda::Entry due = agenda_.take();
  switch (due.what) {
    case Agenda::What::FlowsEnd:
      return traffic_->alone_end(due.token);
    case Agenda::What::WaitEnds:
      return parts_done(due.token, 1);
    case Agenda::What::EventEnds:
      end(due.token - first_message());
      return go_on();
    case Agenda::What::FlowsStart:
      return send(due.token - first_message());
  }
}

void StreamedExecution::parts_done(ActivityToken token, std::uint32_t parts) {
  if (token < first_message())
    computed(RankId(token));
  else if ((messages_[token - first_message()].parts -= parts) == 0)
    finish(token - first_message());
  go_on();
}

void StreamedExecution::wake(RankId rank) {
  if (!std::exchange(ranks_[rank.index()].awake, true)) awake_.push_back(rank);
}

// Events that take no time end in this loop, not by recursion.
void StreamedExecution::go_on() {
  while (!awake_.empty()) {
    const RankId rank = awake_.back();
    awake_.pop_back();
    ranks_[rank.index()].awake = false;
    begin_next(rank);
  }
}

void StreamedExecution::begin_next(RankId id) {
  Rank& rank = ranks_[id.index()];
  if (rank.running || rank.sending > 0) return;
  Arrived ready;
  rank.running = walk_.take_next(id, ready);
  if (!rank.running) return;
  if (!std::exchange(rank.begun, true)) rank.spans.first_start = agenda_.now();
  const Seconds length = event_seconds(pricing_, *rank.running, kReplica);
  if (length <= Seconds(0)) return computed(id);
  agenda_.add(agenda_.now() + length, Agenda::What::WaitEnds, id.index());
}

void StreamedExecution::computed(RankId id) {
  const Event event = *std::exchange(ranks_[id.index()].running, std::nullopt);
  ranks_[id.index()].spans.last_end = agenda_.now();
  wake(id);
  walk_.for_each_sent(event, [this](const Event& sent, Way way) { leave(sent, way); });
  if (last_backward_[event.peer_stage.index()] == walk_.position(id)) backward_ended(event.peer_stage);
}

// Sends after the transfer that occupies the rank, if there is one.
void StreamedExecution::leave(const Event& sent, Way way) {
  if (!holds_sender(sent)) return start(sent, way);
  Rank& rank = ranks_[sent.rank.index()];
  if (rank.sending++ > 0)
    rank.to_send.push_back({sent, way});
  else
    start(sent, way);
}

void StreamedExecution::left(RankId id) {
  Rank& rank = ranks_[id.index()];
  --rank.sending;
  if (rank.to_send.empty()) return wake(id);
  const Sent next = rank.to_send.front();
  rank.to_send.erase(rank.to_send.begin());
  start(next.event, next.way);
}

void StreamedExecution::backward_ended(StageId stage) {
  ended_[stage.index()] = true;
  const auto ended = [this](StageId copy) { return ended_[copy.index()]; };
  for (const StepReduce& reduce : order_.reduces()) {
    const auto& copies = reduce.copies;
    if (std::find(copies.begin(), copies.end(), stage) == copies.end()) continue;
    if (std::all_of(copies.begin(), copies.end(), ended)) start(reduce.event, std::nullopt);
  }
}

void StreamedExecution::start(const Event& event, std::optional<Way> way) {
  if (free_.empty()) free_.push_back(static_cast<std::uint32_t>(messages_.size()));
  if (free_.back() == messages_.size()) messages_.emplace_back();
  const std::uint32_t number = free_.back();
  free_.pop_back();
  const Transfer priced = pricing_.transfer(event, kReplica);
  messages_[number] = {event, way, priced, 1};
  const ActivityToken token = first_message() + number;
  const auto flows = sending(number);
  if (flows && flows->wait <= Seconds(0)) return send(number);
  if (flows) return agenda_.add(agenda_.now() + flows->wait, Agenda::What::FlowsStart, token);
  if (priced.alone <= Seconds(0)) return end(number);
  agenda_.add(agenda_.now() + priced.alone, Agenda::What::EventEnds, token);
}

std::optional<Sending> StreamedExecution::sending(std::uint32_t number) {
  const auto& [event, way, priced, parts] = messages_[number];
  return cluster_.sending(event, kReplica, priced.alone - priced.update, priced.payload);
}

void StreamedExecution::send(std::uint32_t number) {
  const Channel& channel = *sending(number)->channel;
  const Bytes payload = messages_[number].priced.payload;
  messages_[number].parts = static_cast<std::uint32_t>(channel.routes.size());
  for (Route* route : channel.routes) traffic_->add(*route, payload);
  traffic_->start(first_message() + number);
}

void StreamedExecution::finish(std::uint32_t number) {
  const Seconds update = messages_[number].priced.update;
  if (update <= Seconds(0)) return end(number);
  agenda_.add(agenda_.now() + update, Agenda::What::EventEnds, first_message() + number);
}

void StreamedExecution::end(std::uint32_t number) {
  const auto [event, way, priced, parts] = messages_[number];
  free_.push_back(number);
  if (!way) return;
  walk_.arrive(event, *way, Arrived());
  wake(event.peer_rank);
  if (holds_sender(event)) left(event.rank);
}

bool StreamedExecution::holds_sender(const Event& event) const {
  return order_.outline().point_to_point == PointToPoint::Blocking && event.transfers();
}

}  // namespace spillway
