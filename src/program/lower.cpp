#include "program/lower.h"

#include <map>
#include <utility>

#include "derive/paths.h"
#include "order/rank_lists.h"
#include "program/answered_sends.h"
#include "program/group_operation.h"
#include "program/numbered.h"

namespace spillway {
namespace {

ActionPass pass_of_event(EventKind kind) {
  switch (kind) {
    case EventKind::Forward:
      return ActionPass::Forward;
    case EventKind::Backward:
      return ActionPass::Backward;
    case EventKind::BackwardInput:
      return ActionPass::InputGradient;
    case EventKind::BackwardWeight:
      return ActionPass::WeightGradient;
    case EventKind::ForwardBackward:
      return ActionPass::Fused;
    default:
      throw ContractBreach("a computing event");
  }
}

bool carries_gradient(const Outline& outline, const Event& transfer) {
  return outline.stage(transfer.stage).layers.first > outline.stage(transfer.peer_stage).layers.first;
}

// The messages of each ordered pair of ranks, in the order in which the sender starts them: the order of
// their tags.
class Tags {
 public:
  Tags(const Order& order, const std::vector<std::vector<EventId>>& lists)
      : tags_(order.event_count()), posted_(order.rank_count()) {
    std::vector<std::map<RankId, std::uint32_t>> next(order.rank_count());
    for (std::uint32_t rank = 0; rank < lists.size(); ++rank)
      for (const EventId id : lists[rank]) {
        const Event& event = order.event(id);
        if (!event.transfers() || event.rank != RankId(rank)) continue;
        tags_[id.index()] = next[rank][event.peer_rank]++;
        in_order_[{event.rank, event.peer_rank}].push_back(id);
      }
  }

  std::uint32_t of(EventId id) const { return tags_[id.index()]; }

  // Returns the messages to post when the receiver's list reaches message `id`: those of its sender up to it
  // that are not posted yet.
  std::span<const EventId> due(const Event& event, EventId id) {
    std::uint32_t& posted = posted_[event.peer_rank.index()][event.rank];
    const std::uint32_t first = posted;
    posted = std::max(posted, of(id) + 1);
    return std::span(in_order_[{event.rank, event.peer_rank}]).subspan(first, posted - first);
  }

  // Begins the receives of another replica.
  void begin_again() { posted_.assign(posted_.size(), {}); }

 private:
  std::vector<std::uint32_t> tags_;
  std::map<std::pair<RankId, RankId>, std::vector<EventId>> in_order_;
  std::vector<std::map<RankId, std::uint32_t>> posted_;  // by receiver and sender
};

// Everything that the programs of all ranks are made from.
struct Lowered {
  const Derived& derived;
  const Pricing& pricing;
  const Prices& prices;
  std::vector<std::vector<EventId>> lists;  // by rank
  AnsweredSends answered;
  Paths paths;

  // The stage before `stage` on the microbatch's path.
  std::optional<StageId> before(StageId stage, MicrobatchId microbatch, bool backward) const {
    const Stage& at = derived.stage(stage);
    const auto path = [&](std::size_t region) {
      return backward ? paths.back(region, microbatch.index()) : paths.of(region, microbatch.index());
    };
    if (at.index > 0) return path(at.region.index())[at.index - 1];
    if (at.region.index() == 0) return {};
    return path(at.region.index() - 1).back();
  }
};

// The parts of a program that its ranks and replicas share.
class SharedParts {
 public:
  explicit SharedParts(const Derived& derived) : derived_(derived) {}

  std::uint32_t size(const MessageSize& size) { return sizes_.number(size); }

  // The group of a reduction or broadcast in one replica. A reduction's is the same in all.
  std::uint32_t group_of(EventId id, ReplicaId replica) {
    const Event& event = derived_.order.event(id);
    const ReplicaId own = event.kind == EventKind::Broadcast ? replica : ReplicaId(0);
    const auto [known, added] = of_event_.try_emplace({id, own}, 0);
    if (added) known->second = groups_.number(members_of(event, own));
    return known->second;
  }

  // The rank in the neighbouring replicas that compute together with this one.
  std::uint32_t joined(std::uint32_t replicas, ReplicaId replica, RankId rank) {
    std::vector<GroupMember> members;
    const std::uint32_t first = replica.index() / replicas * replicas;
    for (std::uint32_t i = 0; i < replicas; ++i) members.push_back({ReplicaId(first + i), rank});
    return groups_.number(std::move(members));
  }

  // Returns true if a reduction has one member, which has nothing to exchange.
  bool is_alone(const Event& reduction) const {
    return derived_.pipeline.replicas * ranks_of(reduction) == 1;
  }

  void move_into(Program& program) && {
    program.sizes = sizes_.all();
    program.groups = groups_.all();
  }

 private:
  std::uint32_t ranks_of(const Event& event) const {
    return event.group == Group::ReplicaGroup ? derived_.pipeline.ranks : event.holders();
  }

