// Jobs of modules on dedicated devices: equivalent pipelines, conserved work, and refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "evaluate/evaluate.h"
#include "evaluate/point.h"
#include "random_job.h"
#include "support/property.h"

namespace spillway {
namespace {

using testing::SystemTestJob;

constexpr Engines kEveryEngine{.run = {Engine::LongestPath, Engine::MaxPlus, Engine::SimGrid}};

std::string module_entry(const std::string& block, std::uint32_t ranks, std::uint32_t replicas,
                         const std::string& more = "") {
  return R"({ "blocks": [")" + block + R"("], "ranks": )" + std::to_string(ranks) + R"(, "replicas": )" +
         std::to_string(replicas) + more + " }";
}

std::string apart(const std::string& modules, const std::string& text = "1f1b,1f1b") {
  return R"({ "name": "apart", "schedule": ")" + text + R"(", "modules": [)" + modules + "] }";
}

// Returns a job with an encoder and a backbone of a few layers on H100s.
std::string analytic(const std::string& pipeline, const std::string& parallel, const std::string& schedules,
                     const std::string& network = "{}") {
  const std::string root = SPILLWAY_SOURCE_DIR;
  const auto block = [&](const char* name, std::uint32_t layers) {
    return std::string(R"({ "name": ")") + name + R"(", "architecture": ")" + root +
           R"(/workloads/models/qwen2-vl-7b/config.json", "layers": )" + std::to_string(layers) + " }";
  };
  return R"({ "schema": "spillway/experiment/1", "name": "job", "pipeline": )" + pipeline +
         R"(, "platform": ")" + root + R"(/platforms/hgx-h100.json", "parallel": )" + parallel +
         R"(, "model": { "blocks": [)" + block("enc", 4) + ", " + block("llm", 6) + R"(] }, "network": )" +
         network + R"(, "workload": { "trace": ")" + root +
         R"(/workloads/traces/coco_val2017.csv", "images_per_sample": 2, "text_tokens": 300,
             "packing": "unpacked", "samples_per_microbatch": 2 }, "draws": 2, "schedules": [)" +
         schedules + "] }";
}

Evaluation run_modules(const std::string& document, Engines engines = kEveryEngine) {
  return evaluate(parse_experiment(document, "job.json", {}), engines);
}

void hold_equal(Seconds a, Seconds b) {
  RC_ASSERT(std::abs((a - b).value()) <= 1e-9 * std::max(a, b).value());
}

Seconds busy_of(const ScheduleResult& result) {
  const Order& order = result.derived->order;
  Seconds all;
  for (std::uint32_t id = 0; id < order.event_count(); ++id)
    for (std::uint32_t lane = 0; lane < result.derived->pipeline.replicas; ++lane)
      if (order.event(EventId(id)).computes()) all += result.first.durations.at(EventId(id), lane);
  return all;
}

// Ranks and replicas (e encoders, d backbones) that add up to the job's devices and divide its microbatches.
struct Shares {
  std::uint32_t encoder_ranks, encoders, backbone_ranks, backbones;
};

rc::Gen<Shares> random_shares() {
  return rc::gen::map(
      rc::gen::tuple(rc::gen::inRange(1, 3), rc::gen::inRange(1, 5), rc::gen::inRange(1, 4),
                     rc::gen::inRange(1, 4)),
      [](const std::tuple<int, int, int, int>& t) {
        const auto u = [](int i) { return static_cast<std::uint32_t>(i); };
        return Shares{u(std::get<0>(t)), u(std::get<1>(t)), u(std::get<2>(t)), u(std::get<3>(t))};
      });
}

