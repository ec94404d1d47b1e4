// The engines, which compute the time of a priced step. Each is a row of the list in engines.cpp. Results,
// reports and the command line follow that list, so a new engine is a name here and a row there.
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

// The parts of an evaluation to run.
struct Engines {
  EngineSet run = {Engine::LongestPath, Engine::SimGrid};
  bool references = false;      // also run the balanced references of transposed schedules and systems
  bool intervals = false;       // also compute the interval of each step (step_interval.h)
  bool interval_parts = false;  // and what the interval of the headline's schedule rests on
  // Only makespans, figures of steps and warnings are wanted, so large orders need not be held.
  bool figures_only = false;
};

struct EngineAnswer {
  Seconds makespan;
  std::optional<Timeline> timeline;  // of an engine that replays
};

// Times the draws of one experiment, one at a time.
using RunEngine = std::function<EngineAnswer(const PreparedOrder&, const PricedDraw&)>;
// Does the same for a streamed order of one replica.
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
  const char* called;   // its name in a sentence
  // Replays on shared links. Its timeline is used in place of the longest path's, and its host time is
  // reported.
  bool replays;
  bool streams;                               // can run streams; else it needs whole orders
  double (*bytes)(const Experiment& folded);  // bytes that it holds besides timelines
  EngineRuns (*start)(const Experiment& folded);
};

const std::array<EngineEntry, kEngines>& engine_list();

struct StartedEngine {
  Engine engine;
  EngineRuns run;
};
// Starts engines in the order of the list.
std::vector<StartedEngine> start(EngineSet engines, const Experiment& folded);

EngineSet all_engines();

// Returns, for example, "longest-path,simgrid". `last` goes before the last name.
std::string names_of(EngineSet engines, const std::string& between = ",", const std::string& last = ",");

// Returns true if one of them replays.
bool replays(EngineSet engines);

}  // namespace spillway
