// Multimodal jobs with given durations, for tests of systems. A counterexample prints as its document.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "input/experiment/experiment.h"
#include "systems/system.h"

namespace spillway::testing {

struct SystemTestJob {
  std::uint32_t ranks = 4, microbatches = 8, replicas = 1, chunks = 1;
  std::uint32_t encoder = 4, backbone = 16, generator = 0;  // layers
  double encoder_ms = 1, backbone_ms = 2, p2p_ms = 0;
  bool trained = true;  // the encoder
  bool blocking = false;
  std::vector<double> work = {};  // the encoder's, by microbatch; empty: 1
  std::uint32_t draws = 0;        // of images; 0: nothing is drawn

  std::string body() const {
    std::string text = "1f1b";
    for (std::uint32_t chunk = 1; chunk < chunks; ++chunk) text += ",1f1b";
    return text;
  }

  static std::string block(const std::string& name, std::uint32_t layers, double ms, bool trained,
                           const std::string& more = "") {
    const std::string each = std::to_string(ms);
    return R"({ "name": ")" + name + R"(", "layers": )" + std::to_string(layers) + R"(, "trainable": )" +
           (trained ? "true" : "false") + R"(, "profile": { "forward_ms": )" + each +
           R"(, "input_gradient_ms": )" + each + R"(, "weight_gradient_ms": )" + each +
           R"(, "activation_bytes": 100 })" + more + " }";
  }

  std::string encoder_work() const {
    if (draws > 0)
      return R"(, "image_work": { "profile_patches": 2000, "trace": ")" + std::string(SPILLWAY_SOURCE_DIR) +
             R"(/workloads/traces/coco_val2017.csv", "samples_per_microbatch": 2 })";
    if (work.empty()) return "";
    std::string list;
    for (const double factor : work) list += (list.empty() ? "" : ", ") + std::to_string(factor);
    return R"(, "work_per_microbatch": [)" + list + "]";
  }

  // Returns the document; `schedules` holds the entries of its list.
  std::string document(const std::string& schedules) const {
    std::string blocks = block("enc", encoder, encoder_ms, trained, encoder_work()) + ", " +
                         block("llm", backbone, backbone_ms, true);
    if (generator > 0) blocks += ", " + block("gen", generator, encoder_ms, true);
    return R"({ "schema": "spillway/experiment/1", "name": "job", "pipeline": { "ranks": )" +
           std::to_string(ranks) + R"(, "microbatches": )" + std::to_string(microbatches) +
           R"(, "replicas": )" + std::to_string(replicas) + R"( }, "model": { "blocks": [ )" + blocks +
           R"( ] }, "network": { "p2p_ms": )" + std::to_string(p2p_ms) + R"(, "p2p": ")" +
           (blocking ? "blocking" : "overlapped") + R"(" }, "draws": )" +
           std::to_string(std::max(draws, 1U)) + R"(, "schedules": [ )" + schedules + " ] }";
  }

  Experiment under(const std::string& schedules) const {
    return parse_experiment(document(schedules), "job.json", {});
  }

  // Returns an entry for every system that takes this model, named like the system.
  std::string every_system() const {
    std::string all;
    for (const System& system : systems()) {
      if (generator > 0 && !system.has_generator) continue;
      const std::string name(system.name);
      std::string chunked = name == "disttrain" ? "" : R"(, "body": ")" + body() + '"';
      const bool in_segments = encoder >= ranks && (generator == 0 || generator >= ranks);
      if (name == "dip") chunked = in_segments ? R"(, "sub_microbatches": 1)" : R"(, "segments": [1])";
      all += (all.empty() ? "" : ", ") +
             (R"({ "name": ")" + name + R"(", "system": ")" + name + '"' + chunked + " }");
    }
    return all;
  }
};

inline std::ostream& operator<<(std::ostream& out, const SystemTestJob& job) {
  return out << job.document(job.every_system());
}

// Ranks divide the microbatches, as interleaving requires, and every stage of every system has a layer.
inline rc::Gen<SystemTestJob> random_system_job() {
  return rc::gen::exec([] {
    const auto number = [](std::uint32_t low, std::uint32_t high) {
      return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
    };
    SystemTestJob job;
    job.generator = number(0, 2) == 0 ? number(1, 3) : 0;
    job.ranks = number(job.generator > 0 ? 3 : 2, 4);
    job.chunks = number(1, 3);
    job.microbatches = job.ranks * number(1, 4);
    job.replicas = number(1, 2);
    job.encoder = number(1, 4);
    job.backbone = job.ranks * job.chunks + number(0, 6);
    job.encoder_ms = number(1, 40) * 0.25;
    job.backbone_ms = number(1, 40) * 0.25;
    job.p2p_ms = number(0, 3) == 0 ? 0 : number(1, 8) * 0.125;
    job.trained = number(0, 2) > 0;
    job.blocking = number(0, 1) == 1;
    if (number(0, 3) == 0) {
      job.draws = 2;
    } else if (number(0, 2) > 0) {
      for (std::uint32_t m = 0; m < job.microbatches; ++m) job.work.push_back(number(0, 12) * 0.25);
    }
    return job;
  });
}

// Returns a job without a generator, which every system takes.
inline rc::Gen<SystemTestJob> random_two_module_job() {
  return rc::gen::map(random_system_job(), [](SystemTestJob job) {
    job.generator = 0;
    return job;
  });
}

}  // namespace spillway::testing
