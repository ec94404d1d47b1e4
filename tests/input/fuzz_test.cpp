// Random documents, similar to good ones or not: reading ends in an experiment or in an InputError, never in
// anything else.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "input/architecture/architecture_reader.h"
#include "input/experiment/experiment.h"
#include "input/experiment/trace.h"
#include "support/property.h"
#include "sweep/grid/file.h"
#include "sweep/grid/sweeps.h"
#include "written.h"

namespace spillway {
namespace {

template <class Read>
void reads_or_refuses(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    const auto& said = error.violations();
    RC_ASSERT(!said.empty());
    for (std::size_t i = 0; i < said.size(); ++i)  // each message once
      RC_ASSERT(std::find(said.begin(), said.begin() + static_cast<std::ptrdiff_t>(i), said[i]) ==
                said.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// Returns a text with some bytes replaced, some runs removed and some repeated.
std::string spoiled(std::string text) {
  const auto edits = *rc::gen::inRange(1, 6);
  for (int i = 0; i < edits && !text.empty(); ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    const auto length = *rc::gen::inRange<std::size_t>(1, 12);
    const std::string run = text.substr(at, length);
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        text[at] = *rc::gen::arbitrary<char>();
        break;
      case 1:
        text.erase(at, length);
        break;
      default:
        text.insert(at, run);
    }
  }
  return text;
}

RC_GTEST_PROP(AnyText, IsAnExperimentOrRefused, ()) {
  const std::string text = *rc::gen::arbitrary<std::string>();
  const std::string path = written("f.json", text);
  reads_or_refuses([&] { read_experiment(path, {}); });
}

RC_GTEST_PROP(ASpoiledExperiment, IsAnExperimentOrRefused, ()) {
  static const std::string good = content_of(shipped("workloads/experiments/small.json"));
  const std::string path = written("f.json", spoiled(good));
  reads_or_refuses([&] { read_experiment(path, {}); });
}

RC_GTEST_PROP(ASpoiledConfiguration, IsAnArchitectureOrRefused, ()) {
  const auto name =
      *rc::gen::element<std::string>("llama-3-8b", "deepseek-v3", "qwen3.5-35b-a3b", "gpt-2", "dit-xl-2");
  const Role role = *rc::gen::element(Role::Encoder, Role::Backbone, Role::Generator);
  const std::string path =
      written("config.json", spoiled(content_of(shipped("workloads/models/" + name + "/config.json"))));
  reads_or_refuses([&] { read_architecture(path, role, {}); });
}

RC_GTEST_PROP(ASpoiledTrace, IsATraceOrRefused, ()) {
  static const std::string good = "width,height,count\n640,480,1061\n640,427,606\n480,640,336\n";
  const std::string path = written("f.csv", spoiled(good));
  reads_or_refuses([&] { read_image_trace(path, ResizeRule{}); });
}

RC_GTEST_PROP(ASpoiledSweep, IsASweepOrRefused, ()) {
  static const std::string good = sweep_text(
      R"({"pointer": "/pipeline/ranks", "values": [1, 2, 4]}, {"zip": [
        {"pointer": "/network/p2p_ms", "range": {"from": 1, "to": 3, "step": 1}},
        {"pointer": "/model/blocks/0/profile/forward_ms",
         "range": {"from": 0.1, "to": 0.9, "count": 3, "scale": "log"}}]})",
      R"(, "set": {"/network/p2p": "blocking"}, "draws": 2, "constraints": [
        {"left": {"product": ["/pipeline/ranks", 2]}, "is": "divides", "right": "/pipeline/microbatches"}],
        "simgrid": {"where": [{"left": "/network/p2p_ms", "is": "<", "right": 3}]})");
  const std::string path = written("s.json", spoiled(good));
  reads_or_refuses([&] {
    const SweepFile file(path);
    RC_ASSERT(file.points() > 0);
    file.values(file.points() - 1);
    file.identity();
  });
}

RC_GTEST_PROP(AnySetting, IsTakenOrRefused, ()) {
  static const std::string small = shipped("workloads/experiments/small.json");
  const std::string pointer =
      *rc::gen::element<std::string>("", "/", "/name", "/pipeline/ranks", "/schedules/0/cut", "/schedules/0",
                                     "/model/blocks/0/profile", "/a~1b/~2");
  const std::string value =
      *rc::gen::oneOf(rc::gen::arbitrary<std::string>(),
                      rc::gen::element<std::string>("0", "-1", "[[[]]]", "{\"a\":1}", "4294967296"));
  reads_or_refuses([&] { read_experiment(small, {{pointer, value}}); });
}

}  // namespace
}  // namespace spillway
