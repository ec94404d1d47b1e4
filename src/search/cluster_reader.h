// Reads the clusters of a job. Private to src/search.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "goodput/reliability.h"
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

// Returns the cluster under each of its frameworks, and under ideal software if it states none. `job` is the
// part that all experiments of the job share. If it is unknown, only the cluster's own keys are checked, and
// nothing is returned.
std::optional<std::vector<JobCluster>> read_cluster(const Place& place, const std::optional<Object>& job);

// The frameworks that a cluster states.
struct StatedFrameworks {
  enum class How : std::uint8_t {
    Any,   // "any", or nothing: those that are offered for the model and the platform
    None,  // "none": the model without a framework
    Listed
  };
  struct One {
    std::string name;  // as users name it
    Node node;         // as an experiment states it
    std::string pointer;
  };
  How how = How::Any;
  std::vector<One> listed = {};
};

// Reads "framework" and "frameworks". Returns nothing if they are wrong.
std::optional<StatedFrameworks> read_frameworks(const Fields& cluster);

std::optional<Reliability> read_reliability(const Place& place);

}  // namespace spillway
