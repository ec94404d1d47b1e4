#include "report/inputs/images.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "json/dumped.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {

constexpr std::size_t kColumns = 100;

std::string images_json(const PatchDistribution& distribution) {
  using Json = nlohmann::ordered_json;
  const PatchSummary s = summary(distribution);
  const Json patches = {{"p1", s.p1},   {"p10", s.p10}, {"p50", s.p50},   {"p90", s.p90},
                        {"p99", s.p99}, {"max", s.max}, {"mean", s.mean}, {"cv", s.cv}};
  const Json images = {{"images", distribution.images > 0 ? Json(distribution.images) : Json(nullptr)},
                       {"videos", distribution.videos},
                       {"patches", patches},
                       {"at_cap_fraction", distribution.at_cap_fraction},
                       {"remarks", distribution.remarks}};
  return dumped(images, 2) + '\n';
}

std::string images_text(const PatchDistribution& distribution) {
  const PatchSummary s = summary(distribution);
  const std::string videos =
      distribution.videos > 0 ? ", of which videos: " + std::to_string(distribution.videos) : "";
  const std::string count = distribution.images > 0 ? counted(distribution.images, "image") + videos
                                                    : "shares of images, without a count";
  const double per_token = distribution.patches_per_token;
  const auto line = [](const char* name, auto... values) {
    return std::vector<std::string>{name, fmt::format("{:.6g}", double(values))...};
  };
  std::string remarks;
  for (const std::string& remark : distribution.remarks) remarks += wrapped("note: ", remark, kColumns);
  return count + '\n' +
         table_text({{"per image", "p1", "p10", "p50", "p90", "p99", "max", "mean"},
                     line("encoder patches", s.p1, s.p10, s.p50, s.p90, s.p99, s.max, s.mean),
                     line("backbone tokens", s.p1 / per_token, s.p10 / per_token, s.p50 / per_token,
                          s.p90 / per_token, s.p99 / per_token, s.max / per_token, s.mean / per_token)}) +
         fmt::format("coefficient of variation {:.3f}; {} at the resize rule's upper bound\n", s.cv,
                     percent(distribution.at_cap_fraction, 1)) +
         remarks;
}

}  // namespace spillway
