// Checks that an evaluation's host memory is about the amount stated before it begins.
#include "evaluate/host_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "base/error.h"
#include "draws/fold.h"
#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"

namespace spillway {
namespace {

Experiment sized(std::uint32_t ranks, std::uint32_t microbatches) {
  const std::string pipeline =
      "{ \"ranks\": " + std::to_string(ranks) + ", \"microbatches\": " + std::to_string(microbatches) + " }";
  return parse_experiment(
      R"({ "schema": "spillway/experiment/1", "name": "sized", "pipeline": )" + pipeline + R"(,
      "model": { "blocks": [ { "name": "llm", "layers": 1000,
        "profile": { "forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1 } } ] },
      "schedules": [ { "name": "a", "schedule": "1f1b" }, { "name": "b", "schedule": "gpipe" } ] })",
      "sized.json", {});
}

// Returns the peak memory of a process that evaluates the experiment, minus that of an almost empty
// evaluation.
double bytes_taken(const Experiment& experiment, const Engines& engines) {
  const auto peak = [&](const Experiment& one) {
    const pid_t child = fork();
    if (child == 0) {
      evaluate(one, engines);
      _exit(0);
    }
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    EXPECT_EQ(status, 0);
    return 1024.0 * static_cast<double>(usage.ru_maxrss);
  };
  return peak(experiment) - peak(sized(1, 1));
}

TEST(HostMemory, IsAboutWhatIsTaken) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's memory is another";
#endif
  const Engines engines{.run = {Engine::LongestPath}};
  const double taken = bytes_taken(sized(100, 1000), engines);
  const double said = evaluation_bytes(sized(100, 1000), engines);
  EXPECT_LT(taken, 2 * said);
  EXPECT_GT(taken, said / 2);
}

TEST(HostMemory, IsAboutWhatAReplayTakes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's memory is another";
#endif
  const Experiment job =
      read_experiment(std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/llama3-405b.json",
                      {{"/pipeline/replicas", "32"}});
  const double taken = bytes_taken(job, {}), said = evaluation_bytes(folded(job, Links::Shared), {});
  EXPECT_LT(taken, 2 * said);
  EXPECT_GT(taken, said / 2);
}

TEST(HostMemory, SizesThatAreReadAndTooLargeAreRefusedWithThem) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's shadow maps more than any limit";
#endif
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  rlimit small = before;
  small.rlim_cur = std::uint64_t{4} << 30;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &small), 0);
  try {
    evaluate(sized(1000, 7997), {.run = {Engine::LongestPath}});
    ADD_FAILURE() << "was taken";
  } catch (const Infeasible& none) {
    const std::string text = none.what();
    EXPECT_NE(text.find("1000 ranks, 7997 microbatches and 1 replica"), std::string::npos) << text;
    EXPECT_NE(text.find("12.5 GB of memory, and there are 4.3 GB"), std::string::npos) << text;
  }
  EXPECT_THROW(require_order_memory({1000, 7997, 1}), Infeasible);
  require_order_memory({1000, 1000, 1});
  setrlimit(RLIMIT_AS, &before);
}

}  // namespace
}  // namespace spillway
