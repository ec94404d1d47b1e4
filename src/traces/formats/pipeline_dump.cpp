// Reads what Primus writes by --dump_pp_data
// (primus/backends/megatron/core/pipeline_parallel/pp_visualizer.py of AMD-AGI/Primus @fd1eeabb). This is a
// folder with pp_rank_N.json for each rank of a pipeline, by iteration
//   { "1": { "total": ms, "memory": GiB, "fwd_start": [...], "fwd_end": [...], "bwd_start": [...], ...,
//            "wgrad_start": [...], "wgrad_end": [...] }, ... }
// Each list has a time for each call, in milliseconds from the start of the rank's iteration. config.json
// beside them has pp_size, vp_size and others.
//
// The n-th call of a direction is microbatch n. If config.json says that a rank has several chunks (vp_size),
// calls are assumed to be in the order of Megatron's interleaved 1F1B, because the file does not state their
// chunk. With separate weight gradients the order is another one, so such a dump is refused. All ranks are
// assumed to begin an iteration together. The first iterations, as long as any ends with less memory held
// than the last one, are warm-up: caches and buffers are still being made. They are left out if they are
// fewer than half.
#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/number.h"
#include "traces/files/json_file.h"
#include "traces/formats/trace_formats.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kBegin = "pp_rank_", kEnd = ".json";
constexpr std::uint64_t kMostStages = 65'535;

// One rank's file.
struct RankDump {
  std::string path;
  std::uint16_t rank;
  nlohmann::ordered_json iterations;
};

std::optional<std::uint16_t> rank_in(const std::string& name) {
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return std::nullopt;
  return number_from<std::uint16_t>(
      std::string_view(name).substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size()));
}

[[noreturn]] void refuse_dump(const std::string& path, const std::string& pointer, std::string expected,
                              std::string found) {
  throw InputError({{path, pointer, std::move(expected), std::move(found)}});
}

// Returns the number of files of ranks in a folder.
std::size_t count_dumps(const std::string& folder) {
  return static_cast<std::size_t>(std::ranges::count_if(
      entries_of(folder), [](const auto& entry) { return rank_in(entry.filename().string()).has_value(); }));
}

// Returns the dumps by rank, each with at least one iteration. Throws InputError if a rank's is missing or
// broken.
std::vector<RankDump> dumps_in(const std::string& folder) {
  std::vector<RankDump> dumps;
  for (const auto& entry : entries_of(folder))
    if (const auto rank = rank_in(entry.filename().string()))
      dumps.push_back({entry.string(), *rank, read_json_file(entry.string())});
  std::ranges::sort(dumps, {}, &RankDump::rank);
  for (std::size_t i = 0; i < dumps.size(); ++i)
    if (dumps[i].rank != i)
      refuse_dump(folder, "/", "a file of every rank of the pipeline", "none of rank " + std::to_string(i));
  for (const RankDump& dump : dumps)
    if (!dump.iterations.is_object() || dump.iterations.empty())
      refuse_dump(dump.path, "/", "an object with an iteration", "none");
  return dumps;
}

// Returns the chunks of each rank, as config.json beside them says; one without it.
std::uint32_t chunks_of(const std::string& folder, std::size_t ranks) {
  const std::string path = folder + "/config.json";
  if (!is_plain_file(path)) return 1;
  const Json config = read_json_file(path);
  const auto size = [&](const char* key) {
    return config.is_object() && config.contains(key) && config[key].is_number_unsigned()
               ? config[key].get<std::uint64_t>()
               : std::uint64_t{0};
  };
  if (size("pp_size") > 0 && size("pp_size") != ranks)
    refuse_dump(path, "/pp_size", std::to_string(ranks) + ", as there are files of ranks",
                std::to_string(size("pp_size")));
  if (size("vp_size") * ranks > kMostStages)
    refuse_dump(path, "/vp_size", "at most " + std::to_string(kMostStages) + " stages on all ranks",
                std::to_string(size("vp_size")));
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, size("vp_size")));
}

