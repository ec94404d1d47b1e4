#include "traces/samples/nccl_results.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "traces/files/json_file.h"
#include "traces/files/line_source.h"
#include "traces/samples/nccl_log.h"

namespace spillway {
namespace {

using ResultJson = nlohmann::ordered_json;

// Returns null for a missing member, or one of no object.
const ResultJson& member_of(const ResultJson& object, const char* key) {
  static const ResultJson none;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? none : *found;
}

std::optional<double> number_in(const ResultJson& object, const char* key) {
  const ResultJson& member = member_of(object, key);
  return member.is_number() ? std::optional(member.get<double>()) : std::nullopt;
}

std::string text_in(const ResultJson& object, const char* key) {
  const ResultJson& member = member_of(object, key);
  return member.is_string() ? member.get<std::string>() : std::string();
}

// A whole number from 0 to `most`.
std::optional<std::uint32_t> count_in(const ResultJson& object, const char* key, double most) {
  const auto number = number_in(object, key);
  if (!number || !(*number >= 0 && *number <= most) || std::floor(*number) != *number) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

// A process lists its first device only.
void read_devices(const ResultJson& config, NcclTest& test) {
  constexpr double most_ranks = 1e6, most_each = 32;
  const std::uint32_t each =
      count_in(config, "nthreads", most_each).value_or(1) * count_in(config, "ngpus", most_each).value_or(1);
  for (const ResultJson& device : member_of(config, "devices")) {
    const auto rank = count_in(device, "rank", most_ranks);
    if (!rank || test.repeats_ranks) continue;
    for (std::uint32_t i = 0; i < each; ++i)
      if (!test.ranks.insert(*rank + i).second) test.repeats_ranks = true;
    test.hosts[text_in(device, "hostname")] += each;
  }
}

void read_result(const ResultJson& result, std::size_t number, NcclTest& test, Findings& refused) {
  const ResultJson& times = member_of(result, "out_of_place");
  const auto size = number_in(result, "size"), time = number_in(times, "time"),
             algbw = number_in(times, "alg_bw"), busbw = number_in(times, "bus_bw");
  test.times_of_host = test.times_of_host || times.contains("cpu_time");
  if (test.times_of_host) return;
  if (number_in(times, "nwrong").value_or(0) >= 1) {
    ++test.wrong;
  } else if (!size || !time || !algbw || !busbw) {
    refused.add("/results/" + std::to_string(number),
                "numbers for size, time, alg_bw and bus_bw, out of place", "none");
  } else if (*size == 0) {
    ++test.empty;
  } else {
    const double counted = number_in(result, "count").value_or(0) * bytes_of_type(text_in(result, "type"));
    test.rows.push_back({number, *size, *time, *algbw, *busbw, counted});
  }
}

}  // namespace

bool begins_nccl_results(std::string_view bytes) {
  const auto has = [&](std::string_view key) {
    return bytes.substr(0, 256).find(key) != std::string_view::npos;
  };
  return bytes.starts_with('{') && has("\"version\"") && has("\"start_time\"") && has("\"args\"");
}

Samples read_nccl_results(const std::string& path, const TimedGroup& given) {
  const ResultJson document = read_json_file(path);
  Findings refused(path, kMostRefused);
  NcclTest test;
  test.heading = true;
  const ResultJson& arguments = member_of(document, "args");
  if (arguments.is_array() && !arguments.empty() && arguments.front().is_string()) {
    const std::string program = arguments.front().get<std::string>();
    test.program = program.substr(program.rfind('/') + 1);
  }
  read_devices(member_of(document, "config"), test);
  std::size_t number = 0;
  for (const ResultJson& result : member_of(document, "results"))
    read_result(result, number++, test, refused);
  return samples_of_tests(path, {test}, given, refused);
}

}  // namespace spillway
