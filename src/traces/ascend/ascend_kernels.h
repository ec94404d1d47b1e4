// kernel_details.csv of an Ascend profiler: one row per kernel and collective of one device. Private to
// src/traces.
//
// Columns by their names (Ascend/msinsight's example, CANN 8.3.RC1): Step Id (may be absent), Stream ID,
// Name, Type, Accelerator Core, Start Time(us), Duration(us), Input Shapes, Input Data Types, Output Shapes
// (the last three absent at lower profiling levels). Shapes are "4096,1024;6144,1024" in quotes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/files/line_source.h"

namespace spillway {

// Views until the next row.
struct AscendKernel {
  std::string_view step;    // "13"; empty where the file has no steps
  std::string_view stream;  // "N/A" of a collective
  std::string_view name;
  std::string_view type;
  std::int64_t start_ns;  // of the host's clock, since 1970
  double duration_us;     // negative where the file says so
  std::string_view input_shapes;
  std::string_view input_types;
  std::string_view output_shapes;
};

class AscendKernels {
 public:
  // Throws InputError where the file cannot be read, has no header line, or lacks a column of a kernel's
  // name, type, start or duration: all those that are missing.
  explicit AscendKernels(const std::string& path);

  // In the order of the file; none at its end. Throws InputError where a line is too short or a time no
  // number.
  std::optional<AscendKernel> next();

  std::string place() const { return lines_.place(); }

 private:
  static constexpr std::size_t kColumns = 9;

  std::string_view field(std::size_t column) const;
  [[noreturn]] void refuse(std::string expected, std::string_view found) const;

  LineSource lines_;
  std::vector<std::string_view> fields_;
  std::array<std::size_t, kColumns> place_of_{};  // of each column in a line; past its end where absent
  std::size_t width_ = 0;
};

// "1764246877073569.640", microseconds, to nanoseconds: a double would round them to 250.
std::optional<std::int64_t> nanoseconds_from_microseconds(std::string_view text);

}  // namespace spillway
