// Reads the clusters of a job. Private to src/search.
#pragma once

#include <cstdint>
#include <optional>

#include "json/place.h"
#include "search/job.h"

namespace spillway {

inline constexpr std::uint32_t kMostDevices = 1'000'000;

inline auto count_from(std::uint32_t least, std::uint32_t most) {
  return [=](const Place& place) { return read_count(place, least, most); };
}

// Reads at least one value.
template <class Read>
auto some(Read read) {
  return [read](const Place& place) {
    auto values = read_each(place, read);
    if (values && values->empty()) {
      place.refuse("at least one value");
      values.reset();
    }
    return values;
  };
}

// `job` is the part that all experiments of the job share. If it is unknown, only the cluster's own keys are
// checked, and nothing is returned.
std::optional<JobCluster> read_cluster(const Place& place, const std::optional<Object>& job);

}  // namespace spillway
