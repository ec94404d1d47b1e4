// The columns of a sweep's results, with their meanings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "sweep/grid/heading.h"
#include "timing/step_figures.h"

namespace spillway {

// The figures of a row, in the order of their columns. They stand between "schedule" and "fits". Of the
// figures of a step that sweeps keep (kKeptFigures), the first is BubbleFraction. Further ones have no name
// here; their columns follow the named ones.
enum class SweepFigure : std::uint8_t {
  MakespanMean,
  MakespanP50,
  MakespanInterval,
  SpeedupMean,
  BubbleFraction,
  MaxSpill,
  MakespanP5,
  MakespanP95,
  MakespanP99,
  SpeedupInterval,
  DifferenceMean,
  DifferenceInterval,
  ExposedEncoder,
  EncoderToBubble,
  SimGrid,
  Contention,
  Mfu,
  TokensPerSecond,
  UsdPerStep,
  Devices,
  PeakMemory,
  UsefulTokensPerSecond,
  Fill,
  UsdPerUsefulTokens
};
inline constexpr std::size_t kNamedFigures = static_cast<std::size_t>(SweepFigure::UsdPerUsefulTokens) + 1;
inline constexpr std::size_t kSweepFigures = kNamedFigures + kKeptFigures.size() - 1;

struct FigureColumn {
  const char* name;
  const char* unit;  // "" for pure numbers
  const char* meaning;
  const char* label;                           // on a picture
  std::optional<SweepFigure> interval = {};    // the figure that is half of this one's 95 % interval
  std::optional<double> of_the_baseline = {};  // the baseline's value, if it is always the same
};
const FigureColumn& figure_column(SweepFigure figure);

// Returns the figure whose column has this name.
std::optional<SweepFigure> sweep_figure(const std::string& column);
const std::array<SweepFigure, kSweepFigures>& all_sweep_figures();

struct SweepColumn {
  std::string name;
  std::string unit;
  std::string meaning;
};

// All columns in order: the axes by their pointers, "schedule", the figures, "fits", "evidence_weakest",
// "unranked_reason", "refusal".
std::vector<SweepColumn> sweep_columns(const SweepHeading& heading);

// Writes name,unit,meaning with a line for each column.
void write_sweep_dictionary(std::ostream& out, const SweepHeading& heading);

}  // namespace spillway
