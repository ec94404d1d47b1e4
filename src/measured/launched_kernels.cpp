#include "measured/launched_kernels.h"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <streambuf>
#include <tuple>
#include <unordered_map>

#include "base/error.h"
#include "measured/byte_source.h"
#include "measured/trace.h"

namespace spillway {
namespace {

using Json = nlohmann::json;

// A ByteSource as the parser wants it.
class ByteStream : public std::streambuf {
 public:
  explicit ByteStream(const std::string& path) : source_(path), buffer_(std::size_t{1} << 16) {}

 private:
  int_type underflow() override {
    const std::size_t count = source_.read(buffer_);
    setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
    return count == 0 ? traits_type::eof() : traits_type::to_int_type(buffer_.front());
  }

  ByteSource source_;
  std::vector<char> buffer_;
};

std::optional<double> number(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::string text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::array<std::uint32_t, 3> grid_of(const Json& arguments) {
  std::array<std::uint32_t, 3> grid{};
  const auto found = arguments.find("grid");
  if (found == arguments.end() || !found->is_array()) return grid;
  for (std::size_t i = 0; i < std::min(found->size(), grid.size()); ++i)
    if ((*found)[i].is_number_unsigned()) grid[i] = (*found)[i].get<std::uint32_t>();
  return grid;
}

bool is_device_work(const std::string& category) {
  return category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset";
}

bool is_launch(const std::string& category) {
  return category == "cuda_runtime" || category == "cuda_driver";
}

class Collector {
 public:
  explicit Collector(const std::string& path) { result_.file = path; }

  // An event, or the description of a device.
  void take(const Json& event) {
    if (const std::string name = text(event, "name");
        result_.device.empty() && event.contains("computeMajor"))
      result_.device = name;
    if (text(event, "ph") != "X") return;
    const std::string category = text(event, "cat");
    const bool work = is_device_work(category), launch = is_launch(category);
    if (!work && !launch && category != "user_annotation") return;
    const auto start = number(event, "ts"), duration = number(event, "dur");
    if (!start || !duration || *duration < 0) {
      ++senseless_;
      return;
    }
    if (!origin_) origin_ = *start;
    const Seconds from = microseconds(*start - *origin_);
    const Seconds to = from + microseconds(*duration);
    if (category == "user_annotation") result_.ranges.push_back({text(event, "name"), from, to});
    const auto arguments = event.find("args");
    if (arguments == event.end()) return;
    const auto correlation = number(*arguments, "correlation");
    if (launch && correlation) launches_[*correlation] = from;
    if (work) add_kernel(event, *arguments, from, to, correlation);
  }

  LaunchedKernels finish() {
    if (result_.kernels.empty()) throw InputError({{result_.file, "", "events of category kernel", "none"}});
    note(NoteKind::Dropped, senseless_, "events without a time or with a negative duration");
    find_launches();
    find_ranges();
    return std::move(result_);
  }

 private:
  void add_kernel(const Json& event, const Json& arguments, Seconds from, Seconds to,
                  std::optional<double> correlation) {
    const std::string name = text(event, "name");
    const auto [known, added] = names_.try_emplace(name, static_cast<std::uint32_t>(result_.names.size()));
    if (added) result_.names.push_back(name);
    const auto stream = static_cast<std::uint16_t>(number(arguments, "stream").value_or(0));
    result_.kernels.push_back({from, to, std::nullopt, known->second, kUnknown, grid_of(arguments), stream,
                               is_communication_kernel(name)});
    correlations_.push_back(correlation.value_or(-1));
  }

  void find_launches() {
    std::size_t missing = 0;
    for (std::size_t i = 0; i < correlations_.size(); ++i) {
      const auto found = launches_.find(correlations_[i]);
      if (found != launches_.end()) {
        result_.kernels[i].launch = found->second;
      } else {
        ++missing;
      }
    }
    note(NoteKind::Missing, missing, "kernels whose launch is not in the file");
    std::sort(result_.kernels.begin(), result_.kernels.end(), [](const auto& a, const auto& b) {
      return std::tie(a.launch, a.start, a.end, a.stream) < std::tie(b.launch, b.start, b.end, b.stream);
    });
  }

  // Launches ascend, so a range that ended before one of them is open at none of the later ones.
  void find_ranges() {
    std::sort(result_.ranges.begin(), result_.ranges.end(), [](const auto& a, const auto& b) {
      return std::tie(a.start, b.end) < std::tie(b.start, a.end);
    });
    std::vector<std::uint32_t> open;
    std::uint32_t next = 0;
    std::size_t outside = 0;
    for (LaunchedKernel& kernel : result_.kernels) {
      if (!kernel.launch) continue;
      while (next < result_.ranges.size() && result_.ranges[next].start <= *kernel.launch)
        open.push_back(next++);
      while (!open.empty() && result_.ranges[open.back()].end < *kernel.launch) open.pop_back();
      if (open.empty()) {
        ++outside;
      } else {
        kernel.range = open.back();
      }
    }
    note(NoteKind::Missing, outside, "kernels launched outside any annotated range");
  }

  void note(NoteKind kind, std::size_t count, const char* what) {
    if (count > 0) result_.notes.push_back({kind, count, what});
  }

  LaunchedKernels result_;
  std::optional<double> origin_;
  std::unordered_map<double, Seconds> launches_;  // by correlation
  std::vector<double> correlations_;              // of result_.kernels
  std::map<std::string, std::uint32_t> names_;
  std::size_t senseless_ = 0;
};

}  // namespace

bool is_communication_kernel(std::string_view name) {
  constexpr std::array<std::string_view, 7> parts = {"ncclDevKernel", "ncclKernel",       "hcom_",
                                                     "::internode::", "::internode_ll::", "::intranode::",
                                                     "nvshmem"};
  return std::any_of(parts.begin(), parts.end(),
                     [name](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

// Every object that lies in a list of the document, or in the document where that is a list, is looked at
// when it ends and then forgotten.
LaunchedKernels read_launched_kernels(const std::string& path) {
  Collector collector(path);
  ByteStream bytes(path);
  std::istream stream(&bytes);
  int events_at = 2;
  const auto forget = [&](int depth, Json::parse_event_t what, Json& parsed) {
    if (what == Json::parse_event_t::array_start && depth == 0) events_at = 1;
    if (what != Json::parse_event_t::object_end || depth != events_at) return true;
    collector.take(parsed);
    return false;
  };
  try {
    [[maybe_unused]] const Json what_is_left = Json::parse(stream, forget);
  } catch (const Json::parse_error& error) {
    throw InputError({{path, "byte " + std::to_string(error.byte), "JSON of trace events", error.what()}});
  }
  return collector.finish();
}

}  // namespace spillway
