// One replay of an order that is streamed (derive/order_stream.h): one replica, of which only what is alive
// is kept, so that memory grows with ranks and with what waits between them, not with the order.
//
// A rank begins the next event of its own sequence when the one before has ended and what it waits for has
// arrived; a transfer begins when the event that sends it ends, or, where transfers block, when the one
// before it has; a reduction when the last backward has that it waits for. Tests:
// tests/sim/streamed_replay_test.cpp, against the order that is held.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cost/price.h"
#include "derive/order_stream.h"
#include "sim/agenda.h"
#include "sim/cluster.h"
#include "sim/replay.h"
#include "sim/shared_flows.h"
#include "sim/traffic.h"
#include "timing/stream_walk.h"

namespace spillway {

class StreamedExecution {
 public:
  // Keeps references to everything it is given; serves one run. `shared` is null where the cluster is ideal.
  // Contract: the order's pipeline has one replica.
  StreamedExecution(const OrderStream& order, const Pricing& pricing, Cluster& cluster, SharedFlows* shared);
  StreamedExecution(const StreamedExecution&) = delete;
  StreamedExecution& operator=(const StreamedExecution&) = delete;

  StreamedReplay run();

 private:
  struct Sent {
    Event event;
    Way way;
  };
  struct Rank {
    std::optional<Event> running = {};  // computing
    std::uint32_t sending = 0;          // transfers that it waits for
    std::optional<Sent> to_send = {};   // the second of them, where the first has not ended
    bool awake = false;
    bool begun = false;
    StreamedReplay::Computing spans = {};
  };
  // What arrives is there from now on: no more is to be known of it.
  struct Arrived {
    friend Arrived later(Arrived, Arrived) { return {}; }
  };
  // A transfer or a reduction under way.
  struct Message {
    Event event;
    std::optional<Way> way;  // none of a reduction
    Transfer priced;
    std::uint32_t parts;  // to end
  };

  void find_last_backwards();
  void wake(RankId rank);
  void go_on();
  void begin_next(RankId id);
  void computed(RankId id);
  void backward_ended(StageId stage);
  void leave(const Event& sent, Way way);
  void left(RankId rank);
  void start(const Event& event, std::optional<Way> way);
  void send(std::uint32_t number);
  std::optional<Sending> sending(std::uint32_t number);
  void finish(std::uint32_t number);
  void end(std::uint32_t number);
  bool holds_sender(const Event& event) const;
  void parts_done(Token token, std::uint32_t parts);
  void next();
  RunScale scale() const;
  std::uint32_t first_message() const { return static_cast<std::uint32_t>(ranks_.size()); }

  const OrderStream& order_;
  const Pricing& pricing_;
  Cluster& cluster_;
  SharedFlows* const shared_;
  Agenda agenda_;
  std::optional<Traffic> traffic_;
  StreamWalk<Arrived> walk_;
  std::vector<Rank> ranks_;
  // By stage: where its last backward stands in its rank's sequence, if it is reduced and has one; whether
  // that has ended.
  std::vector<std::optional<std::uint64_t>> last_backward_;
  std::vector<bool> ended_;
  std::vector<RankId> awake_;
  std::vector<Message> messages_;  // under way, or free; by token, after the ranks
  std::vector<std::uint32_t> free_;
  std::vector<bool> reduced_;  // by reduction: begun
};

}  // namespace spillway
