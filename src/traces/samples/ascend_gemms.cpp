#include "traces/samples/ascend_gemms.h"

#include "base/number.h"
#include "traces/files/median.h"

namespace spillway {
namespace {

using Matrix = std::array<double, 2>;

// Returns the i-th of the entries between semicolons.
std::string_view entry(std::string_view list, std::size_t i) {
  for (; i > 0; --i) {
    const std::size_t end = list.find(';');
    if (end == std::string_view::npos) return {};
    list.remove_prefix(end + 1);
  }
  return list.substr(0, list.find(';'));
}

// The side of the operand that is not shared with the output. Nothing if it is no whole number.
std::optional<double> other_side(const Matrix& operand, double shared) {
  if (operand[0] == shared) return operand[1];
  if (operand[1] == shared) return operand[0];
  return std::nullopt;
}

// Finds [m x k] times [k x n]. Each operand may be stored transposed.
std::optional<std::array<double, 3>> product_shape(const AscendKernel& kernel) {
  const auto a = matrix_shape(entry(kernel.input_shapes, 0));
  const auto b = matrix_shape(entry(kernel.input_shapes, 1));
  const auto out = matrix_shape(entry(kernel.output_shapes, 0));
  if (!a || !b || !out) return std::nullopt;
  const auto k = other_side(*a, (*out)[0]);
  if (!k || other_side(*b, (*out)[1]) != k) return std::nullopt;
  return std::array<double, 3>{(*out)[0], (*out)[1], *k};
}

bool is_matmul(std::string_view type) {
  return type.starts_with("MatMul") || type.starts_with("BatchMatMul");
}

}  // namespace

std::optional<std::array<double, 2>> matrix_shape(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto rows = number_from<std::uint64_t>(text.substr(0, comma));
  const auto columns = number_from<std::uint64_t>(text.substr(comma + 1));
  if (!rows || !columns) return std::nullopt;
  return Matrix{static_cast<double>(*rows), static_cast<double>(*columns)};
}

void AscendGemms::read(const std::string& path) {
  AscendKernels kernels(path);
  while (const auto kernel = kernels.next())
    if (is_matmul(kernel->type) && kernel->duration_us > 0) add(*kernel);
}

void AscendGemms::add(const AscendKernel& kernel) {
  const auto shape = product_shape(kernel);
  if (!shape || !kernel.input_types.starts_with("DT_BF16;DT_BF16")) {
    ++blocked_;
    return;
  }
  times_us_[*shape].push_back(kernel.duration_us);
  ++kernels_;
}

std::vector<MeasuredGemm> AscendGemms::medians() const {
  std::vector<MeasuredGemm> gemms;
  for (const auto& [shape, times] : times_us_)
    gemms.push_back({shape[0], shape[1], shape[2], microseconds(median(times))});
  return gemms;
}

}  // namespace spillway
