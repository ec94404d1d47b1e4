// PyTorch profiles written for one test, in the form of Kineto's output.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "measured_files.h"

namespace spillway::testing {

// The events of one process, in the order of the calls. Times are in microseconds.
class TorchProfile {
 public:
  // A kernel, launched by a call of the runtime on `thread` of the host.
  TorchProfile& kernel(const std::string& name, double launch, double start, double end,
                       const std::string& thread = "1", const std::string& args = "") {
    const std::string linked = R"("correlation":)" + std::to_string(++correlation_);
    add("cuda_runtime", "cudaLaunchKernel", thread, launch, launch + 1, linked);
    return add("kernel", name, "7", start, end, linked + (args.empty() ? "" : "," + args));
  }

  TorchProfile& copy(double start, double end) { return add("gpu_memcpy", "Memcpy HtoD", "7", start, end); }

  TorchProfile& range(const std::string& name, double start, double end, const std::string& thread = "1") {
    return add("user_annotation", name, thread, start, end);
  }

  TorchProfile& op(const std::string& name, double start, double end, const std::string& thread = "1",
                   const std::string& args = "") {
    return add("cpu_op", name, thread, start, end, args);
  }

  TorchProfile& add(const std::string& category, const std::string& name, const std::string& thread,
                    double start, double end, const std::string& args = "") {
    events_.push_back(R"({"ph":"X","cat":")" + category + R"(","name":")" + name + R"(","pid":1,"tid":)" +
                      thread + R"(,"ts":)" + std::to_string(start) + R"(,"dur":)" +
                      std::to_string(end - start) + R"(,"args":{)" + args + "}}");
    return *this;
  }

  // `more`: members beside the events, each followed by a comma.
  std::string text(const std::string& more = "") const {
    std::string text = R"({"schemaVersion":1,)" + more + R"("traceEvents":[)";
    for (std::size_t i = 0; i < events_.size(); ++i) text += (i == 0 ? "" : ",") + events_[i];
    return text + "]}";
  }

  std::string file(const std::string& name = "profile.json", const std::string& more = "") const {
    return measured_file(name, text(more));
  }

 private:
  std::vector<std::string> events_ = {};
  std::size_t correlation_ = 0;
};

inline std::string distributed(std::size_t rank, std::size_t world, const std::string& groups = "") {
  return R"("distributedInfo":{"rank":)" + std::to_string(rank) + R"(,"world_size":)" +
         std::to_string(world) + groups + "},";
}

// One training step from `at` on, 100 long: a forward of three layers of two kernels each (10-40), a backward
// of as many from autograd's thread (40-80), an all-reduce behind it (78-86), and the optimizer (88-92;
// `slower` times as long).
inline void add_step(TorchProfile& profile, std::size_t number, double at, double slower = 1) {
  profile.range("ProfilerStep#" + std::to_string(number), at, at + 100);
  for (int layer = 0; layer < 3; ++layer) {
    const double start = at + 10 + 10 * layer;
    profile.kernel("gemm", at + 1 + layer, start, start + 6)
        .kernel("gelu", at + 2 + layer, start + 6, start + 10);
  }
  profile.op("autograd::engine::evaluate_function: AddmmBackward0", at + 20, at + 60, "2");
  for (int layer = 0; layer < 3; ++layer) {
    const double start = at + 40 + 12 * layer;
    profile.kernel("gelu_backward", at + 21 + layer, start, start + 4, "2")
        .kernel("gemm_backward", at + 22 + layer, start + 4, start + 12, "2");
  }
  profile.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", at + 50, at + 74, at + 86, "2",
                 R"("Collective name":"allreduce","In msg nelems":1000,"Out msg nelems":1000,)"
                 R"("dtype":"Float","Group size":8)");
  profile.range("Optimizer.step#AdamW.step", at + 84, at + 90)
      .kernel("multi_tensor_apply_kernel", at + 87, at + 88, at + 88 + 4 * slower);
}

}  // namespace spillway::testing
