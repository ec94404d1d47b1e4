// Reads kernel_details.csv of an Ascend profiler: one row per kernel and collective of one device. Private to
// src/traces.
//
// Columns are found by their names (as in Ascend/msinsight's example, CANN 8.3.RC1): Step Id (may be absent),
// Stream ID, Name, Type, Accelerator Core, Start Time(us), Duration(us), Input Shapes, Input Data Types,
// Output Shapes. Lower profiling levels lack the last three. Shapes are quoted texts such as
// "4096,1024;6144,1024".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/files/line_source.h"

namespace spillway {

// The views hold until the next row.
struct AscendKernel {
  std::string_view step;    // "13"; empty if the file has no steps
  std::string_view stream;  // "N/A" of a collective
  std::string_view name;
  std::string_view type;
  std::int64_t start_ns;  // on the host's clock, since 1970
  double duration_us;     // negative if the file says so
  std::string_view input_shapes;
  std::string_view input_types;
  std::string_view output_shapes;
};

class AscendKernels {
 public:
  // Throws InputError if the file cannot be read, has no header line, or lacks a kernel's name, type, start
  // or duration. The error names all missing columns.
  explicit AscendKernels(const std::string& path);

  // Returns the next kernel in the file's order, or nothing at its end. Throws InputError if a line is too
  // short or a time is no number.
  std::optional<AscendKernel> next();

  std::string place() const { return lines_.place(); }

 private:
  static constexpr std::size_t kColumns = 9;

  std::string_view field(std::size_t column) const;
  [[noreturn]] void refuse(std::string expected, std::string_view found) const;

  LineSource lines_;
  std::vector<std::string_view> fields_;
  std::array<std::size_t, kColumns> place_of_{};  // [column]: its place in a line, if it has one
  std::size_t width_ = 0;
};

// Converts "1764246877073569.640" in microseconds to nanoseconds. A double would round them to 250 ns.
std::optional<std::int64_t> nanoseconds_from_microseconds(std::string_view text);

}  // namespace spillway