// Returns a time in milliseconds for each call. Empty if the iteration has no such list.
std::vector<double> times(const RankDump& dump, const std::string& iteration, const char* key) {
  const Json& values = dump.iterations.at(iteration);
  if (!values.is_object() || !values.contains(key)) return {};
  std::vector<double> list;
  for (const Json& value : values[key]) {
    if (!value.is_number())
      refuse_dump(dump.path, '/' + iteration + '/' + key + '/' + std::to_string(list.size()), "a number",
                  value.type_name());
    list.push_back(value.get<double>());
  }
  return list;
}

// Returns 0 if there is no such number.
double number_at(const RankDump& dump, const std::string& iteration, const char* key) {
  const Json& values = dump.iterations.at(iteration);
  return values.is_object() && values.contains(key) && values[key].is_number() ? values[key].get<double>()
                                                                               : 0;
}

// The two lists of one kind of call.
struct Calls {
  const char* start;
  const char* end;
  TraceKind kind;
};

class DumpReader {
 public:
  explicit DumpReader(const std::string& folder)
      : dumps_(dumps_in(folder)), chunks_(chunks_of(folder, dumps_.size())) {
    for (const auto& [iteration, values] : dumps_.front().iterations.items()) {
      for (const RankDump& dump : dumps_)
        if (!dump.iterations.contains(iteration))
          refuse_dump(dump.path, '/' + iteration, "the iterations of " + dumps_.front().path, "nothing");
      iterations_.push_back(iteration);
    }
  }

  Trace read() && {
    const std::size_t first = warm_up();
    double begin = 0;
    for (std::size_t i = first; i < iterations_.size(); ++i) {
      double longest = 0;
      for (const RankDump& dump : dumps_) {
        add(dump, iterations_[i], static_cast<std::uint32_t>(i - first), begin);
        longest = std::max(longest, number_at(dump, iterations_[i], "total"));
      }
      trace_.steps.push_back(iterations_[i]);
      begin += longest;
    }
    return std::move(*this).finished(first);
  }

 private:
  // Returns the number of iterations before the held memory is steady on every rank.
  std::size_t warm_up() const {
    std::size_t first = 0;
    for (const RankDump& dump : dumps_) {
      const double last = number_at(dump, iterations_.back(), "memory");
      for (std::size_t i = 0; i + 1 < iterations_.size(); ++i)
        if (number_at(dump, iterations_[i], "memory") < last * (1 - kSteady)) first = std::max(first, i + 1);
    }
    return 2 * first < iterations_.size() ? first : 0;
  }

  void add(const RankDump& dump, const std::string& iteration, std::uint32_t step, double begin) {
    const bool split = !times(dump, iteration, "wgrad_start").empty();
    if (split && chunks_ > 1)
      refuse_dump(dump.path, '/' + iteration + "/wgrad_start",
                  "no separate weight gradients, since the order of their chunks is unknown", "some");
    const std::array<Calls, 3> all = {
        {{"fwd_start", "fwd_end", TraceKind::Forward},
         {"bwd_start", "bwd_end", split ? TraceKind::BackwardInput : TraceKind::Backward},
         {"wgrad_start", "wgrad_end", TraceKind::BackwardWeight}}};
    for (const Calls& calls : all) {
      const std::vector<double> starts = times(dump, iteration, calls.start);
      const std::vector<double> ends = times(dump, iteration, calls.end);
      if (starts.size() % chunks_ != 0)
        refuse_dump(dump.path, '/' + iteration + '/' + calls.start,
                    "calls of " + std::to_string(chunks_) + " chunks, each as often",
                    std::to_string(starts.size()));
      if (starts.size() != ends.size())
        refuse_dump(dump.path, '/' + iteration + '/' + calls.end,
                    std::to_string(starts.size()) + " times, as many as of " + calls.start,
                    std::to_string(ends.size()));
      for (std::size_t i = 0; i < starts.size(); ++i) {
        if (ends[i] < starts[i])
          refuse_dump(dump.path, '/' + iteration + '/' + calls.end + '/' + std::to_string(i),
                      "a time that is not before its start, " + std::to_string(starts[i]),
                      std::to_string(ends[i]));
        const ChunkCall call = call_of(i, starts.size(), calls.kind);
        add(dump.rank, calls.kind, step, call, milliseconds(begin + starts[i]),
            milliseconds(ends[i] - starts[i]));
      }
    }
  }

