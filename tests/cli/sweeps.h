// Runs sweeps with the program and reads their stores.
#pragma once

#include <unistd.h>

#include <string>
#include <vector>

#include "program.h"
#include "support/stores.h"

namespace spillway::testing {

// Returns a sweep over a shrunk image-work.json; `more` holds the sweep's further members.
inline std::string sweep_text(const std::string& more, const std::string& name = "shrunk") {
  const std::string trace = (kSource / "workloads/traces/servegen_image_tokens.csv").string();
  return R"({ "schema": "spillway/sweep/1", "name": ")" + name + R"(",
  "experiment": { "schema": "spillway/experiment/1", "name": "shrunk", "assumptions": ["round numbers"],
    "pipeline": { "ranks": 4, "microbatches": 8 },
    "model": { "blocks": [
      { "name": "enc", "role": "encoder", "layers": 4, "trainable": true,
        "profile": { "forward_ms": 0.25, "input_gradient_ms": 0.25, "weight_gradient_ms": 0.25 },
        "image_work": { "profile_patches": 5198, "trace": ")" +
         trace + R"(",
          "images_per_sample": 1, "packing": "unpacked", "samples_per_microbatch": 2 } },
      { "name": "llm", "role": "backbone", "layers": 8, "trainable": true,
        "profile": { "forward_ms": 1.375, "input_gradient_ms": 1.375, "weight_gradient_ms": 1.375 } } ] },
    "network": { "p2p_ms": 0.3 },
    "schedules": [
      { "name": "mpipe", "schedule": "transpose,1f1b", "cut": [4], "owner": "greedy" },
      { "name": "megatron", "schedule": "1f1b" } ],
    "baseline": "megatron" }, )" +
         more + " }";
}

// 2 rank counts x 4 microbatch counts x the transfer times: 8 points for each transfer time.
inline std::string grid_text(int transfer_times) {
  return R"("axes": [ { "pointer": "/pipeline/ranks", "values": [2, 4] },
    { "pointer": "/pipeline/microbatches", "range": { "from": 8, "to": 64, "factor": 2 } },
    { "pointer": "/network/p2p_ms", "range": { "from": 0, "to": 5, "count": )" +
         std::to_string(transfer_times) + R"( } } ], "draws": 16, "simgrid": { "sample": 3 })";
}

class Sweeps : public Cli {
 protected:
  std::string store(const std::string& name) const { return (folder_ / name).string(); }

  // Runs a sweep to its end and returns the path of its store.
  std::string swept(const std::string& file, const std::string& name, const std::string& options = "",
                    const std::string& launcher = "") const {
    const Outcome outcome = run("sweep " + file + " --out " + store(name) + ' ' + options, launcher);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return store(name);
  }

  std::string exported(const std::string& path, const std::string& format = "csv") const {
    const Outcome outcome = run("sweep export " + path + " --format " + format);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }

  void expect_equal_stores(const std::string& one, const std::string& other) const {
    EXPECT_EQ(dump(one), dump(other));
    EXPECT_EQ(exported(one), exported(other));
  }

  // Starts the program in the background; its outputs go to NAME.out and NAME.err in the folder.
  pid_t start(const std::string& arguments, const std::string& name) const {
    const std::string command = "exec '" SPILLWAY_PROGRAM "' " + arguments + " >'" + store(name + ".out") +
                                "' 2>'" + store(name + ".err") + "'";
    return start_process([&] { return ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr) == 0; });
  }
};

}  // namespace spillway::testing
