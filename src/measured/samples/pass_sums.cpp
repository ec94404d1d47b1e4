#include "measured/samples/pass_sums.h"

#include <algorithm>
#include <string_view>

#include "base/files.h"
#include "base/number.h"
#include "measured/ascend/ascend_kernels.h"
#include "measured/ascend/ascend_ranks.h"
#include "measured/samples/ascend_gemms.h"

namespace spillway {
namespace {

std::string_view first_shape(std::string_view list) {
  return list.substr(0, list.find(';'));
}

std::string_view second_shape(std::string_view list) {
  const std::size_t end = list.find(';');
  return end == std::string_view::npos ? std::string_view() : first_shape(list.substr(end + 1));
}

// {product of all sides, the last side} of "4096,1,1024".
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

bool makes_product(std::string_view type) {
  return type.starts_with("MatMul") || type.starts_with("BatchMatMul") || type == "TransData";
}

bool is_filling(std::string_view type) {
  return type == "ZerosLike" || type == "MemSet";
}

bool adds_a_gradient(const AscendKernel& kernel) {
  return kernel.type == "Add" && kernel.input_types.starts_with("FLOAT;DT_BF16") &&
         matrix_shape(first_shape(kernel.input_shapes)) &&
         first_shape(kernel.input_shapes) == second_shape(kernel.input_shapes);
}

class KernelSorting {
 public:
  KernelSorting(double vocabulary, PassSums& sums) : vocabulary_(vocabulary), sums_(sums) {}

  void add(const AscendKernel& kernel) {
    const ShapeSides input = shape_sides(first_shape(kernel.input_shapes));
    const Seconds time = microseconds(std::max(0.0, kernel.duration_us));
    if (makes_product(kernel.type)) return count(sums_.products, time);
    if (kernel.type.starts_with("FlashAttention")) {
      if (input.last > 0) sums_.tokens = input.elements / input.last;
      return count(sums_.attention, time);
    }
    if (kernel.name.find("EmbeddingDenseBackward") != std::string_view::npos) {
      if (kernel.type.starts_with("EmbeddingDenseGrad"))
        sums_.embedded = shape_sides(first_shape(kernel.output_shapes)).elements;
      return count(sums_.embedding, time);
    }
    if (adds_a_gradient(kernel)) {
      if (input.elements != sums_.embedded) return sums_.sums.push_back({input.elements, time});
      sums_.embedding_sum += time;
      return count(sums_.embedding, time);
    }
    if (input.last == vocabulary_ && input.elements > vocabulary_) return count(sums_.loss, time);
    count(sums_.rest, is_filling(kernel.type) ? Seconds() : time);
  }

 private:
  static void count(KernelSum& sum, Seconds time) {
    sum.kernels += 1;
    sum.time += time;
  }

  double vocabulary_;
  PassSums& sums_;
};

// Clocks of traces are seconds as doubles, a quarter of a microsecond apart.
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
