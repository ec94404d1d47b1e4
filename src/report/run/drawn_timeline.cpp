#include "report/run/drawn_timeline.h"

#include "report/run/timeline_columns.h"
#include "report/step/activity.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

// By stage: the region that it is of, and its place in it; of a transposed region no place.
Json stages_json(const Derived& derived) {
  Json names = Json::array();
  for (const Stage& stage : derived.stages) {
    const bool sharded = derived.placement[stage.region.index()].layout == Layout::Sharded;
    names.push_back(
        {derived.regions[stage.region.index()].name, sharded ? Json(stage.index) : Json(nullptr)});
  }
  return names;
}

Json sampled_json(const ScheduleResult& schedule) {
  if (schedule.first.sampled_as.empty()) return nullptr;
  Json numbers = Json::array();
  for (MicrobatchId microbatch : schedule.first.sampled_as.front()) numbers.push_back(microbatch.index() + 1);
  return numbers;
}

}  // namespace

nlohmann::ordered_json activities_json() {
  Json names = Json::array();
  for (std::size_t activity = 0; activity < kActivities; ++activity)
    names.push_back(to_string(static_cast<Activity>(activity)));
  return names;
}

nlohmann::ordered_json ranks_json(const PageScale& scale) {
  Json numbers = Json::array();
  for (RankId rank : scale.ranks) numbers.push_back(rank.index());
  return numbers;
}

nlohmann::ordered_json drawn_timeline(const ScheduleResult& schedule, const PageScale& scale,
                                      std::size_t most) {
  return {{"end_s", schedule.first.timeline.makespan().value()},
          {"blocking", schedule.derived->point_to_point == PointToPoint::Blocking},
          {"stages", stages_json(*schedule.derived)},
          {"sampled_as", sampled_json(schedule)},
          {"timeline", timeline_columns(schedule, scale, most)}};
}

}  // namespace spillway
