// One replay of a streamed order (derive/order_stream.h) with one replica. It keeps only the live events. So
// memory grows with the ranks and the messages between them, not with the order.
//
// A rank begins the next event of its own sequence when the previous one has ended and all inputs have
// arrived. A transfer begins when the event that sends it ends. If transfers block, it begins when the
// previous transfer has ended. A reduction begins when the last backward that it waits for has ended. Tests:
// tests/sim/streamed_replay_test.cpp, against the order that is held.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cost/price.h"
#include "derive/order_stream.h"
#include "sim/cluster.h"
#include "sim/flows/agenda.h"
#include "sim/replay.h"
#include "sim/shared_flows.h"
#include "sim/traffic.h"
#include "timing/stream_walk.h"

namespace spillway {

class StreamedExecution {
 public:
  // Keeps references to all arguments and serves one run. `shared` is null if the cluster is ideal. Contract:
  // the order's pipeline has one replica.
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
    std::optional<Event> running = {};  // the computing event
    std::uint32_t sending = 0;          // transfers that it waits for
    std::vector<Sent> to_send = {};     // the next transfers, if the first has not ended
    bool awake = false;
    bool begun = false;
    StreamedReplay::Computing spans = {};
  };
  // An arrived input is available from now on, so no date has to be kept.
  struct Arrived {
    friend Arrived later(Arrived, Arrived) { return {}; }
  };
  // A running transfer or reduction.
  struct Message {
    Event event;
    std::optional<Way> way;  // none for a reduction
    Transfer priced;
    std::uint32_t parts;  // parts that have not ended
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
  void parts_done(ActivityToken token, std::uint32_t parts);
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
  // By stage: the position of its last backward in its rank's sequence, if the stage is reduced and has one;
  // and whether that backward has ended.
  std::vector<std::optional<std::uint64_t>> last_backward_;
  std::vector<bool> ended_;
  std::vector<RankId> awake_;
  std::vector<Message> messages_;  // running or free; by token, after the ranks
  std::vector<std::uint32_t> free_;
};

}  // namespace spillway
