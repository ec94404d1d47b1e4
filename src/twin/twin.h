// A twin of a job: its measured passes, what they cover, and what its evaluation takes from elsewhere.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "draws/measured_layers.h"
#include "evaluate/evaluation.h"
#include "experiment/experiment.h"

namespace spillway {

// The measurements of one pass, in words.
struct MeasuredLine {
  std::string stage;    // "vit+llm:0-4"
  std::string content;  // "2x4096 tokens, 784 patches"
  MeasuredGroup group;
};

struct UpdateLine {
  std::string stage;
  UpdateGroup group;
};

// How one pass over one kind of layer is known.
struct CoveredLayer {
  std::string layers;  // "llm:1-7": the first and the last of the kind
  std::uint32_t count;
  Pass pass;
  bool over_patches;
  LayerFit fit;  // not measured: the roofline's
};

struct TwinAccount {
  std::vector<MeasuredLine> lines;
  std::vector<UpdateLine> updates;       // measured optimizers
  std::vector<CoveredLayer> layers;      // every kind and direction that the model computes
  std::array<double, 4> deviations;      // by Pass: of the fits
  double spread = 0;                     // of repeats about their means
  std::vector<std::string> doubts = {};  // warn/measured_doubts.h
  std::vector<std::string> notes = {};   // what was inferred from files, and how passes are extrapolated
};

// Contract: the experiment has a platform and measured passes.
TwinAccount twin_account(const Experiment& experiment);

// The shares of the passes' time that rest on measured passes, on extrapolated ones and on anything else.
struct MeasuredShares {
  double measured, extrapolated, other;
};
std::optional<MeasuredShares> measured_shares(const ScheduleResult& schedule);

// "forward", ...: as rows of measured passes name them.
std::string_view direction_word(Pass pass);

// `result` is the text of `run` or `plan`; the shares are empty for a plan.
std::string twin_text(const TwinAccount& account, const std::vector<ScheduleResult>& schedules,
                      const std::string& result);
// One document of spillway/twin/1, ended by a newline. `result` is a document of `run` or `plan`, and `key`
// its name there.
std::string twin_json(const TwinAccount& account, const std::vector<ScheduleResult>& schedules,
                      const std::string& key, const std::string& result);
// The same without a result, for the page of one.
std::string passes_json(const TwinAccount& account, const std::vector<ScheduleResult>& schedules);

}  // namespace spillway
