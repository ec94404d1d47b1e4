// Transposed regions other than the input, planned from expected times, against the same work left in the
// pipeline.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "input/experiment/experiment.h"
#include "memory/activations.h"
#include "optimize/plan.h"
#include "support/pipelines.h"
#include "support/property.h"

namespace spillway {
namespace {

struct Profile {
  std::uint32_t layers;
  double forward, input_gradient, weight_gradient;
  std::vector<double> work = {};
};

std::string text(const std::string& name, const Profile& profile, bool trainable = true) {
  std::ostringstream text;
  text.precision(17);
  text << R"({"name": ")" << name << R"(", "layers": )" << profile.layers << R"(, "trainable": )"
       << (trainable ? "true" : "false") << R"(, "profile": {"forward_ms": )" << profile.forward
       << R"(, "input_gradient_ms": )" << profile.input_gradient << R"(, "weight_gradient_ms": )"
       << profile.weight_gradient << "}";
  if (!profile.work.empty()) {
    text << R"(, "work_per_microbatch": [)";
    for (std::size_t m = 0; m < profile.work.size(); ++m) text << (m > 0 ? ", " : "") << profile.work[m];
    text << "]";
  }
  text << "}";
  return text.str();
}

struct GeneratorJob {
  std::uint32_t ranks, microbatches;
  Profile llm, gen;
  double p2p = 0;
  std::string blocking = "overlapped";
};

// `schedule` holds the schedule's members besides its name.
Experiment experiment(const GeneratorJob& job, const std::string& schedule) {
  std::ostringstream all;
  all.precision(17);
  all << R"({"schema": "spillway/experiment/1", "name": "x", "pipeline": {"ranks": )" << job.ranks
      << R"(, "microbatches": )" << job.microbatches << R"(}, "model": {"blocks": [)" << text("llm", job.llm)
      << ", " << text("gen", job.gen) << R"(]}, "network": {"p2p_ms": )" << job.p2p << R"(, "p2p": ")"
      << job.blocking << R"("}, "schedules": [{"name": "a", )" << schedule << "}]}";
  return parse_experiment(all.str(), "x.json", {});
}

struct Planned {
  double milliseconds;
  std::vector<double> peak_activations;
};

Planned planned(const Experiment& experiment) {
  OrderCache orders;
  const DrawCosts costs(experiment);
  const PlannedSchedule plan = spillway::plan(costs, orders, experiment.schedules.front());
  const Derived& derived = plan.derived();
  PerEvent<Seconds> ends;
  const Durations durations = price(derived, *costs.of(derived, 0)).durations;
  return {plan.prepared->longest_path.makespan(durations, ends).value() * 1e3, peak_activations(derived)};
}

std::string cut_at(std::uint32_t layer) {
  return R"(, "cut": [)" + std::to_string(layer) + "]";
}

Planned transposed(const GeneratorJob& job, const std::string& skeleton) {
  return planned(experiment(job, R"("schedule": ")" + skeleton + R"(,transpose")" + cut_at(job.llm.layers)));
}

// Puts the last region's layers into the last stage.
Planned in_the_last_stage(const GeneratorJob& job, const std::string& skeleton, std::uint32_t stages) {
  std::string split;
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    std::uint32_t layers = job.llm.layers / stages + (stage < job.llm.layers % stages ? 1 : 0);
    if (stage + 1 == stages) layers += job.gen.layers;
    split += (stage > 0 ? ", " : "") + std::to_string(layers);
  }
  return planned(experiment(job, R"("schedule": ")" + skeleton + R"(", "layers_per_rank": [)" + split + "]"));
}

Planned in_the_pipeline(const GeneratorJob& job, const std::string& skeleton) {
  return planned(experiment(job, R"("schedule": ")" + skeleton + R"(")"));
}

GeneratorJob of_the_issue(std::uint32_t layers) {
  const double each = 32.0 / layers;
  return {8, 64, {64, 1, 1, 1}, {layers, each, each, each}};
}

// P = 8, M = 64: the step is the body's, (64 + 7) x 24 ms, plus eight turns of 96 ms, however the generator
// is cut into layers. In the last stage it takes 7848 ms, spread evenly over the stages 71 x 36.
TEST(TransposedSink, TakesTheSameHoweverItIsCutIntoLayers) {
  EXPECT_NEAR(transposed(of_the_issue(1), "1f1b").milliseconds, 71 * 24 + 8 * 96, 1e-6);
  EXPECT_NEAR(transposed(of_the_issue(32), "1f1b").milliseconds, 71 * 24 + 8 * 96, 1e-6);
  EXPECT_NEAR(in_the_last_stage(of_the_issue(1), "1f1b", 8).milliseconds, 7848, 1e-6);
  EXPECT_NEAR(in_the_pipeline(of_the_issue(32), "1f1b").milliseconds, 71 * 36, 1e-6);
}

