// The columns of a sweep's results, and the dictionary that explains them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "sweep/grid/heading.h"

namespace spillway {

// The figures of a row, in the order of their columns; they stand between "schedule" and "fits".
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
inline constexpr std::size_t kSweepFigures = static_cast<std::size_t>(SweepFigure::UsdPerUsefulTokens) + 1;

struct FigureColumn {
  const char* name;
  const char* unit;  // "" of pure numbers
  const char* meaning;
  const char* label;                           // on a picture
  std::optional<SweepFigure> interval = {};    // half of the 95 % interval of this figure
  std::optional<double> of_the_baseline = {};  // what the baseline always has
};
const FigureColumn& figure_column(SweepFigure figure);

// The figure whose column has this name.
std::optional<SweepFigure> sweep_figure(const std::string& column);
const std::array<SweepFigure, kSweepFigures>& all_sweep_figures();

struct SweepColumn {
  std::string name;
  std::string unit;
  std::string meaning;
};

// All of them, in order: the axes by their pointers, "schedule", the figures, "fits", "evidence_weakest",
// "unranked_reason", "refusal".
std::vector<SweepColumn> sweep_columns(const SweepHeading& heading);

// name,unit,meaning, a line for each column.
void write_sweep_dictionary(std::ostream& out, const SweepHeading& heading);

}  // namespace spillway
