#include "draws/module_costs.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/error.h"
#include "cost/layers/conventions.h"
#include "cost/network/collectives.h"
#include "cost/seam_transfers.h"

namespace spillway {
namespace {

std::uint32_t copy_of(const ModulePlace& place, RankId rank) {
  return (rank.index() - place.first_rank) % place.copies;
}

RankId rank_of_copy(const ModulePlace& place, RankId rank) {
  return RankId((rank.index() - place.first_rank) / place.copies);
}

// Returns how many devices of a rank share what a block passes on. All of them share the tokens behind an
// encoder.
double sharers(const Parallelism& parallelism, bool of_images) {
  const bool all = of_images || parallelism.sequence_parallel;
  return all ? parallelism.members() : parallelism.context;
}

}  // namespace

Outline outline_of_module(const Outline& unit, std::size_t module) {
  const PlacedModule& own = unit.modules[module];
  const ModulePlace place = places_of(unit.modules, unit.pipeline)[module];
  Outline outline = unit;
  outline.pipeline = {own.ranks, unit.pipeline.microbatches / place.copies, own.replicas};
  outline.regrouping.dealt_to = own.replicas;
  outline.modules.clear();
  outline.stages.clear();
  for (const Stage& stage : unit.stages) {
    const bool here = module_of_layer(unit.modules, stage.layers.first) == module;
    if (!here || copy_of(place, stage.rank) != 0) continue;
    outline.stages.push_back(stage);
    outline.stages.back().rank = rank_of_copy(place, stage.rank);
  }
  return outline;
}

ModuleDevices devices_of_module(const Outline& unit, std::size_t module) {
  return {unit.modules[module].tensor, unit.modules[module].context,
          module_grids(unit.modules)[module].first};
}

AnalyticCosts costs_on(const ModuleDevices& devices, AnalyticCosts job) {
  job.parallelism.tensor = devices.tensor;
  job.parallelism.context = devices.context;
  job.first_device = devices.first;
  return job;
}

ModuleCosts::ModuleCosts(const Outline& unit, std::vector<PricedModule> modules)
    : unit_(unit),
      modules_(std::move(modules)),
      in_unit_(places_of(unit.modules, unit.pipeline)),
      devices_(unit.modules, unit.pipeline) {
  std::vector<std::uint32_t> next(in_unit_.size(), 0);  // by module: the stages so far, counting one copy
  for (const Stage& stage : unit.stages) {
    const std::size_t module = module_of_layer(unit.modules, stage.layers.first);
    const std::uint32_t copy = copy_of(in_unit_[module], stage.rank);
    if (copy == 0) ++next[module];
    places_.push_back({module, copy, StageId(next[module] - 1)});
  }
}

MicrobatchId ModuleCosts::microbatch(const Place& place, MicrobatchId of_unit) const {
  return MicrobatchId(of_unit.index() / in_unit_[place.module].copies);
}

ReplicaId ModuleCosts::replica(const Place& place, MicrobatchId of_unit, ReplicaId unit) const {
  const std::uint32_t copy = of_unit.index() % in_unit_[place.module].copies;
  return ReplicaId(unit.index() + unit_.pipeline.replicas * copy);
}

// Contract: both ends are of one module.
ModuleCosts::Local ModuleCosts::local(const Event& event, ReplicaId unit) const {
  const Place& own = place(event.stage);
  Event moved = event;
  moved.stage = own.stage;
  moved.peer_stage = place(event.peer_stage).stage;
  moved.rank = rank_of_copy(in_unit_[own.module], event.rank);
  moved.peer_rank = rank_of_copy(in_unit_[own.module], event.peer_rank);
  moved.microbatch = microbatch(own, event.microbatch);
  moved.peer_microbatch = microbatch(own, event.peer_microbatch);
  return {model(own), moved, replica(own, event.microbatch, unit)};
}

bool ModuleCosts::crosses(const Event& event) const {
  return event.kind == EventKind::Collective && place(event.stage).module != place(event.peer_stage).module;
}

Seconds ModuleCosts::pass(Pass pass, StageId stage, MicrobatchId of_unit, ReplicaId unit) const {
  const Place& own = place(stage);
  return model(own).pass(pass, own.stage, microbatch(own, of_unit), replica(own, of_unit, unit));
}

Seconds ModuleCosts::overlapped(const Event& event, ReplicaId unit) const {
  const Local own = local(event, unit);
  return own.model.overlapped(own.event, own.replica);
}

const StepEnd* ModuleCosts::step_end() const {
  const StepEnd* longest = nullptr;
  for (const PricedModule& module : modules_) {
    const StepEnd* own = module.model->step_end();
    if (own != nullptr && (longest == nullptr || own->total() > longest->total())) longest = own;
  }
  return longest;
}

bool ModuleCosts::uniform(const Event& event) const {
  if (crosses(event)) return false;
  const Local own = local(event, ReplicaId(0));
  return own.model.uniform(own.event);
}

// Returns the elements that the encoder ending with block `last` passes on, with those of towers beside it.
double ModuleCosts::features(const PricedModule& receiver, std::size_t last, ReplicaId replica,
                             MicrobatchId microbatch) const {
  double elements = 0;
  for (std::size_t i = 0; i <= last; ++i) {
    if (fed_block(unit_.model, i) <= last) continue;
    const SharedStack stack = receiver.costs.stacks->trained(receiver.costs.blocks[i].trained());
    elements += receiver.loads->media_tokens(stack->modality, replica, microbatch) * stack->output_width *
                (1 + stack->side_outputs);
  }
  return elements;
}

// Returns the bytes of a microbatch that each device of the receiver takes.
Bytes ModuleCosts::share(const Event& event, ReplicaId unit) const {
  const Place& to = place(event.peer_stage);
  const PricedModule& receiver = modules_[to.module];
  const BlockCosts& producer = receiver.costs.blocks[boundary_of(unit_, event).producer];
  const SharedStack stack = receiver.costs.stacks->trained(producer.trained());
  const bool images = stack->unit == LoadUnit::Patch;
  const MicrobatchId own = microbatch(to, event.microbatch);
  const ReplicaId there = replica(to, event.microbatch, unit);
  const double elements = images ? features(receiver, boundary_of(unit_, event).producer, there, own)
                                 : receiver.loads->tokens(there, own).sequence * stack->width;
  return kElement * elements / sharers(receiver.costs.parallelism, images);
}

Bytes ModuleCosts::received(const Event& event, ReplicaId unit) const {
  if (crosses(event)) return share(event, unit);
  const Local own = local(event, unit);
  return own.model.received(own.event, own.replica);
}

// Returns the time of the slowest flow. A flow takes as long as it does alone, or its latency plus the time
// of its bytes on its share of a port.
Transfer ModuleCosts::seam(const Event& event, ReplicaId unit) const {
  const Platform& platform = modules_.front().costs.platform;
  const std::uint32_t from = devices_.members(event.rank), to = devices_.members(event.peer_rank);
  const std::uint32_t flows = flows_between(devices_, event.rank, event.peer_rank);
  const std::uint32_t on_a_port = flows / std::min(from, to);
  const Bytes each = share(event, unit) * (static_cast<double>(to) / flows);
  Seconds slowest;
  for (std::uint32_t i = 0; i < flows; ++i) {
    const DeviceId a = devices_.device(event.rank, unit, i * from / flows),
                   b = devices_.device(event.peer_rank, unit, i * to / flows);
    const CollectiveTime message = point_to_point(platform, a, b);
    slowest = std::max(slowest, message(each).time);
    if (on_a_port > 1)
      slowest = std::max(slowest, message(Bytes()).time + each / share_of_port(platform, a, b, on_a_port));
  }
  return {slowest + on_host(modules_.front().costs.framework.message.value, platform.accelerator), each};
}

Transfer ModuleCosts::transfer(const Event& event, ReplicaId unit) const {
  if (crosses(event)) return seam(event, unit);
  const Local own = local(event, unit);
  return own.model.transfer(own.event, own.replica);
}

ModelState ModuleCosts::model_state(StageId stage) const {
  return model(place(stage)).model_state(place(stage).stage);
}

Held ModuleCosts::held(StageId stage, MicrobatchId of_unit, ReplicaId unit) const {
  const Place& own = place(stage);
  return model(own).held(own.stage, microbatch(own, of_unit), replica(own, of_unit, unit));
}

bool ModuleCosts::holds_alike(StageId stage) const {
  return model(place(stage)).holds_alike(place(stage).stage);
}

Bytes ModuleCosts::workspace(RankId rank) const {
  const std::size_t module = module_of_rank(in_unit_, rank);
  return modules_[module].model->workspace(rank_of_copy(in_unit_[module], rank));
}

std::vector<SlabCollective> ModuleCosts::collectives(const Event& event, ReplicaId unit) const {
  if (crosses(event)) return {};
  const Local own = local(event, unit);
  return own.model.collectives(own.event, own.replica);
}

InsidePass ModuleCosts::inside(const Event& event, ReplicaId unit) const {
  if (!event.computes()) return {};
  const Local own = local(event, unit);
  return own.model.inside(own.event, own.replica);
}

// Lists the operators of a module from an order that has the events of one of its replicas. The module's
// model multiplies them by its replicas.
std::vector<PricedOperator> ModuleCosts::priced_operators(const Order& order) const {
  std::vector<PricedOperator> all;
  for (std::size_t module = 0; module < modules_.size(); ++module) {
    OrderBuilder builder(modules_[module].outline->pipeline.ranks);
    for (const Event& event : order.events()) {
      if (!event.computes()) continue;
      const Place& own = place(event.stage);
      if (own.module == module && own.copy == 0) builder.add(local(event, ReplicaId(0)).event);
    }
    const auto built = std::move(builder).build();
    const auto more = modules_[module].model->priced_operators(std::get<Order>(built));
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace spillway
