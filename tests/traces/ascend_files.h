// Small folders of the Ascend profiler, written for a test and gone after it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/temporary_folder.h"
#include "traces/formats/trace_format_list.h"

namespace spillway::testing {

inline constexpr const char* kHeader = "Step Id,Name,Type,Stream ID,Start Time(us),Duration(us)\n";

inline constexpr const char* kCommunication = "rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/communication.json";

// Returns an operation of communication.json that takes three milliseconds.
inline std::string operation(const std::string& bandwidths) {
  return R"json({"Communication Time Info": {"Start Timestamp(us)": 5.5, "Elapse Time(ms)": 3},
                 "Communication Bandwidth Info": )json" +
         bandwidths + "}";
}

// Returns a row at `start` microseconds after the file's first second.
inline std::string row(const std::string& name, const std::string& type, int start,
                       const std::string& duration, const std::string& step = "1") {
  const std::string time = std::to_string(1764246877000000 + start) + ".250\t";
  return step + "," + name + "," + type + ",2," + time + "," + duration + "\n";
}

// These are two microbatches of the first of two stages, and of the last.
inline const std::string kFirstStage =
    kHeader + row("Mul", "MatMulV3", 0, "10") +
    row("hcom_batchSendRecv__1_1_1", "hcom_batchSendRecv_", 10, "1") + row("Mul", "MatMulV3", 12, "8.125") +
    row("hcom_batchSendRecv__1_2_1", "hcom_batchSendRecv_", 21, "30") + row("MulGrad", "Grad", 52, "10") +
    row("hcom_batchSendRecv__1_3_1", "hcom_batchSendRecv_", 63, "20") + row("MulGrad", "Grad", 84, "10") +
    row("hcom_reduceScatter__2_1_1", "hcom_reduceScatter_", 95, "5");
inline const std::string kLastStage =
    kHeader + row("hcom_batchSendRecv__1_1_1", "hcom_batchSendRecv_", 1, "10") +
    row("Mul", "MatMulV3", 12, "18") + row("Fill", "Fill", 30, "1") + row("MulGrad", "Grad", 31, "19") +
    row("hcom_batchSendRecv__1_2_1", "hcom_batchSendRecv_", 50, "1") + row("Mul", "MatMulV3", 52, "10") +
    row("MulGrad", "Grad", 70, "12") + row("hcom_batchSendRecv__1_3_1", "hcom_batchSendRecv_", 82, "1");

class AscendFiles : public ::testing::Test {
 protected:
  void write(const std::filesystem::path& file, const std::string& text) {
    temporary_.file(file.string(), text);
  }

  // Writes a device of a pipeline of two; it has no kernels if `kernels` is empty.
  void write_rank(std::uint32_t rank, const std::string& kernels, const std::string& more = "") {
    const std::filesystem::path folder = "rank" + std::to_string(rank) + "_ascend_pt";
    write(folder / "profiler_metadata.json",
          R"({"distributed_args": {"pipeline_model_parallel_size": 2, "data_parallel_size": 1, "rank": )" +
              std::to_string(rank) + more + "}}");
    std::filesystem::create_directories(root_ / folder / "ASCEND_PROFILER_OUTPUT");
    if (!kernels.empty()) write(folder / "ASCEND_PROFILER_OUTPUT/kernel_details.csv", kernels);
  }

  Trace trace() const { return kAscendFolder.read(root_.string()); }

  std::vector<Violation> refused() const {
    try {
      trace();
    } catch (const InputError& error) {
      return error.violations();
    }
    return {};
  }

  std::size_t count(const Trace& trace, TraceKind kind) const {
    return static_cast<std::size_t>(std::count_if(trace.events.begin(), trace.events.end(),
                                                  [&](const TraceEvent& e) { return e.kind == kind; }));
  }

  // Returns whether a note of the kind begins with the text.
  static bool notes(const Trace& trace, NoteKind kind, const std::string& text) {
    return std::any_of(trace.notes.begin(), trace.notes.end(),
                       [&](const Note& note) { return note.kind == kind && note.text.starts_with(text); });
  }

  const TemporaryFolder temporary_;
  const std::filesystem::path root_ = temporary_.path();
};

}  // namespace spillway::testing