TEST(TransposedSink, OfNoWorkCostsNothingAndHoldsNothingMore) {
  for (const char* text : {"1f1b", "gpipe", "zb-h1", "zb-1p", "zb-v", "wave(2)", "dualpipe", "dualpipev"}) {
    const Skeleton skeleton = testing::schedule(text).skeletons[0];
    for (double p2p : {0.0, 1.5}) {
      const GeneratorJob job{4, 16, {32, 1, 1, 1}, {1, 0, 0, 0}, p2p};
      const Planned with = transposed(job, text);
      EXPECT_LE(with.milliseconds,
                in_the_last_stage(job, text, testing::stages_of(skeleton, 4)).milliseconds * (1 + 1e-9))
          << text << ' ' << p2p;
      const RunShape shape{4, 16, chunks_of(skeleton), 4};
      for (std::uint32_t rank = 0; rank < 4; ++rank)
        EXPECT_LE(with.peak_activations[rank], activation_bound(skeleton, shape, RankId(rank)) + 1e-9)
            << text << ' ' << rank;
    }
  }
}

double amount() {
  return *rc::gen::weightedOneOf<double>(
      {{8, rc::gen::map(rc::gen::inRange(1, 300), [](int n) { return n / 10.0; })}, {2, rc::gen::just(0.0)}});
}

std::vector<double> some_work(std::uint32_t microbatches) {
  std::vector<double> work;
  for (std::uint32_t m = 0; m < microbatches; ++m) work.push_back(*rc::gen::inRange(0, 31) / 10.0);
  return work;
}

GeneratorJob any_generator_job(std::uint32_t chunks) {
  GeneratorJob job{*rc::gen::inRange(1U, 7U), *rc::gen::inRange(1U, 25U), {}, {}};
  const std::uint32_t stages = job.ranks * chunks;
  job.llm = {stages * *rc::gen::inRange(1U, 4U) + *rc::gen::inRange(0U, 3U), amount(), amount(), amount()};
  job.gen = {*rc::gen::inRange(1U, 9U), amount(), amount(), amount()};
  if (*rc::gen::inRange(0, 2)) job.gen.work = some_work(job.microbatches);
  if (*rc::gen::inRange(0, 2)) job.p2p = *rc::gen::inRange(0, 50) / 10.0;
  if (*rc::gen::inRange(0, 3) == 0) job.blocking = "blocking";
  return job;
}

std::ostream& operator<<(std::ostream& out, const GeneratorJob& job) {
  return out << "P=" << job.ranks << " M=" << job.microbatches << " p2p=" << job.p2p << ' ' << job.blocking
             << ' ' << text("llm", job.llm) << ' ' << text("gen", job.gen);
}

// A transposed region reduces its gradients over all ranks, hence the p2p. Spread evenly over the pipeline,
// the work is no faster either if every stage has as many of the other layers.
RC_GTEST_PROP(TransposedSinkProperty, IsNoSlowerThanTheSameWorkLeftInThePipeline, ()) {
  const std::string skeleton = *rc::gen::elementOf(std::vector<std::string>{
      "1f1b", "gpipe", "zb-h1", "zb-h2", "zb-1p", "zb-2p", "zb-v", "v-min", "wave(1)"});
  const std::uint32_t chunks = chunks_of(testing::schedule(skeleton).skeletons[0]);
  const GeneratorJob job = any_generator_job(chunks);
  RC_LOG() << skeleton << ' ' << job << '\n';
  const double ms = transposed(job, skeleton).milliseconds;
  RC_ASSERT(ms <= 1.01 * in_the_last_stage(job, skeleton, job.ranks * chunks).milliseconds + job.p2p);
  const bool whole = skeleton == "1f1b" || skeleton == "gpipe";
  if (whole && job.llm.layers % job.ranks == 0 && job.gen.work.empty() && job.p2p == 0)
    RC_ASSERT(ms <= 1.01 * in_the_pipeline(job, skeleton).milliseconds);
}

RC_GTEST_PROP(TransposedSinkProperty, IsPlannedTheSameHoweverItIsCutIntoLayers, ()) {
  GeneratorJob job = any_generator_job(1);
  const Planned whole = transposed(job, "1f1b");
  const std::uint32_t pieces = *rc::gen::inRange(2U, 12U);
  for (double* each : {&job.gen.forward, &job.gen.input_gradient, &job.gen.weight_gradient})
    *each *= static_cast<double>(job.gen.layers) / pieces;
  job.gen.layers = pieces;
  const Planned cut = transposed(job, "1f1b");
  RC_ASSERT(std::abs(cut.milliseconds - whole.milliseconds) <= 1e-9 * whole.milliseconds);
  RC_ASSERT(cut.peak_activations == whole.peak_activations);
}

}  // namespace
}  // namespace spillway