  std::vector<GroupMember> members_of(const Event& event, ReplicaId own) const {
    const bool broadcast = event.kind == EventKind::Broadcast, all = event.group == Group::ReplicaGroup;
    std::vector<GroupMember> members;
    for (std::uint32_t replica = 0; replica < (broadcast ? 1 : derived_.pipeline.replicas); ++replica)
      for (std::uint32_t i = 0; i < ranks_of(event); ++i)
        members.push_back({broadcast ? own : ReplicaId(replica), all ? RankId(i) : event.holder(i)});
    return members;
  }

  const Derived& derived_;
  Numbered<MessageSize> sizes_;
  Numbered<std::vector<GroupMember>> groups_;
  std::map<std::pair<EventId, ReplicaId>, std::uint32_t> of_event_;
};

// Writes the actions of one rank of one replica.
class RankLowering {
 public:
  RankLowering(const Lowered& all, Tags& tags, SharedParts& shared, ReplicaId replica, RankId rank)
      : all_(all), tags_(tags), shared_(shared), replica_(replica), rank_(rank) {}

  std::vector<RankAction> actions() && {
    for (const EventId id : all_.lists[rank_.index()]) lower(id, all_.derived.order.event(id));
    return std::move(actions_);
  }

 private:
  Seconds time(EventId id) const { return all_.prices.durations.at(id, replica_.index()); }

  void lower(EventId id, const Event& event) {
    if (event.transfers() && event.peer_rank == rank_) return post(id, event);
    wait_for_needs(id);
    switch (event.kind) {
      case EventKind::Collective:
        return pass_on(id, event);
      case EventKind::Loss:
        return add(LossAction{event.stage, event.microbatch});
      case EventKind::Broadcast:
        return start(id, BroadcastAction{shared_.group_of(id, replica_), event.stage, bytes(id), time(id)});
      case EventKind::DpReduce:
        return reduce(id, event);
      case EventKind::StepBarrier:
        return end(id);
      default:
        return compute(id, event);
    }
  }

  void add(RankAction action) { actions_.push_back(std::move(action)); }

  // Adds an action that goes on beside the others until the rank waits for it.
  void start(EventId id, RankAction action) {
    open_[id] = static_cast<std::uint32_t>(actions_.size());
    add(std::move(action));
  }

  // Returns true if the rank waits here; it waits once for each.
  bool wait_for(EventId id) {
    const auto open = open_.find(id);
    if (open == open_.end()) return false;
    add(Wait{open->second});
    open_.erase(open);
    return true;
  }

  // Waits for the messages and broadcasts that an event needs, and takes in what owners made.
  void wait_for_needs(EventId id) {
    for (const std::uint32_t before : all_.derived.order.predecessors(id)) {
      const Event& event = all_.derived.order.event(EventId(before));
      if (event.kind == EventKind::Broadcast) wait_for(EventId(before));
      if (event.kind != EventKind::Collective || event.peer_rank != rank_) continue;
      if (event.transfers() && !wait_for(EventId(before))) continue;
      if (event.comm == Comm::Gather && all_.derived.order.event(id).computes()) seam(event, true);
    }
  }

  void seam(const Event& event, bool gathers) {
    const bool backward = carries_gradient(all_.derived, event);
    const bool from_transposed =
        all_.derived.placement[all_.derived.stage(event.stage).region.index()].layout == Layout::Replicated;
    add(SeamAction{gathers, backward, from_transposed ? event.stage : event.peer_stage, event.microbatch});
  }

  void post(EventId id, const Event& event) {
    for (const EventId due : tags_.due(event, id))
      start(due, PostReceive{message(due, all_.derived.order.event(due), event.rank)});
  }

  void pass_on(EventId id, const Event& event) {
    if (event.comm == Comm::Scatter) seam(event, false);
    if (!event.transfers()) return;
    start(id, Send{message(id, event, event.peer_rank)});
    if (all_.derived.point_to_point == PointToPoint::Blocking) wait_for(id);
  }

  MessageAction message(EventId id, const Event& event, RankId peer) const {
    return {peer,
            tags_.of(id),
            event.stage,
            event.peer_stage,
            event.microbatch,
            carries_gradient(all_.derived, event),
            shared_.size(all_.pricing.message(event, replica_)),
            time(id)};
  }

  void compute(EventId id, const Event& event) {
    for (const EventId sent : all_.answered.by(id)) wait_for(sent);
    ComputeAction action{pass_of_event(event.kind), visit(event.stage, event.microbatch, event)};
    action.time = time(id);
    if (event.kind == EventKind::ForwardBackward)
      action.with = {event.peer_stage, event.peer_microbatch,
                     all_.before(event.peer_stage, event.peer_microbatch, true)};
    if (event.joined_replicas > 1) action.group = shared_.joined(event.joined_replicas, replica_, rank_);
    if (recomputes(event)) add(ComputeAction{ActionPass::Recompute, action.at});
    add(action);
  }

  ComputeAction::Visit visit(StageId stage, MicrobatchId microbatch, const Event& event) const {
    return {stage, microbatch, all_.before(stage, microbatch, !event.runs_forward())};
  }

