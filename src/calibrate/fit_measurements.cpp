#include "calibrate/fit_measurements.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "calibrate/fit_messages.h"
#include "calibrate/fit_operators.h"
#include "calibrate/fit_overlap.h"
#include "calibrate/message_errors.h"
#include "calibrate/operator_errors.h"

namespace spillway {
namespace {

bool has_operators(const Samples& samples) {
  const OperatorTables& tables = samples.operators;
  return !tables.gemms.empty() || !tables.grouped_gemms.empty() || !tables.attentions.empty();
}

template <class Has>
std::vector<Samples> samples_that(const std::vector<Measurements>& measurements, Has has) {
  std::vector<Samples> kept;
  for (const Measurements& one : measurements)
    if (has(one.samples)) kept.push_back(one.samples);
  return kept;
}

Fits notes_of(const std::vector<Measurements>& measurements) {
  Fits notes;
  for (const Measurements& one : measurements)
    notes.notes.insert(notes.notes.end(), one.samples.notes.begin(), one.samples.notes.end());
  return notes;
}

// If a device has only messages and products, the host is undetermined, and the result says so.
Fits host_of(const std::vector<Measurements>& measurements) {
  std::vector<IssuedPass> passes;
  std::string sources;
  for (const Measurements& one : measurements) {
    if (one.passes.empty()) continue;
    passes.insert(passes.end(), one.passes.begin(), one.passes.end());
    add_to_list(sources, one.samples.source, "; ");
  }
  return passes.empty() ? Fits() : fit_host(passes, sources);
}

Fits overlap_of_all(const std::vector<Measurements>& measurements) {
  OverlapReport all;
  std::string sources;
  for (const Measurements& one : measurements) {
    if (!one.overlap) continue;
    all.pairs.insert(all.pairs.end(), one.overlap->pairs.begin(), one.overlap->pairs.end());
    add_to_list(sources, one.samples.source, "; ");
  }
  return sources.empty() ? Fits() : fit_overlap(all, sources);
}

}  // namespace

Fits fit_measurements(const Platform& base, const std::vector<Measurements>& measurements) {
  const auto with_messages =
      samples_that(measurements, [](const Samples& samples) { return !samples.messages.empty(); });
  const auto with_operators = samples_that(measurements, has_operators);
  std::vector<Fits> parts = {notes_of(measurements)};
  if (!with_messages.empty()) parts.push_back(fit_messages(base, with_messages));
  if (!with_operators.empty()) parts.push_back(fit_operators(base, with_operators));
  parts.push_back(host_of(measurements));
  parts.push_back(overlap_of_all(measurements));
  return merged(parts);
}

std::vector<ErrorsAgainst> errors_against(const Platform& platform, const std::vector<Measurements>& others) {
  std::vector<ErrorsAgainst> all;
  for (const Measurements& other : others) {
    ErrorsAgainst errors{other.samples.source, message_errors(platform, other.samples)};
    std::ranges::move(operator_errors(platform, other.samples), std::back_inserter(errors.errors));
    all.push_back(std::move(errors));
  }
  return all;
}

}  // namespace spillway
