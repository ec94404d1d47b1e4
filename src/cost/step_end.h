// The end of a step, part by part, after gradients are reduced. The rank that takes longest counts, because
// its devices hold up the next step. Counted from bytes, collectives and waits:
//   averaged   every gradient read and written before its reduction, unless the collective averages
//   checked    every gradient read again as often as the framework checks it
//   norm       a device's share of the gradients read
//   met        the norm summed over all devices, and a launch after the host has read it; each time
//   clipped    the share read and written, in the steps that scale it
//   updated    its gradients, master copy and moments read, and the latter two written
//   made_orthogonal  by Muon, the momentum of matrices (orthogonalization.h)
//   copied     gradients that were added up in BF16 read and written in FP32, the master copy read and BF16
//              parameters written
//   tensors    the host's time for each tensor of parameters that the device updates
//   returned   updated parameters gathered or broadcast, beyond what the next forwards hide
//   loss       the loss summed over the last stage's copies, and read by the host; each time
//   zeroed     every gradient written
//   slowed     what passes take longer beside hidden reductions and gathers, as beside other collectives
//              (slowdown_under_communication); it is in the passes, and counted here
//   between    the framework's time between steps
// Source: Megatron-LM @d98e8a64, megatron/core/distributed/param_and_grad_buffer.py (start_grad_sync, reset),
// megatron/core/optimizer/clip_grads.py and optimizer.py (step), megatron/training/training.py (train_step).
// Only for a framework that states how a step ends (Framework::reductions). Tests:
// tests/cost/step_end_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"

namespace spillway {

struct AnalyticCosts;
struct Cover;
struct ModelState;
struct Outline;
struct StageSlabs;
struct Transfer;

struct StepEnd {
  RankId rank = {};  // of these times
  Seconds averaged, checked, norm, met, clipped, updated, made_orthogonal, copied, tensors, returned, loss,
      zeroed, slowed, between;
  Seconds hidden_return;   // of the parameters, beside `returned`: no part of the step's end
  Seconds reduced;         // all reductions of the rank's gradients, hidden or not: no part either
  Seconds hidden_reduced;  // the part of `reduced` that runs beside passes of the rank

  Seconds total() const;
  friend bool operator==(const StepEnd&, const StepEnd&) = default;
};

struct StepEndPart {
  const char* key;
  const char* name;
  Seconds StepEnd::*time;
};
// In the order in which a step runs them.
inline constexpr std::array<StepEndPart, 14> kStepEndParts = {
    {{"averaged", "average gradients", &StepEnd::averaged},
     {"checked", "check gradients", &StepEnd::checked},
     {"norm", "norm of gradients", &StepEnd::norm},
     {"met", "sum norms over all devices", &StepEnd::met},
     {"clipped", "clip gradients", &StepEnd::clipped},
     {"updated", "update", &StepEnd::updated},
     {"made_orthogonal", "Newton-Schulz steps", &StepEnd::made_orthogonal},
     {"copied", "copy to parameters", &StepEnd::copied},
     {"tensors", "host per tensor", &StepEnd::tensors},
     {"returned", "return parameters", &StepEnd::returned},
     {"loss", "sum losses", &StepEnd::loss},
     {"zeroed", "zero gradients", &StepEnd::zeroed},
     {"slowed", "passes slowed by these", &StepEnd::slowed},
     {"between", "host between steps", &StepEnd::between}}};

// The parts of a rank's optimizer, from reduced gradients to new parameters, without messages. A measured
// optimizer takes their place.
inline constexpr std::array kOptimizerParts = {
    &StepEnd::checked,         &StepEnd::norm,   &StepEnd::clipped, &StepEnd::updated,
    &StepEnd::made_orthogonal, &StepEnd::copied, &StepEnd::tensors};

// By stage: the time of its optimizer, alone on a rank: these parts, or update_of_stage() (reduction.h) where
// the framework states no end of a step. 0 for stages that train nothing. `states` are by stage.
std::vector<Seconds> optimizer_times(const AnalyticCosts& costs, const Outline& outline,
                                     const StageSlabs& stages, const std::vector<ModelState>& states);

// `states`, `reductions` (the part that nothing in its own stage's backward hides) and `covers` are by stage,
// and so are `factors` of their optimizers; empty multiplies none. A rank's factor is the mean of its
// stages', by their optimizers' times. Contract: the framework states how a step ends.
StepEnd step_end(const AnalyticCosts& costs, const Outline& outline, const StageSlabs& stages,
                 const std::vector<ModelState>& states, const std::vector<Transfer>& reductions,
                 const std::vector<Cover>& covers, const std::vector<double>& factors = {});

}  // namespace spillway