SystemTestJob job_for(const Shares& shares) {
  SystemTestJob job = *testing::random_system_job();
  job.generator = 0;
  job.chunks = 1;
  job.replicas = 1;
  job.ranks = shares.encoder_ranks * shares.encoders + shares.backbone_ranks * shares.backbones;
  job.microbatches = std::lcm(shares.encoders, shares.backbones) * *rc::gen::inRange(1U, 3U);
  job.encoder = shares.encoder_ranks + *rc::gen::inRange(0U, 3U);
  job.backbone = std::max(job.ranks, shares.backbone_ranks) + *rc::gen::inRange(0U, 3U);
  if (!job.work.empty()) job.work.assign(job.microbatches, 1.5);
  for (double& work : job.work) work = *rc::gen::inRange(0U, 9U) * 0.25;
  return job;
}

std::string modules_of(const Shares& shares) {
  return module_entry("enc", shares.encoder_ranks, shares.encoders) + ", " +
         module_entry("llm", shares.backbone_ranks, shares.backbones);
}

RC_GTEST_PROP(ModuleJobs, KeepTheWorkAndTheirBounds, ()) {
  const Shares shares = *random_shares();
  const SystemTestJob job = job_for(shares);
  const Evaluation evaluation = evaluate(
      job.under(apart(modules_of(shares)) + R"(, { "name": "gpipe", "schedule": "gpipe" })"), kEveryEngine);
  const ScheduleResult& result = evaluation.schedules.front();
  hold_equal(busy_of(result), busy_of(evaluation.schedules.back()));
  for (const DrawResult& draw : result.draws) {
    hold_equal(*draw.makespans[Engine::LongestPath], *draw.makespans[Engine::MaxPlus]);
    hold_equal(*draw.makespans[Engine::LongestPath], *draw.makespans[Engine::SimGrid]);
  }
  const Seconds makespan = *result.draws.front().makespans[Engine::LongestPath] * (1 + 1e-9);
  RC_ASSERT(busy_of(result) / static_cast<double>(job.ranks) <= makespan);
}

RC_GTEST_PROP(ModuleJobs, WithAsManyPipelinesTakeWhatOnePipelineTakes, ()) {
  SystemTestJob job = *testing::random_system_job();
  job.generator = 0;
  job.chunks = 1;
  job.encoder = std::max(job.encoder, job.ranks - 1);
  const std::uint32_t first = *rc::gen::inRange(1U, job.ranks);
  std::string layers;
  const auto add = [&](std::uint32_t all, std::uint32_t ranks) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      layers += (layers.empty() ? "" : ", ") + std::to_string(all / ranks + (rank < all % ranks ? 1 : 0));
  };
  add(job.encoder, first);
  add(job.backbone, job.ranks - first);
  const std::string modules =
      module_entry("enc", first, job.replicas) + ", " + module_entry("llm", job.ranks - first, job.replicas);
  const Evaluation evaluation =
      evaluate(job.under(apart(modules) + R"(, { "name": "one", "schedule": "1f1b", "layers_per_rank": [)" +
                         layers + "] }"),
               {.run = {Engine::LongestPath}});
  const ScheduleResult &own = evaluation.schedules.front(), &one = evaluation.schedules.back();
  for (std::size_t draw = 0; draw < own.draws.size(); ++draw) {
    // In one region a frozen encoder passes on gradients that no rank needs, and its forwards wait for their
    // turns.
    const Seconds with = own.draws[draw].step.makespan, without = one.draws[draw].step.makespan;
    if (job.trained) hold_equal(with, without);
    RC_ASSERT(with <= without * (1 + 1e-9));
  }
}

