// Products of matrices among the kernels of an Ascend device. Private to src/traces.
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

  // By m, n, k; the median of each.
  std::vector<MeasuredGemm> medians() const;

  std::size_t kernels() const { return kernels_; }  // behind the medians
  std::size_t blocked() const { return blocked_; }  // products of other types, ranks or formats, left out

 private:
  using Shape = std::array<double, 3>;

  void add(const AscendKernel& kernel);

  std::map<Shape, std::vector<double>> times_us_;
  std::size_t kernels_ = 0;
  std::size_t blocked_ = 0;
};

// {rows, columns} of "4096,1024"; none of anything else.
std::optional<std::array<double, 2>> matrix_shape(std::string_view text);

}  // namespace spillway
