// The stages of torch.distributed.pipelining in a derived schedule: 0, 1, 2, ... along the model. A stage is
// on one rank, and every microbatch passes all stages, forwards in the order 0, 1, 2, ... in each. Stages of
// pipelined regions are such stages. A transposed region is one (one for each piece of it) if one rank
// computes all of it; otherwise it is left out. The second copy of a bidirectional region gets numbers behind
// the first, although PyTorch has no such stages.
//
// Source: PyTorch 2.6, torch/distributed/pipelining: schedules.py (_validate_schedule, _add_send_recv,
// _PipelineScheduleRuntime, whose losses are in the order of forwards) and stage.py
// (stage_index_to_group_rank; get_fwd_send_ops, whose outputs are in the order of forwards). Tests:
// tests/report/torch_lists_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "derive/derive.h"

namespace spillway {

// The reason why a transposed region is no stage.
enum class NoStage : std::uint8_t {
  SeveralRanks,
  BesideAnother,  // a tower beside others, which reads nothing of theirs
  OutOfOrder,
  OtherSamples,
  NextStep,
  InsidePasses
};

// One stage, by its number.
struct TorchStage {
  RankId rank;
  std::uint32_t layers = 0;
  bool in_order = true;      // its forwards run in the order 0, 1, 2, ...
  bool backward = false;     // gradients pass it
  bool weight_half = false;  // some of its backwards are split
};

struct TorchStages {
  std::vector<std::optional<std::uint32_t>> numbers;  // by StageId; nothing if it is left out
  std::vector<TorchStage> stages;
  std::vector<std::optional<NoStage>> left_out;  // by region; nothing for a region that is in the lists
  bool copies = false;                           // a region has two copies

  // Returns true if some stages run no backward. PyTorch then reads only lists that have the transfers, too.
  bool need_transfers() const;
};

TorchStages torch_stages(const Derived& derived);

}  // namespace spillway