TEST(ModuleJob, OnThePlatformWithTheJobsParallelismIsThePipeline) {
  for (const char* parallel : {R"({ "tensor": 2, "data": "zero1" })",
                               R"({ "tensor": 2, "context": 2, "sequence_parallel": false })"}) {
    const Evaluation evaluation =
        run_modules(analytic(R"({ "ranks": 3, "microbatches": 4, "replicas": 2 })", parallel,
                             apart(module_entry("enc", 1, 2) + ", " + module_entry("llm", 2, 2)) +
                                 R"(, { "name": "one", "schedule": "1f1b", "layers_per_rank": [4, 3, 3] })"));
    const ScheduleResult &own = evaluation.schedules.front(), &one = evaluation.schedules.back();
    for (std::size_t draw = 0; draw < own.draws.size(); ++draw) {
      EXPECT_DOUBLE_EQ(own.draws[draw].makespans[Engine::LongestPath]->value(),
                       one.draws[draw].makespans[Engine::LongestPath]->value());
      EXPECT_NEAR(own.draws[draw].makespans[Engine::SimGrid]->value(),
                  one.draws[draw].makespans[Engine::SimGrid]->value(), 1e-9);
    }
    ASSERT_TRUE(own.first.evidence && one.first.evidence);
    for (std::size_t kind = 0; kind < kEvidenceKinds; ++kind)
      EXPECT_NEAR(own.first.evidence->share_of_time[kind], one.first.evidence->share_of_time[kind], 1e-9);
    EXPECT_EQ(own.first.traffic.value(), one.first.traffic.value());
    const auto &peaks = own.draws.front().memory, &plain = one.draws.front().memory;
    ASSERT_EQ(peaks.size(), plain.size());
    for (std::size_t i = 0; i < peaks.size(); ++i)
      EXPECT_DOUBLE_EQ(peaks[i].parts.total().value(), plain[i].parts.total().value()) << i;
  }
}

// Encoders of one device each feed a backbone of four: every image is encoded once, on one device.
TEST(ModuleJob, AnEncoderOfOneDeviceARankFeedsABackboneOfFour) {
  const Evaluation evaluation = run_modules(
      analytic(R"({ "ranks": 3, "microbatches": 8, "replicas": 1 })", R"({ "tensor": 4 })",
               apart(module_entry("enc", 1, 4, R"(, "tensor": 1)") + ", " + module_entry("llm", 2, 1)) +
                   R"(, { "name": "one", "schedule": "1f1b", "layers_per_rank": [4, 3, 3] })"));
  const ScheduleResult &own = evaluation.schedules.front(), &one = evaluation.schedules.back();
  EXPECT_EQ(own.derived->pipeline.ranks, 4U + 2);
  EXPECT_FALSE(own.draws.front().step.spill) << "nothing is transposed";
  double busy = 0;  // over 12 devices: four encoders of one, two ranks of four
  for (const RankFigures& rank : own.draws.front().ranks)
    busy += rank.busy.value() * (rank.rank.index() < 4 ? 1 : 4);
  const StepFigures& step = own.draws.front().step;
  EXPECT_NEAR(step.bubble_fraction, 1 - busy / (12 * step.makespan.value()), 1e-9);
  const Seconds path = *own.draws.front().makespans[Engine::LongestPath];
  EXPECT_LE(path.value(), own.draws.front().makespans[Engine::SimGrid]->value() * (1 + 1e-9));
  // One device takes about four times as long for a microbatch's images as four devices that share them.
  Seconds encodes, shared;
  const auto add = [](const ScheduleResult& result, Seconds& sum) {
    for (std::uint32_t id = 0; id < result.derived->order.event_count(); ++id) {
      const Event& event = result.derived->order.event(EventId(id));
      if (event.kind == EventKind::Forward && result.derived->stage(event.stage).layers.first == 0)
        sum += result.first.durations.at(EventId(id), 0);
    }
  };
  add(own, encodes);
  add(one, shared);
  EXPECT_GT(encodes, shared);
  EXPECT_LT(encodes, shared * 4.5);
}

