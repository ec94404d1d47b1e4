#include "traces/ascend/ascend_timeline.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "traces/ascend/ascend_communication.h"
#include "traces/ascend/ascend_kernels.h"

namespace spillway {
namespace {

constexpr const char* kKernels = "kernel_details.csv";
constexpr const char* kCommunicationFile = "communication.json";
constexpr std::uint32_t kMostStreams = 255;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

AscendSign sign_of_communication(std::string_view kind) {
  if (kind == "batchSendRecv") return AscendSign::PointToPoint;
  if (kind == "send") return AscendSign::Send;
  if (kind == "receive" || kind == "recv") return AscendSign::Receive;
  return AscendSign::Collective;
}

// Returns true for one value and for an unknown number of values.
bool maybe_one_value(std::string_view shape) {
  return shape.empty() || shape == "1" || shape == "N/A";
}

AscendSign sign_of(const AscendKernel& kernel) {
  const std::string_view communication = ascend_operation_kind(kernel.name);
  if (!communication.empty()) return sign_of_communication(communication);
  if (kernel.type.starts_with("Apply")) return AscendSign::Optimizer;
  if (contains(kernel.name, "Grad") || contains(kernel.name, "Backward")) return AscendSign::Gradient;
  if (contains(kernel.type, "MatMul") || contains(kernel.type, "Matmul") ||
      contains(kernel.type, "Attention") || contains(kernel.type, "Conv"))
    return AscendSign::Matrix;
  const bool fills = kernel.type == "Fill" || kernel.type == "OnesLike";
  return fills && maybe_one_value(kernel.output_shapes) ? AscendSign::Seed : AscendSign::Plain;
}

// Counts rows with a negative time, which are left out.
struct Negative {
  std::size_t count = 0;
  std::string first;

  void add(const std::string& place) {
    if (count++ == 0) first = place;
  }
};

void add_kernels(const std::string& path, AscendNaming& naming, std::vector<AscendItem>& items,
                 std::vector<Note>& notes) {
  AscendKernels kernels(path);
  NameIndex streams;
  Negative negative;
  while (const auto kernel = kernels.next()) {
    if (kernel->duration_us < 0) {
      negative.add(kernels.place());
      continue;
    }
    const std::int64_t end = kernel->start_ns + std::llround(kernel->duration_us * 1000);
    const std::uint32_t stream = std::min(streams[kernel->stream], kMostStreams);
    items.push_back({kernel->start_ns, end, naming.steps[kernel->step], naming.names[kernel->name],
                     static_cast<std::uint8_t>(stream), sign_of(*kernel)});
  }
  if (negative.count > 0)
    notes.push_back({NoteKind::Dropped, negative.count,
                     "kernels of a negative duration in " + path + " (first at " + negative.first + ")"});
}

void add_communication(const std::string& path, AscendNaming& naming, std::vector<AscendItem>& items,
                       std::vector<Note>& notes) {
  Negative negative;
  for (const AscendOperation& operation : read_ascend_communication(path)) {
    if (operation.elapsed < Seconds(0)) {
      negative.add(operation.name);
      continue;
    }
    const std::int64_t end = operation.start_ns + std::llround(operation.elapsed.value() * 1e9);
    items.push_back({operation.start_ns, end, naming.steps[operation.step], naming.names[operation.name], 0,
                     sign_of_communication(ascend_operation_kind(operation.name))});
  }
  if (negative.count > 0)
    notes.push_back({NoteKind::Dropped, negative.count,
                     "operations of a negative duration in " + path + " (first " + negative.first + ")"});
}

}  // namespace

bool is_point_to_point(AscendSign sign) {
  return sign >= AscendSign::PointToPoint;
}

bool is_communication(AscendSign sign) {
  return sign >= AscendSign::Collective;
}

AscendTimeline ascend_timeline(const AscendRank& rank, AscendNaming& naming, std::vector<std::string>& files,
                               std::vector<Note>& notes) {
  AscendTimeline timeline{rank, false, {}};
  const std::string kernels = rank.file(kKernels);
  const std::string communication = rank.file(kCommunicationFile);
  const std::string of_rank = " of rank " + std::to_string(rank.world_rank);
  if (!kernels.empty()) {
    files.push_back(kernels);
    add_kernels(kernels, naming, timeline.items, notes);
    timeline.has_kernels = !timeline.items.empty();
    if (!timeline.has_kernels) notes.push_back({NoteKind::Missing, 0, "any kernel in " + kernels});
  }
  // At lower profiling levels, the kernels' table has no communication.
  const bool told = std::any_of(timeline.items.begin(), timeline.items.end(),
                                [](const AscendItem& item) { return is_communication(item.sign); });
  if (communication.empty()) notes.push_back({NoteKind::Missing, 0, kCommunicationFile + of_rank});
  if (!told && !communication.empty()) {
    files.push_back(communication);
    add_communication(communication, naming, timeline.items, notes);
  }
  std::stable_sort(timeline.items.begin(), timeline.items.end(),
                   [](const AscendItem& a, const AscendItem& b) {
                     return std::tie(a.step, a.start_ns) < std::tie(b.step, b.start_ns);
                   });
  return timeline;
}

}  // namespace spillway
