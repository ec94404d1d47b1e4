// Finds the matrix products among the kernels of an Ascend device. Private to src/traces.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/measured_operators.h"
#include "traces/ascend/ascend_kernels.h"

namespace spillway {

class AscendGemms {
 public:
  // Throws as AscendKernels does.
  void read(const std::string& path);

  // Returns the median of each m, n, k, in that order.
  std::vector<MeasuredGemm> medians() const;

  std::size_t kernels() const { return kernels_; }  // of which the medians are
  // Products of other types, ranks or formats, which are left out.
  std::size_t blocked() const { return blocked_; }

 private:
  using Shape = std::array<double, 3>;

  void add(const AscendKernel& kernel);

  std::map<Shape, std::vector<double>> times_us_;
  std::size_t kernels_ = 0;
  std::size_t blocked_ = 0;
};

// Returns {rows, columns} of "4096,1024", or nothing for any other text.
std::optional<std::array<double, 2>> matrix_shape(std::string_view text);

}  // namespace spillway
