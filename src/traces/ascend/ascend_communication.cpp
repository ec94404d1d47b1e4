#include "traces/ascend/ascend_communication.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/number.h"
#include "json/dumped.h"
#include "traces/files/json_file.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMegabyte = 1e6;
constexpr double kLatestStart = 9e15;  // nanoseconds since 1970 fit until 2262
constexpr double kLongestMilliseconds = 1e9;

// A place in one file.
struct JsonPlace {
  const std::string& file;
  std::string pointer;

  JsonPlace operator/(const std::string& key) const {
    std::string escaped;
    for (const char c : key) escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return {file, pointer + "/" + escaped};
  }
  [[noreturn]] void refuse(std::string expected, std::string found) const {
    throw InputError({{file, pointer.empty() ? "/" : pointer, std::move(expected), std::move(found)}});
  }
};

const Json& object_at(const Json& parent, const char* key, const JsonPlace& place) {
  const auto found = parent.find(key);
  if (found == parent.end()) (place / key).refuse("an object", "nothing");
  if (!found->is_object()) (place / key).refuse("an object", found->type_name());
  return *found;
}

// The number at a key, of either sign. Refuses a size above `most`.
double number_at(const Json& parent, const std::string& key, const JsonPlace& place, double most) {
  const auto found = parent.find(key);
  if (found == parent.end()) (place / key).refuse("a number", "nothing");
  const double number = found->is_number() ? found->get<double>() : most * 2;
  if (std::abs(number) > most) (place / key).refuse("a number that is a time", found->dump());
  return number;
}

Bytes megabytes(double mb) {
  return Bytes(std::round(mb * kMegabyte));
}

// A double of microseconds since 1970 has a resolution of a quarter microsecond, so the fraction is converted
// apart.
std::int64_t nanoseconds(double us) {
  const double whole = std::floor(us);
  return static_cast<std::int64_t>(whole) * 1000 + std::llround((us - whole) * 1000);
}

std::vector<AscendTransit> transits(const Json& bandwidths, const JsonPlace& place) {
  std::vector<AscendTransit> all;
  for (const auto& [transport, info] : bandwidths.items()) {
    if (transport == "SDMA") continue;  // the engine that drives all links, so it would count them twice
    const JsonPlace of_transport = place / transport;
    const Json& sizes = object_at(info, "Size Distribution", of_transport);
    const JsonPlace inside = of_transport / "Size Distribution";
    for (const auto& [text, pair] : sizes.items()) {
      const auto size = number_from<double>(text);
      if (!size) inside.refuse("sizes in MB", text);
      if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number() || !pair[1].is_number())
        (inside / text).refuse("[count, milliseconds]", dumped(pair));
      all.push_back(
          {transport, pair[0].get<double>(), megabytes(*size), milliseconds(pair[1].get<double>())});
    }
  }
  return all;
}

AscendOperation operation(const std::string& step, const std::string& name, const Json& json,
                          const JsonPlace& place) {
  constexpr const char* kTimes = "Communication Time Info";
  constexpr const char* kBandwidths = "Communication Bandwidth Info";
  const Json& times = object_at(json, kTimes, place);
  const std::size_t at = name.find('@');
  return {step,
          name.substr(0, at),
          at == std::string::npos ? "" : name.substr(at + 1),
          false,
          nanoseconds(number_at(times, "Start Timestamp(us)", place / kTimes, kLatestStart)),
          milliseconds(number_at(times, "Elapse Time(ms)", place / kTimes, kLongestMilliseconds)),
          transits(object_at(json, kBandwidths, place), place / kBandwidths)};
}

// Calls visit(step, family, name, entry, place) for each entry of step / family / name.
template <class Visit>
void for_each_entry(const Json& root, const JsonPlace& place, Visit visit) {
  if (!root.is_object()) place.refuse("an object of steps", root.type_name());
  for (const auto& [step, families] : root.items()) {
    const std::string number = step.starts_with("step") ? step.substr(4) : step;
    for (const auto& [family, entries] : families.items()) {
      if (!entries.is_object()) (place / step / family).refuse("an object", entries.type_name());
      for (const auto& [name, entry] : entries.items())
        visit(number, family, name, entry, place / step / family / name);
    }
  }
}

// 2 for "0-1", because ranks in a group count from 0.
std::uint32_t devices_of_link(const std::string& link, const JsonPlace& place) {
  const std::size_t dash = std::min(link.find('-'), link.size());
  const auto from = number_from<std::uint32_t>(std::string_view(link).substr(0, dash));
  const auto to = number_from<std::uint32_t>(std::string_view(link).substr(std::min(dash + 1, link.size())));
  if (!from || !to) place.refuse("links such as \"0-1\"", link);
  return std::max(*from, *to) + 1;
}

}  // namespace

std::string_view ascend_operation_kind(std::string_view name) {
  constexpr std::string_view kPrefix = "hcom_";
  if (!name.starts_with(kPrefix)) return {};
  name.remove_prefix(kPrefix.size());
  return name.substr(0, name.find('_'));
}

std::vector<AscendOperation> read_ascend_communication(const std::string& path) {
  std::vector<AscendOperation> all;
  for_each_entry(read_json_file(path), {path, ""},
                 [&](const std::string& step, const std::string& family, const std::string& name,
                     const Json& entry, const JsonPlace& place) {
                   if (name.starts_with("Total Op Info")) return;
                   all.push_back(operation(step, name, entry, place));
                   all.back().point_to_point = family == "p2p";
                 });
  return all;
}

std::map<std::string, std::uint32_t> read_ascend_groups(const std::string& path) {
  std::map<std::string, std::uint32_t> groups;
  for_each_entry(read_json_file(path), {path, ""},
                 [&](const std::string&, const std::string&, const std::string& name, const Json& entry,
                     const JsonPlace& place) {
                   const std::size_t at = name.find('@');
                   if (at == std::string::npos) return;
                   std::uint32_t& devices = groups[name.substr(at + 1)];
                   for (const auto& [link, info] : entry.items())
                     devices = std::max(devices, devices_of_link(link, place));
                 });
  return groups;
}

}  // namespace spillway
