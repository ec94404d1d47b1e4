#include "job.h"

#include <rapidcheck.h>

#include <optional>

#include "base/error.h"
#include "dice.h"
#include "documents.h"
#include "evaluate/workload_use.h"
#include "input/experiment/experiment.h"
#include "support/known_files.h"

namespace spillway::testing {
namespace {

std::optional<Experiment> read(const std::string& document) {
  try {
    Experiment experiment = experiment_of(document);
    held_to_losses(workload_uses(DrawCosts(experiment)));
    if (check_whole_timelines(experiment).empty()) return experiment;
  } catch (const InputError&) {
  }
  return std::nullopt;
}

// Two of three jobs have given durations: they are fast, and cover the schedules.
Json any_document(std::uint64_t number) {
  switch (number % 3) {
    case 0:
      return given_document();
    case 1:
      return with_more_schedules(multimodal_document(), 8);
    default:
      return with_more_schedules(analytic_document(), 3);
  }
}

Json named_document(std::uint64_t number) {
  Json document = with_extras(any_document(number));
  document["name"] = "job " + std::to_string(number);
  return document;
}

}  // namespace

Experiment experiment_of(const std::string& document) {
  return parse_experiment(document, "job.json", {}, known_files());
}

bool is_experiment(const Json& document) {
  return read(document.dump()).has_value();
}

Job job(std::uint64_t number) {
  const auto documents = rc::gen::exec([number] {
    constexpr int kTries = 100;
    for (int i = 0; i < kTries; ++i) {
      std::string document = named_document(number).dump();
      if (auto experiment = read(document)) return Job{number, std::move(document), *std::move(experiment)};
    }
    throw ContractBreach("no document of job " + std::to_string(number) + " is an experiment");
  });
  return documents(rc::Random(number), rc::kNominalSize).value();
}

}  // namespace spillway::testing
