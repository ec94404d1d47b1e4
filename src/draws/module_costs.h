// Costs of a job of modules (derive/modules.h). Each module is priced as a job of its own, with its
// parallelism and on its devices. Transfers between two modules are priced here.
//
//   unit: microbatch i, copy c, unit u       module: microbatch i / copies, replica u + units x c
//
// The receiver's devices share a microbatch's tokens as its own stages do. A message is cut where the shares
// of either side end. For example, with 2 devices before the seam and 8 behind it, every sender has 4 of 8
// flows on its port, and the message waits for these ports.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cost/analytic_costs.h"
#include "cost/cost_model.h"
#include "cost/network/rank_devices.h"
#include "derive/derive.h"

namespace spillway {

// Returns the job of one module: its ranks, its replicas, and the stages of one copy.
Outline outline_of_module(const Outline& unit, std::size_t module);

// The devices of a module, and its parallelism. All else in its costs is the job's.
struct ModuleDevices {
  std::uint32_t tensor;
  std::uint32_t context;
  std::uint32_t first;  // the first device

  friend auto operator<=>(const ModuleDevices&, const ModuleDevices&) = default;
};
ModuleDevices devices_of_module(const Outline& unit, std::size_t module);
AnalyticCosts costs_on(const ModuleDevices& devices, AnalyticCosts job);

struct PricedModule {
  std::unique_ptr<Outline> outline;
  AnalyticCosts costs;
  std::shared_ptr<const DrawLoads> loads;
  std::unique_ptr<CostModel> model;  // views `outline`
};

class ModuleCosts final : public CostModel {
 public:
  // Views `unit`. Contract: one entry for each of its modules.
  ModuleCosts(const Outline& unit, std::vector<PricedModule> modules);

  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  Seconds overlapped(const Event& event, ReplicaId replica) const override;
  Transfer transfer(const Event& event, ReplicaId replica) const override;
  const StepEnd* step_end() const override;  // of the module that takes longest
  bool uniform(const Event& event) const override;

  ModelState model_state(StageId stage) const override;
  Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  bool holds_alike(StageId stage) const override;
  Bytes received(const Event& event, ReplicaId replica) const override;
  Bytes workspace(RankId rank) const override;

  std::vector<SlabCollective> collectives(const Event& event, ReplicaId replica) const override;
  InsidePass inside(const Event& event, ReplicaId replica) const override;
  std::vector<PricedOperator> priced_operators(const Order& order) const override;

 private:
  struct Place {
    std::size_t module;
    std::uint32_t copy;
    StageId stage;  // of the module's outline
  };
  // An event and its replica, as the module numbers them.
  struct Local {
    const CostModel& model;
    Event event;
    ReplicaId replica;
  };
  Local local(const Event& event, ReplicaId replica) const;
  const Place& place(StageId stage) const { return places_[stage.index()]; }
  MicrobatchId microbatch(const Place& place, MicrobatchId of_unit) const;
  // Returns the replica that the microbatch was dealt to. If microbatches are reordered, the devices of
  // another replica may take it.
  ReplicaId replica(const Place& place, MicrobatchId of_unit, ReplicaId unit) const;
  const CostModel& model(const Place& place) const { return *modules_[place.module].model; }

  bool crosses(const Event& event) const;
  Bytes share(const Event& event, ReplicaId unit) const;
  double features(const PricedModule& receiver, std::size_t last, ReplicaId replica,
                  MicrobatchId microbatch) const;
  Transfer seam(const Event& event, ReplicaId unit) const;

  const Outline& unit_;
  std::vector<PricedModule> modules_;
  std::vector<ModulePlace> in_unit_;
  RankDevices devices_;
  std::vector<Place> places_;  // by stage of the unit
};

}  // namespace spillway