  bool recomputes(const Event& event) const {
    const bool begins = event.kind == EventKind::Backward || event.kind == EventKind::BackwardInput;
    return begins && all_.derived.input.recomputed && all_.derived.is_input(event.stage);
  }

  // The update follows at the end of the step, since passes go on beside the reduction.
  void reduce(EventId id, const Event& event) {
    const Seconds update = all_.prices.update(event);
    const bool alone = shared_.is_alone(event);
    if (!alone)
      start(id, ReduceAction{shared_.group_of(id, replica_), event.stage, bytes(id), time(id) - update});
    updates_.emplace_back(id, UpdateAction{own_stage(event), alone ? time(id) : update});
  }

  // The stage that this rank holds of a reduction's copies.
  StageId own_stage(const Event& event) const {
    const Stage& one = all_.derived.stage(event.stage);
    for (std::uint32_t index = 0; index < all_.derived.stages.size(); ++index) {
      const Stage& stage = all_.derived.stages[index];
      const bool copy = stage.region == one.region && stage.layers == one.layers;
      if (copy && stage.rank == rank_) return StageId(index);
    }
    throw ContractBreach("a rank reduces a stage that it holds");
  }

  void end(EventId id) {
    for (const auto& [reduction, update] : updates_) {
      wait_for(reduction);
      add(update);
    }
    for (const auto& [message, action] : open_) add(Wait{action});
    add(BarrierAction{time(id)});
  }

  std::optional<Bytes> bytes(EventId id) const {
    const Bytes moved = all_.prices.payload.at(id, replica_.index());
    return moved > Bytes() ? std::optional(moved) : std::nullopt;
  }

  const Lowered& all_;
  Tags& tags_;
  SharedParts& shared_;
  ReplicaId replica_;
  RankId rank_;
  std::vector<RankAction> actions_;
  std::map<EventId, std::uint32_t> open_;                  // what was started and not waited for yet
  std::vector<std::pair<EventId, UpdateAction>> updates_;  // by reduction
};

std::vector<ProgramRegion> blocks_of(const Model& model) {
  std::vector<ProgramRegion> blocks;
  for (std::size_t i = 0; i < model.blocks().size(); ++i) {
    const Block& block = model.blocks()[i];
    const LayerRange layers = model.layers_of(i);
    blocks.push_back({block.name, block.role, layers.first, layers.end, block.trainable});
  }
  return blocks;
}

std::vector<ProgramStage> stages_of(const Outline& outline) {
  std::vector<ProgramStage> stages;
  for (const Stage& stage : outline.stages) {
    const Region& region = outline.regions[stage.region.index()];
    stages.push_back({region.name, stage.rank, stage.layers.first, stage.layers.end,
                      region.trainable && outline.trains(stage)});
  }
  return stages;
}

}  // namespace

std::vector<Violation> check_lower(const Outline& derived) {
  std::vector<Violation> violations;
  const auto refuse = [&](const char* found) {
    violations.push_back(
        {"", "/schedule", "a schedule of plain passes and messages, which a program holds", found});
  };
  if (!derived.modules.empty()) refuse("modules on dedicated devices");
  if (derived.regrouping.rule != Regrouping::Rule::AsDrawn || derived.regrouping.dealt_to > 0)
    refuse(
        "samples that are computed in another place than where they were drawn (encode-first keeps them if "
        "it has an \"owner\")");
  if (derived.inputs() > 1) refuse("several transposed towers, whose outputs one stage takes together");
  if (!derived.hidden.empty()) refuse("encodes inside the collectives of other passes");
  if (derived.input.prefetched) refuse("encodes for the next step");
  return violations;
}

Program lower(const Derived& derived, const Pricing& pricing, const Prices& prices) {
  Program program;
  program.ranks = derived.order.rank_count();
  program.microbatches = derived.pipeline.microbatches;
  program.replicas = derived.pipeline.replicas;
  program.blocking = derived.point_to_point == PointToPoint::Blocking;
  program.blocks = blocks_of(derived.model);
  program.stages = stages_of(derived);
  const Lowered all{derived,
                    pricing,
                    prices,
                    rank_lists(derived.order),
                    AnsweredSends(derived.order),
                    Paths(derived.stages, derived.placement, derived.pipeline.microbatches)};
  Tags tags(derived.order, all.lists);
  SharedParts shared(derived);
  std::uint64_t next_id = 0;
  for (std::uint32_t replica = 0; replica < program.replicas; ++replica, tags.begin_again())
    for (std::uint32_t rank = 0; rank < program.ranks; ++rank) {
      RankLowering lowering(all, tags, shared, ReplicaId(replica), RankId(rank));
      program.programs.push_back({ReplicaId(replica), RankId(rank), next_id, std::move(lowering).actions()});
      next_id += program.programs.back().actions.size();
    }
  std::move(shared).move_into(program);
  part_groups(program);
  return program;
}

}  // namespace spillway