// A message between ranks of unlike size takes its price when it is alone on its link.
TEST(ModuleJob, MessagesBetweenUnlikeRanksTakeTheirPriceWhenAlone) {
  for (const char* tensors : {"1 4", "4 1", "2 4"}) {
    const std::uint32_t e = tensors[0] - '0', d = tensors[2] - '0';
    const std::string own = R"({ "ranks": )" + std::to_string(e + d) + R"(, "microbatches": 1 })";
    const Evaluation evaluation =
        run_modules(analytic(own, "{}",
                             apart(module_entry("enc", 1, 1, R"(, "tensor": )" + std::to_string(e)) + ", " +
                                   module_entry("llm", 1, 1, R"(, "tensor": )" + std::to_string(d)))));
    const DrawResult& draw = evaluation.schedules.front().draws.front();
    EXPECT_NEAR(draw.makespans[Engine::SimGrid]->value() / draw.makespans[Engine::LongestPath]->value(), 1,
                1e-9)
        << tensors;
  }
}

// DistTrain's solution uses all devices, and its pipelines divide the microbatches.
TEST(ModuleJob, DistTrainSolvesForDevices) {
  const Experiment experiment = parse_experiment(
      analytic(R"({ "ranks": 3, "microbatches": 8, "replicas": 2 })", R"({ "tensor": 4, "data": "zero1" })",
               R"({ "name": "solved", "system": "disttrain", "modules": "solved" })"),
      "job.json", {});
  const std::vector<PlacedModule>& modules = experiment.schedules.front().modules;
  ASSERT_EQ(modules.size(), 2U);
  std::uint32_t devices = 0;
  for (const PlacedModule& one : modules) devices += one.ranks * one.replicas * one.members();
  EXPECT_EQ(devices, 24U);
  EXPECT_EQ(16U % modules.front().replicas, 0U);
  const Evaluation evaluation = evaluate(experiment, {.run = {Engine::LongestPath}});
  EXPECT_GT(evaluation.schedules.front().draws.front().step.makespan.value(), 0);
}

std::string module_refusal(const std::string& entry, const SystemTestJob& job = {}) {
  try {
    job.under(entry);
    return "";
  } catch (const InputError& error) {
    const Violation& first = error.violations().front();
    return first.pointer + ": expected " + first.expected + ", found " + first.found;
  }
}

TEST(BadModules, EachIsNamed) {
  EXPECT_EQ(
      module_refusal(apart(module_entry("enc", 1, 1) + ", " + module_entry("llm", 2, 1))),
      "/schedules/0/modules: expected modules whose ranks x replicas x tensor x context add up to the 4 "
      "devices of the job, found 3");
  EXPECT_EQ(module_refusal(apart(R"({ "blocks": ["enc"] }, )" + module_entry("llm", 3, 1))),
            "/schedules/0/modules/0/ranks: expected a value, found nothing");
  EXPECT_EQ(module_refusal(apart(module_entry("llm", 4, 1), "1f1b")),
            "/schedules/0/modules: expected modules that name every block once, in their order from the "
            "input: enc, llm, found "
            "llm");
  EXPECT_EQ(module_refusal(apart(module_entry("enc", 1, 3) + ", " + module_entry("llm", 1, 1))),
            "/schedules/0/modules/0/replicas: expected a divisor of the job's 8 microbatches, so that its "
            "pipelines get equally many, found 3");
  EXPECT_EQ(
      module_refusal(apart(module_entry("enc", 1, 1, R"(, "tensor": 2)") + ", " + module_entry("llm", 2, 1))),
      "/schedules/0/modules/0/tensor: expected no such key, since blocks have profiles and a rank is one "
      "device, found 2");
  EXPECT_EQ(module_refusal(R"({ "name": "s", "system": "mimo", "modules": "solved" })"),
            "/schedules/0/modules: expected a list of modules; only disttrain can solve for them, found "
            "\"solved\"");
  EXPECT_EQ(
      module_refusal(apart(module_entry("enc", 1, 1) + ", " + module_entry("llm", 3, 1), "transpose,1f1b")),
      "/schedules/0/schedule: expected only pipelined regions, since modules have dedicated devices, found "
      "transpose,1f1b");
}

}  // namespace
}  // namespace spillway
