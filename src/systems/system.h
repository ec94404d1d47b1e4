// Training systems by name: each lays one schedule over a model and a pipeline, as its authors would.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "experiment/experiment.h"

namespace spillway {

// What an experiment may say beside a system's name; System::options says which of it a system takes.
struct SystemOptions {
  Schedule body = {{SkeletonKind::OneFOneB}};  // the pipelined regions
  std::optional<StageSplit> split = {};
  std::optional<OwnerPolicy> owner = {};
  std::optional<bool> owner_from_draw = {};
  std::optional<MicrobatchOrder> order = {};
  std::uint32_t microbatch_group = 0;
  std::uint32_t encoder_ranks = 0;                      // 0: as many as are best
  std::optional<std::uint32_t> transposed_layers = {};  // the model's first ones; else its encoder
  std::vector<std::uint32_t> segments = {};  // of each module; {1}: one for all; empty: by its rule
  std::uint32_t sub_microbatches = 0;        // 0: by its rule
  std::vector<PlacedModule> modules = {};    // on devices of their own; none: as the system lays them out
  bool solve_modules = false;                // those devices are solved for
  std::uint32_t macro_batch = 0;             // microbatches that a rank encodes at once; 0: all of its own
  bool balance_samples = false;              // dealt out among replicas and microbatches
  bool prefetch = false;                     // of a frozen encoder's outputs
  std::uint32_t group_replicas = 0;          // neighbouring replicas that samples move among; 0: all
  bool owner_backward = false;               // of transposed layers; else the first rank computes them again
  bool min_ownership = false;  // one microbatch of the transposed layers on each rank, the rest on the first
  // The terms (experiment.h), which every system takes; absent: as the system's authors have them.
  std::optional<bool> moves_samples = {};
  std::optional<bool> knows_draw = {};
  std::uint32_t chunks = 0;  // of segments; of a body its regions are as many

  // Has it an order that is made from a draw's sizes?
  bool orders_by_sizes() const {
    return order.value_or(MicrobatchOrder::AsSampled) != MicrobatchOrder::AsSampled;
  }
  // Is the plan made from each draw's own sizes, if a system's authors do (not) have it so?
  bool plans_each_draw(bool published) const {
    return owner_from_draw.value_or(knows_draw.value_or(published));
  }

  friend bool operator==(const SystemOptions&, const SystemOptions&) = default;
};

// Interleaved 1F1B of so many virtual stages a rank.
Schedule interleaved_body(std::uint32_t chunks);

// Keys of every system.
inline constexpr std::array<std::string_view, 3> kTermKeys{"moves_samples", "knows_draw", "chunks"};

struct SystemJob {
  const Model& model;
  const Pipeline& pipeline;
  bool drawn = true;  // are images drawn, so that there are samples of other sizes in each step?
  // What a microbatch takes of each module, forward and backward, and in how many parts it passes the encoder
  // efficiently; empty where that is not known yet, and the layout is made again when it is.
  std::span<const Seconds> module_times = {};
  std::uint32_t efficient_parts = 1;
};

// The schedule without its name and its system's, with the assumptions that it rests on; or why there is
// none, pointers as in an experiment's schedule.
using LaidOut = std::variant<ScheduleSpec, std::vector<Violation>>;

struct System {
  std::string_view name;
  std::vector<std::string_view> options;  // keys of an experiment's schedule, but for kTermKeys
  LaidOut (*layout)(const SystemJob&, const SystemOptions&);
  bool has_generator;  // do its authors say what becomes of one behind the backbone?
  // Why no bound of its steps is proved, without which plan does not take it; empty where one is.
  std::string_view unbounded = {};
  // As its authors have it.
  bool moves_samples = false, knows_draw = false;
  // Is there anything in its layout that a draw's sizes can decide, samples that move left out?
  bool plans_by_sizes = false;
  // Why it is played but not ranked; empty where it is.
  std::string_view unranked = {};

  // Or why not: what it lays out, of models that it is for.
  LaidOut lay(const SystemJob& job, const SystemOptions& chosen) const;
};

// In the order in which messages list them.
std::span<const System> systems();

}  // namespace spillway
