// Training systems by name: each lays one schedule over a model and a pipeline, as its authors do.
#pragma once

#include <algorithm>
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

// A key of an experiment's schedule that a system takes. A flag is true or false, and false if it is not
// stated. Other keys have a reader and a member of SystemOptions (input/experiment/system_choice.cpp).
struct OptionKey {
  constexpr OptionKey(const char* text) : key(text) {}
  static constexpr OptionKey flag(const char* text) {
    OptionKey one(text);
    one.is_flag = true;
    return one;
  }
  constexpr operator std::string_view() const { return key; }

  std::string_view key;
  bool is_flag = false;
};

// The options that an experiment may state beside a system's name. System::options lists those that a system
// takes.
struct SystemOptions {
  Schedule body = {{SkeletonKind::OneFOneB}};  // the pipelined regions
  std::optional<StageSplit> split = {};
  std::optional<OwnerPolicy> owner = {};
  std::optional<bool> owner_from_draw = {};
  std::optional<MicrobatchOrder> order = {};
  std::uint32_t microbatch_group = 0;
  std::uint32_t encoder_ranks = 0;                      // 0: the best number
  std::optional<std::uint32_t> transposed_layers = {};  // the model's first layers; absent: its encoder
  std::vector<std::uint32_t> segments = {};  // per module; {1}: one for all; empty: by the system's rule
  std::uint32_t sub_microbatches = 0;        // 0: by the system's rule
  std::vector<PlacedModule> modules = {};    // on dedicated devices; none: as the system lays them out
  bool solve_modules = false;                // the devices of modules are solved for
  std::uint32_t macro_batch = 0;             // microbatches that a rank encodes at once; 0: all its own
  bool balance_samples = false;              // samples are reassigned among replicas and microbatches
  std::uint32_t group_replicas = 0;          // neighbouring replicas among which samples move; 0: all
  bool min_ownership = false;  // one microbatch of the transposed layers on each rank, the rest on the first
  // The terms (experiment.h), which every system takes; absent: as the system's authors do.
  std::optional<bool> moves_samples = {};
  std::optional<bool> knows_draw = {};
  std::uint32_t chunks = 0;                  // number of segments, and of the body's regions
  std::vector<std::string_view> flags = {};  // keys of the flags that are true

  bool has(const OptionKey& flag) const { return std::ranges::find(flags, flag.key) != flags.end(); }

  // Returns true if the order uses a draw's sizes.
  bool orders_by_sizes() const {
    return order.value_or(MicrobatchOrder::AsSampled) != MicrobatchOrder::AsSampled;
  }
  // Returns true if the plan uses each draw's own sizes. `published` says what the system's authors do.
  bool plans_each_draw(bool published) const {
    return owner_from_draw.value_or(knows_draw.value_or(published));
  }

  friend bool operator==(const SystemOptions&, const SystemOptions&) = default;
};

// Interleaved 1F1B with that many virtual pipeline stages per rank.
Schedule interleaved_body(std::uint32_t chunks);

// The keys that every system takes.
inline constexpr std::array<std::string_view, 3> kTermKeys{"moves_samples", "knows_draw", "chunks"};

struct SystemJob {
  const Model& model;
  const Pipeline& pipeline;
  bool drawn = true;  // whether images are drawn, so that sizes differ between steps
  // The forward plus backward time of a microbatch in each module, and the number of parts in which it passes
  // the encoder efficiently. Empty if not known yet; the layout is then made again when it is.
  std::span<const Seconds> module_times = {};
  std::uint32_t efficient_parts = 1;
};

// The schedule without its own name and its system's, with the assumptions that it rests on; or the reasons
// why there is none. Pointers are those of an experiment's schedule.
using LaidOut = std::variant<ScheduleSpec, std::vector<Violation>>;

// A new system is a file that defines its record; no other file names it. CMake lists the records that it
// finds in this folder as kEverySystem (system_list.h).
struct System {
  std::string_view name;
  std::vector<OptionKey> options;  // besides kTermKeys
  LaidOut (*layout)(const SystemJob&, const SystemOptions&);
  bool has_generator;  // whether its authors describe a generator after the backbone
  // Why no bound on its steps is proved; `plan` then does not take it. Empty if there is a bound.
  std::string_view unbounded = {};
  // The terms of its authors.
  bool moves_samples = false, knows_draw = false;
  // Whether a draw's sizes can change its layout otherwise than by moving samples.
  bool plans_by_sizes = false;
  // Why it is simulated but not ranked; empty if it is ranked.
  std::string_view unranked = {};
  // Whether it only lays the body over the whole model, as other systems are compared with.
  bool is_baseline = false;

  // Returns its layout, or violations if it does not take such models.
  LaidOut lay(const SystemJob& job, const SystemOptions& chosen) const;
};

// All systems, in the order in which messages list them: baselines first. Not for initializers of globals.
std::span<const System> systems();

}  // namespace spillway
