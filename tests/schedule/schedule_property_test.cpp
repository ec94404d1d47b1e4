#include <gtest/gtest.h>

#include "schedule/schedule.h"
#include "support/property.h"

namespace spillway {
namespace {

Schedule any_schedule() {
  const auto skeleton =
      rc::gen::element<Skeleton>(SkeletonKind::OneFOneB, SkeletonKind::GPipe, SkeletonKind::Transpose,
                                 SkeletonKind::ZbV, Skeleton(SkeletonKind::Wave, 3));
  return {*rc::gen::nonEmpty(rc::gen::container<std::vector<Skeleton>>(skeleton))};
}

// Returns one block with a layer for each region.
Model unit_model(const Schedule& schedule) {
  return Model({{"llm", Role::Backbone, static_cast<std::uint32_t>(schedule.skeletons.size()), true}});
}

// Returns a cut of unit regions, so that a boundary is the position of the region after it.
Cut unit_cut(const Schedule& schedule) {
  Cut cut;
  for (std::uint32_t i = 1; i < schedule.skeletons.size(); ++i) cut.boundaries.push_back(i);
  return cut;
}

RC_GTEST_PROP(ScheduleText, ParsingWhatWasPrintedGivesTheSchedule, ()) {
  const Schedule schedule = any_schedule();
  RC_ASSERT(std::get<Schedule>(parse_schedule(to_string(schedule))) == schedule);
}

RC_GTEST_PROP(ScheduleText, NoTextIsBothScheduleAndRefusal, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("1f1bgpiet, \t\xff\"")));
  const auto result = parse_schedule(text);
  if (const auto* schedule = std::get_if<Schedule>(&result)) {
    RC_ASSERT(!schedule->skeletons.empty());
  } else {
    RC_ASSERT(!std::get<std::vector<Violation>>(result).empty());
  }
}

RC_GTEST_PROP(NormalForm, NeverHasTwoAdjacentTransposesAndIsIdempotent, ()) {
  const Schedule schedule = any_schedule();
  const NormalForm normal = normal_form(unit_model(schedule), schedule, unit_cut(schedule));
  const auto& skeletons = normal.schedule.skeletons;
  RC_ASSERT(normal.cut.boundaries.size() + 1 == skeletons.size());
  for (std::size_t i = 0; i + 1 < skeletons.size(); ++i) {
    RC_ASSERT(skeletons[i] != SkeletonKind::Transpose || skeletons[i + 1] != SkeletonKind::Transpose);
  }
  const NormalForm again = normal_form(unit_model(schedule), normal.schedule, normal.cut);
  RC_ASSERT(again.schedule == normal.schedule);
  RC_ASSERT(again.cut == normal.cut);
  RC_ASSERT(again.reductions.empty());
}

// Only second transposes are removed, and each is reported: schedule and cut can be restored.
RC_GTEST_PROP(NormalForm, PutBackItsReductionsGiveTheScheduleAgain, ()) {
  const Schedule schedule = any_schedule();
  NormalForm normal = normal_form(unit_model(schedule), schedule, unit_cut(schedule));
  for (const Reduction& reduction : normal.reductions) {
    const auto at = static_cast<std::ptrdiff_t>(reduction.region);
    normal.schedule.skeletons.insert(normal.schedule.skeletons.begin() + at, SkeletonKind::Transpose);
    normal.cut.boundaries.insert(normal.cut.boundaries.begin() + at - 1, reduction.boundary);
  }
  RC_ASSERT(normal.schedule == schedule);
  RC_ASSERT(normal.cut == unit_cut(schedule));
}

// Validity by the definition: two pipelined neighbours have the same skeleton, and it can be interleaved.
RC_GTEST_PROP(CheckSchedule, RefusesExactlyNeighboursThatDoNotWeave, ()) {
  const Schedule schedule = any_schedule();
  bool mixed = false;
  for (std::size_t i = 0; i + 1 < schedule.skeletons.size(); ++i) {
    const Skeleton a = schedule.skeletons[i], b = schedule.skeletons[i + 1];
    mixed = mixed || ((a != b || !weaves(a)) && a != SkeletonKind::Transpose && b != SkeletonKind::Transpose);
  }
  RC_ASSERT(check_schedule(schedule).empty() == !mixed);
}

}  // namespace
}  // namespace spillway
