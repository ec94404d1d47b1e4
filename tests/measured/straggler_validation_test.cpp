// Production traces, replayed. The figures to reach: README, "Validation".
#include <gtest/gtest.h>

#include <iostream>

#include "measured/validation.h"
#include "straggler_pipeline.h"

namespace spillway::testing {
namespace {

struct Job {
  const char* name;
  std::uint32_t microbatches;
};

class StragglerValidation : public ::testing::TestWithParam<Job> {
 protected:
  void SetUp() override {
    const auto run = straggler_run(GetParam().name, GetParam().microbatches);
    if (!run) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is unset";
    validation_ = validate_trace(run->trace, run->pipeline, {"1f1b", 0, "", {}});
  }

  Validation validation_;
};

TEST_P(StragglerValidation, Print) {
  const auto print = [&](const char* name, Seconds ValidatedStep::*replay) {
    const SpanErrors errors = span_errors(validation_, replay);
    std::cout << name << ' ' << 100 * errors.mean_absolute << ' ' << 100 * errors.most_absolute << ' '
              << 100 * errors.bias << '\n';
  };
  std::cout << validation_.cases.size() << ' ' << validation_.transfers.computing_share << ' '
            << validation_.typical_transfer.value() << '\n';
  print("replayed", &ValidatedStep::replayed);
  print("constant", &ValidatedStep::constant_transfer);
  print("means", &ValidatedStep::means_only);
  print("per replica", &ValidatedStep::means_per_replica);
  print("other", &ValidatedStep::other_mode);
  for (int rank = 0; rank < 4; ++rank)
    for (auto [name, part] : kComponentNames) {
      Seconds a, b;
      for (auto& c : validation_.cases) a += c.ranks[rank].measured.*part, b += c.ranks[rank].replayed.*part;
      std::cout << rank << ' ' << name << ' ' << a.value() << ' ' << b.value() << '\n';
    }
}

INSTANTIATE_TEST_SUITE_P(Jobs, StragglerValidation, ::testing::Values(Job{"ST", 4}, Job{"AR", 32}),
                         [](const auto& job) { return job.param.name; });

}  // namespace
}  // namespace spillway::testing
