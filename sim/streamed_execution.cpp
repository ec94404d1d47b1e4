#include "sim/streamed_execution.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace spillway {
namespace {

constexpr ReplicaId kReplica(0);

// Of an event, its delay and its flows, and of the two transfers that it may send.
constexpr std::uint64_t kDatesOfAnEvent = 1 + 2 * 2;

bool runs_backward(const Event& event) {
  return !event.runs_forward() || event.kind == EventKind::ForwardBackward;
}

bool passes_back(const Event& event) {
  return runs_backward(event) && event.kind != EventKind::BackwardWeight;
}

}  // namespace

StreamedExecution::StreamedExecution(const OrderStream& order, const Pricing& pricing, Cluster& cluster,
                                     SharedFlows* shared)
    : order_(order),
      pricing_(pricing),
      cluster_(cluster),
      shared_(shared),
      stages_(order.outline().stages.size()) {
  ensure(order.outline().pipeline.replicas == 1, "a replica is streamed by itself");
  cluster_.place(order.outline());
  if (!cluster_.ideal())
    traffic_.emplace(agenda_, *shared_,
                     [this](Token token, std::uint32_t flows) { parts_done(token, flows); });
  for (std::uint32_t rank = 0; rank < order.outline().pipeline.ranks; ++rank)
    ranks_.push_back({order.positions(RankId(rank))});
  count_backwards();
}

void StreamedExecution::count_backwards() {
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
    for (std::uint64_t position = 0; position < ranks_[rank].positions; ++position) {
      const auto event = order_.computing(RankId(rank), position);
      if (event && runs_backward(*event)) ++stages_[event->peer_stage.index()].backwards;
    }
}

StreamedReplay StreamedExecution::run() {
  if (shared_ != nullptr)
    shared_->serve({&agenda_, [this] { next(); },
                    [this](Route& route, Token token) { traffic_->shared_end(route, token); },
                    [this] { return scale(); }});
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) wake(RankId(rank));
  go_on();
  const auto sharing = [this] { return shared_ != nullptr && shared_->any(); };
  while (sharing() || !agenda_.empty()) sharing() ? shared_->run() : next();
  StreamedReplay replay{agenda_.now(), {}};
  for (const Rank& rank : ranks_) {
    ensure(rank.position == rank.positions, "a stream does not wait for itself");
    replay.ranks.push_back(rank.spans);
  }
  return replay;
}

// Reads the whole order: wanted only where flows share links. A chain of events is taken to be about as long
// as a rank's own sequence and the way to it.
RunScale StreamedExecution::scale() const {
  RunScale scale{Seconds(), 0, Bytes()};
  const auto note = [&](const Event& message) {
    const auto [alone, payload] = pricing_.transfer(message, kReplica);
    scale.least = std::max(scale.least, alone);
    scale.largest = std::max(scale.largest, payload);
  };
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    Seconds busy;
    for (std::uint64_t position = 0; position < ranks_[rank].positions; ++position) {
      const auto event = order_.computing(RankId(rank), position);
      if (!event) continue;
      busy += event_seconds(pricing_, *event, kReplica);
      for (const auto& sent : {order_.passed_on(event->stage, event->microbatch),
                               order_.passed_back(event->peer_stage, event->peer_microbatch)})
        if (sent) note(*sent);
    }
    scale.least = std::max(scale.least, busy);
    scale.dates = std::max(scale.dates, kDatesOfAnEvent * (ranks_[rank].positions + ranks_.size()));
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
    case Agenda::What::FlowsStart:
      return send(due.token - first_message());
  }
}

void StreamedExecution::parts_done(Token token, std::uint32_t parts) {
  if (token < first_message())
    computed(RankId(token));
  else if ((messages_[token - first_message()].parts -= parts) == 0)
    end(token - first_message());
  go_on();
}

void StreamedExecution::wake(RankId rank) {
  if (!std::exchange(ranks_[rank.index()].awake, true)) awake_.push_back(rank);
}

// What takes no time ends in this loop, not by recursion.
void StreamedExecution::go_on() {
  while (!awake_.empty()) {
    const RankId rank = awake_.back();
    awake_.pop_back();
    ranks_[rank.index()].awake = false;
    begin_next(rank);
  }
}

bool StreamedExecution::look_up(RankId id, Rank& rank) const {
  while (!rank.next && rank.position < rank.positions) {
    rank.next = order_.computing(id, rank.position);
    if (!rank.next) ++rank.position;
  }
  return rank.next.has_value();
}