  struct ChunkCall {
    std::uint32_t chunk;
    std::uint32_t microbatch;
  };

  // Megatron's interleaved order takes as many microbatches as there are ranks, chunk by chunk, then the next
  // group. The last group may be smaller. Backwards begin with the last chunk. Example of 2 ranks, 2 chunks,
  // 4 microbatches: chunk 0 of 0 1, chunk 1 of 0 1, chunk 0 of 2 3, chunk 1 of 2 3.
  ChunkCall call_of(std::size_t call, std::size_t calls, TraceKind kind) const {
    const std::size_t microbatches = calls / chunks_, ranks = dumps_.size();
    const std::size_t group = call / (ranks * chunks_) * ranks;
    const std::size_t size = std::min(ranks, microbatches - group), within = call - group * chunks_;
    const auto chunk = static_cast<std::uint32_t>(within / size);
    return {kind == TraceKind::Forward ? chunk : chunks_ - 1 - chunk,
            static_cast<std::uint32_t>(group + within % size)};
  }

  void add(std::uint16_t rank, TraceKind kind, std::uint32_t step, ChunkCall call, Seconds start,
           Seconds duration) {
    TraceEvent event{};
    event.start = start;
    event.duration = duration;
    event.step = step;
    event.microbatch = call.microbatch;
    event.rank = rank;
    event.stage = static_cast<std::uint16_t>(call.chunk * dumps_.size() + rank);
    event.kind = kind;
    trace_.events.push_back(event);
  }

  Trace finished(std::size_t first) && {
    trace_.format = "primus";
    trace_.names = {"call"};
    for (const RankDump& dump : dumps_) trace_.files.push_back(dump.path);
    if (trace_.events.empty()) refuse_dump(trace_.files.front(), "/", "an iteration with calls", "none");
    trace_.notes.push_back({NoteKind::Read, iterations_.size(), "iterations"});
    if (first > 0) {
      std::string named = iterations_.front();
      for (std::size_t i = 1; i < first; ++i) named += (i + 1 == first ? " and " : ", ") + iterations_[i];
      trace_.notes.push_back(
          {NoteKind::Dropped, first,
           "iterations of warm-up, at whose end less memory is held than later: " + named});
    }
    trace_.notes.push_back({NoteKind::Guessed, 0, "all ranks begin an iteration at the same time"});
    if (chunks_ > 1)
      trace_.notes.push_back(
          {NoteKind::Guessed, chunks_,
           "chunks on each rank, with their calls in the order of Megatron's interleaved 1F1B"});
    normalise(trace_);
    return std::move(trace_);
  }

  static constexpr double kSteady = 0.005;  // of the memory: activations of other shapes vary by this much

  std::vector<RankDump> dumps_;
  std::uint32_t chunks_;
  std::vector<std::string> iterations_;
  Trace trace_;
};

Trace read_dump(const std::string& folder) {
  return DumpReader(folder).read();
}

bool begins_dump(std::string_view text) {
  return text.starts_with('{') && text.find("\"fwd_start\"") != std::string_view::npos &&
         text.find("\"traceEvents\"") == std::string_view::npos;
}

// One rank's file does not show when the other ranks' passes ran.
Trace refuse_one_rank(const std::string& path) {
  std::string folder = path.substr(0, path.find_last_of('/') + 1);
  if (folder.empty()) folder = "./";
  const std::size_t ranks = count_dumps(folder);
  const std::string others =
      ranks > 1 ? ", whose folder has " + std::to_string(ranks) : ", with no other's beside it";
  refuse_dump(path, "/", "the folder with pp_rank_N.json of every rank of the pipeline",
              "one rank's dump" + others);
}

}  // namespace

extern const FolderFormat kPipelineDump = {"pp_rank_N.json of Primus (--dump_pp_data)",
                                           [](const std::string& folder) { return count_dumps(folder) > 0; },
                                           read_dump};

extern const FileFormat kPipelineDumpFile = {"the dump of a rank of Primus, by its folder", begins_dump,
                                             refuse_one_rank};

}  // namespace spillway
