#include "traces/samples/pass_sums.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/files.h"
#include "base/number.h"
#include "traces/ascend/ascend_kernels.h"
#include "traces/ascend/ascend_ranks.h"
#include "traces/samples/ascend_gemms.h"

namespace spillway {
namespace {

std::string_view first_shape(std::string_view list) {
  return list.substr(0, list.find(';'));
}

std::string_view second_shape(std::string_view list) {
  const std::size_t end = list.find(';');
  return end == std::string_view::npos ? std::string_view() : first_shape(list.substr(end + 1));
}

// Product of all sides and the last side of a shape such as "4096,1,1024".
struct ShapeSides {
  double elements = 0;
  double last = 0;
};

ShapeSides shape_sides(std::string_view shape) {
  ShapeSides sides{1, 0};
  for (std::size_t begin = 0; begin <= shape.size();) {
    const std::size_t end = std::min(shape.find(',', begin), shape.size());
    const auto side = number_from<std::uint64_t>(shape.substr(begin, end - begin));
    if (!side) return {};
    sides.last = static_cast<double>(*side);
    sides.elements *= sides.last;
    begin = end + 1;
  }
  return sides;
}

constexpr std::string_view kFormatOfProduct = "TransData";

bool makes_product(std::string_view type) {
  return type.starts_with("MatMul") || type.starts_with("BatchMatMul") || type == kFormatOfProduct;
}

bool is_filling(std::string_view type) {
  return type == "ZerosLike" || type == "MemSet";
}

bool adds_a_gradient(const AscendKernel& kernel) {
  return kernel.type == "Add" && kernel.input_types.starts_with("FLOAT;DT_BF16") &&
         matrix_shape(first_shape(kernel.input_shapes)) &&
         first_shape(kernel.input_shapes) == second_shape(kernel.input_shapes);
}

// Returns true for a norm, or a sum that belongs to its weight's gradient.
bool is_of_norm(const AscendKernel& kernel) {
  const bool one_row = first_shape(kernel.input_shapes).find(',') == std::string_view::npos;
  return kernel.type.find("Norm") != std::string_view::npos || one_row;
}

class LayerSorting {
 public:
  explicit LayerSorting(PassSums& sums)
      : products_each_(sums.kind == TraceKind::Forward ? 1 : 2), sums_(sums.layers) {}

  void product() { products_ += 1; }

  void attention() {
    if (begun_ && products_ == kProducts * products_each_) {
      sums_.layers += 1;
      for (KernelSum LayerSums::*const part : kParts) sums_.*part += layer_.*part;
    }
    begun_ = true;
    products_ = 0;
    layer_ = {};
  }

  void other(const AscendKernel& kernel, const KernelSum& sum) {
    const bool norm = is_of_norm(kernel);
    switch ((products_ + products_each_ - 1) / products_each_) {
      case 1:
      case 3:
        (norm ? layer_.norm : layer_.residual) += sum;
        break;
      case 2:
        layer_.activation += sum;
        break;
      default:
        (norm ? layer_.head_norms : layer_.rotary) += sum;
    }
  }

 private:
  static constexpr std::uint32_t kProducts = 4;
  static constexpr std::array kParts = {&LayerSums::norm, &LayerSums::residual, &LayerSums::activation,
                                        &LayerSums::head_norms, &LayerSums::rotary};

  std::uint32_t products_each_;
  LayerSums& sums_;
  LayerSums layer_ = {};
  std::uint32_t products_ = 0;  // since the last attention
  bool begun_ = false;
};

class KernelSorting {
 public:
  KernelSorting(double vocabulary, PassSums& sums) : vocabulary_(vocabulary), sums_(sums), layers_(sums) {}

  void add(const AscendKernel& kernel) {
    const ShapeSides input = shape_sides(first_shape(kernel.input_shapes));
    const Seconds time = microseconds(std::max(0.0, kernel.duration_us));
    const KernelSum one{1, time};
    if (makes_product(kernel.type)) {
      if (kernel.type != kFormatOfProduct) layers_.product();
      sums_.products += one;
      return;
    }
    if (kernel.type.starts_with("FlashAttention")) {
      layers_.attention();
      if (input.last > 0) sums_.tokens = input.elements / input.last;
      sums_.attention += one;
      return;
    }
    if (kernel.name.find("EmbeddingDenseBackward") != std::string_view::npos) {
      if (kernel.type.starts_with("EmbeddingDenseGrad"))
        sums_.embedded = shape_sides(first_shape(kernel.output_shapes)).elements;
      sums_.embedding += one;
      return;
    }
    if (adds_a_gradient(kernel)) {
      if (input.elements != sums_.embedded) return sums_.sums.push_back({input.elements, time});
      sums_.embedding_sum += time;
      sums_.embedding += one;
      return;
    }
    if (input.last == vocabulary_ && input.elements > vocabulary_) {
      sums_.loss += one;
      return;
    }
    const KernelSum other{1, is_filling(kernel.type) ? Seconds() : time};
    sums_.rest += other;
    layers_.other(kernel, other);
  }

 private:
  double vocabulary_;
  PassSums& sums_;
  LayerSorting layers_;
};

// Clocks of traces are doubles of seconds, with a resolution of a quarter microsecond.
constexpr Seconds kSameTime = microseconds(0.5);

void add_kernels(const std::string& file, const TraceEvent& pass, double origin_s, double vocabulary,
                 std::vector<PassSums>& all) {
  PassSums& sums = all.emplace_back(PassSums{pass.rank, pass.kind});
  KernelSorting sorting(vocabulary, sums);
  AscendKernels kernels(file);
  while (const auto kernel = kernels.next()) {
    const Seconds start(static_cast<double>(kernel->start_ns) * 1e-9 - origin_s);
    if (kernel->name.starts_with("hcom_") || start < pass.start - kSameTime || start > pass.end() - kSameTime)
      continue;
    sorting.add(*kernel);
  }
}

}  // namespace

std::vector<PassSums> pass_sums(const std::string& folder, const Trace& trace, double vocabulary) {
  std::vector<PassSums> all;
  for (const AscendRank& rank : ascend_ranks(folder)) {
    const std::string file = rank.file("kernel_details.csv");
    if (rank.replica != 0 || !rank.first_of_stage || file.empty()) continue;
    for (const TraceKind kind : {TraceKind::Forward, TraceKind::Backward}) {
      const auto first = std::ranges::find_if(trace.events, [&](const TraceEvent& event) {
        return event.kind == kind && event.replica == 0 && event.rank == rank.pipeline_rank;
      });
      if (first != trace.events.end()) add_kernels(file, *first, trace.origin_s, vocabulary, all);
    }
  }
  return all;
}

}  // namespace spillway
