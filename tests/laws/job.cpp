#include "job.h"

#include <rapidcheck.h>

#include <optional>

#include "base/error.h"
#include "dice.h"
#include "documents.h"
#include "spec/experiment/experiment.h"

namespace spillway::testing {
namespace {

std::optional<Experiment> read(const std::string& document) {
  try {
    Experiment experiment = experiment_of(document);
    if (check_whole_timelines(experiment).empty()) return experiment;
  } catch (const InputError&) {
  }
  return std::nullopt;
}

Json any_document(std::uint64_t number) {
  // Two of three are given: they are quick, and have the schedules.
  Json document = number % 3 == 2 ? analytic_document() : given_document();
  document["name"] = "job " + std::to_string(number);
  return document;
}

}  // namespace

Experiment experiment_of(const std::string& document) {
  return parse_experiment(document, "job.json", {});
}

Job job(std::uint64_t number) {
  const auto documents = rc::gen::exec([number] {
    constexpr int kTries = 100;
    for (int i = 0; i < kTries; ++i) {
      std::string document = any_document(number).dump();
      if (auto experiment = read(document)) return Job{number, std::move(document), *std::move(experiment)};
    }
    throw ContractBreach("no document of job " + std::to_string(number) + " is an experiment");
  });
  return documents(rc::Random(number), rc::kNominalSize).value();
}

}  // namespace spillway::testing