void StreamedExecution::begin_next(RankId id) {
  Rank& rank = ranks_[id.index()];
  if (rank.running || rank.sending > 0 || !look_up(id, rank) || !take_arrived(*rank.next)) return;
  ++rank.position;
  rank.running = std::exchange(rank.next, std::nullopt);
  if (!std::exchange(rank.begun, true)) rank.spans.first_start = agenda_.now();
  const Seconds length = event_seconds(pricing_, *rank.running, kReplica);
  if (length <= Seconds(0)) return computed(id);
  agenda_.add(agenda_.now() + length, Agenda::What::WaitEnds, id.index());
}

// False where something that the event waits for has not arrived.
bool StreamedExecution::take_arrived(const Event& event) {
  auto& forward = stages_[event.stage.index()].forward;
  auto& backward = stages_[event.peer_stage.index()].backward;
  const bool fed = event.runs_forward() && order_.is_fed(event.stage);
  const bool fed_back = passes_back(event) && order_.is_fed_back(event.peer_stage);
  const auto from = fed ? forward.find(order_.turn(event.stage, event.microbatch)) : forward.end();
  const auto back =
      fed_back ? backward.find(order_.turn(event.peer_stage, event.peer_microbatch)) : backward.end();
  if ((fed && from == forward.end()) || (fed_back && back == backward.end())) return false;
  if (fed) forward.erase(from);
  if (fed_back) backward.erase(back);
  return true;
}

void StreamedExecution::computed(RankId id) {
  const Event event = *std::exchange(ranks_[id.index()].running, std::nullopt);
  ranks_[id.index()].spans.last_end = agenda_.now();
  wake(id);
  if (event.runs_forward()) pass(order_.passed_on(event.stage, event.microbatch), &Stage::forward);
  if (passes_back(event)) pass(order_.passed_back(event.peer_stage, event.peer_microbatch), &Stage::backward);
  if (runs_backward(event)) backward_ended(event.peer_stage);
}

void StreamedExecution::pass(const std::optional<Event>& sent, std::set<std::uint32_t> Stage::*arrivals) {
  if (!sent) return;
  if (holds_sender(*sent)) ++ranks_[sent->rank.index()].sending;
  start(*sent, &(stages_[sent->peer_stage.index()].*arrivals));
}

void StreamedExecution::backward_ended(StageId stage) {
  if (--stages_[stage.index()].backwards > 0) return;
  const auto ended = [this](StageId copy) { return stages_[copy.index()].backwards == 0; };
  for (const StepReduce& reduce : order_.reduces()) {
    const auto& copies = reduce.copies;
    if (std::find(copies.begin(), copies.end(), stage) == copies.end()) continue;
    if (std::all_of(copies.begin(), copies.end(), ended)) start(reduce.event, nullptr);
  }
}

void StreamedExecution::start(const Event& event, std::set<std::uint32_t>* arrivals) {
  if (free_.empty()) free_.push_back(static_cast<std::uint32_t>(messages_.size()));
  if (free_.back() == messages_.size()) messages_.emplace_back();
  const std::uint32_t number = free_.back();
  free_.pop_back();
  const auto [price, payload] = pricing_.transfer(event, kReplica);
  messages_[number] = {event, arrivals, payload, 1};
  const Token token = first_message() + number;
  const auto wait = cluster_.wait_before_flows(event, kReplica, price, payload);
  if (wait && *wait <= Seconds(0)) return send(number);
  if (wait) return agenda_.add(agenda_.now() + *wait, Agenda::What::FlowsStart, token);
  if (price <= Seconds(0)) return end(number);
  agenda_.add(agenda_.now() + price, Agenda::What::WaitEnds, token);
}

void StreamedExecution::send(std::uint32_t number) {
  const Bytes payload = messages_[number].payload;
  const Channel& channel = cluster_.channel(messages_[number].event, kReplica);
  messages_[number].parts = static_cast<std::uint32_t>(channel.routes.size());
  for (Route* route : channel.routes) traffic_->add(*route, payload);
  traffic_->start(first_message() + number);
}

void StreamedExecution::end(std::uint32_t number) {
  const auto [event, arrivals, payload, parts] = messages_[number];
  free_.push_back(number);
  if (arrivals == nullptr) return;
  arrivals->insert(order_.turn(event.peer_stage, event.microbatch));
  wake(event.peer_rank);
  if (!holds_sender(event)) return;
  --ranks_[event.rank.index()].sending;
  wake(event.rank);
}

bool StreamedExecution::holds_sender(const Event& event) const {
  return order_.outline().point_to_point == PointToPoint::Blocking && event.transfers();
}

}  // namespace spillway
