// The engines: whatever says how long a priced step takes. All have one shape, a row of the list in
// engines.cpp; results, reports and the command line go by that list, so that another engine is another name
// here and another row there.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "sim/replay.h"
#include "timing/timeline.h"

namespace spillway {

struct PreparedOrder;  // optimize/prepared_order.h
struct PricedDraw;     // evaluate/priced_draw.h

enum class Engine : std::uint8_t { LongestPath, MaxPlus, SimGrid };
inline constexpr std::size_t kEngines = 3;

template <class Value>
struct ByEngine {
  std::array<Value, kEngines> values = {};

  Value& operator[](Engine engine) { return values[static_cast<std::size_t>(engine)]; }
  const Value& operator[](Engine engine) const { return values[static_cast<std::size_t>(engine)]; }
};

class EngineSet {
 public:
  constexpr EngineSet(std::initializer_list<Engine> engines) {
    for (const Engine engine : engines) add(engine);
  }
  constexpr void add(Engine engine) { bits_ |= bit(engine); }
  constexpr bool has(Engine engine) const { return (bits_ & bit(engine)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }

 private:
  static constexpr unsigned bit(Engine engine) { return 1U << static_cast<unsigned>(engine); }
  unsigned bits_ = 0;
};

// What of an experiment to run.
struct Engines {
  EngineSet run = {Engine::LongestPath, Engine::SimGrid};
  bool references = false;  // also the balanced pipelines that stand beside what is transposed
  bool intervals = false;   // also how long each step may be (step_interval.h)
  // Nothing but makespans, figures of steps and warnings, so that large orders need not be held.
  bool figures_only = false;
};

struct EngineAnswer {
  Seconds makespan;
  std::optional<Timeline> timeline;  // of an engine that replays
};

// Times draws of one experiment, one at a time.
using RunEngine = std::function<EngineAnswer(const PreparedOrder&, const PricedDraw&)>;
// The same of an order of one replica that is streamed.
using RunStream = std::function<StreamedReplay(const OrderStream&, const Pricing&)>;

struct EngineRuns {
  RunEngine held;
  RunStream streamed = {};  // of an engine that replays streams
};

struct EngineEntry {
  Engine engine;
  const char* name;     // on the command line
  const char* heading;  // of its makespans in a table
  const char* key;      // of its makespans in JSON
  const char* called;   // in a sentence
  // On links that are shared: its timeline stands before the longest path's, its host time is told.
  bool replays;
  bool streams;                               // or does it want whole orders?
  double (*bytes)(const Experiment& folded);  // that it holds beside timelines
  EngineRuns (*start)(const Experiment& folded);
};

const std::array<EngineEntry, kEngines>& engine_list();

struct StartedEngine {
  Engine engine;
  EngineRuns run;
};
// In the order of the list.
std::vector<StartedEngine> start(EngineSet engines, const Experiment& folded);

EngineSet all_engines();

// "longest-path,simgrid"; `last` stands before the last one.
std::string names_of(EngineSet engines, const std::string& between = ",", const std::string& last = ",");

// Does one of them replay?
bool replays(EngineSet engines);

}  // namespace spillway
