#include "traces/profile/device_time.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/property.h"

namespace spillway::testing {
namespace {

DeviceWork piece(WorkKind kind, double start, double end, std::optional<double> launch = {}) {
  DeviceWork work{Seconds(start), Seconds(end), std::nullopt, 0, 0, kUnknown, kind};
  if (launch) work.launch = Seconds(*launch);
  return work;
}

DeviceTime time_of(std::vector<DeviceWork> work, Interval window) {
  ProcessEvents events;
  events.work = std::move(work);
  return DeviceTimes(events).in(window);
}

TEST(DeviceTime, TheExampleOfTheHeader) {
  const DeviceTime time =
      time_of({piece(WorkKind::Computing, 0, 4, -1), piece(WorkKind::Communicating, 3, 5, -1),
               piece(WorkKind::Computing, 6, 9, 5.5)},
              {Seconds(0), Seconds(9)});
  EXPECT_DOUBLE_EQ(time.computing.value(), 7);
  EXPECT_DOUBLE_EQ(time.communication.value(), 1);
  EXPECT_DOUBLE_EQ(time.all_communication.value(), 2);
  EXPECT_DOUBLE_EQ(time.host.value(), 1);
  EXPECT_DOUBLE_EQ(time.idle.value(), 0);
}

TEST(DeviceTime, AGapBeforeWorkThatWasLaunchedInTimeIsIdleForAnotherReason) {
  const auto gap = [](std::optional<double> launch) {
    return time_of({piece(WorkKind::Computing, 0, 4, -1), piece(WorkKind::Computing, 6, 9, launch)},
                   {Seconds(0), Seconds(9)});
  };
  EXPECT_DOUBLE_EQ(gap(3.5).idle.value(), 2);
  EXPECT_DOUBLE_EQ(gap(4.5).host.value(), 2);
  EXPECT_DOUBLE_EQ(gap({}).idle.value(), 2);
}

TEST(DeviceTime, ACopyIsExposedOnlyBesideNothingElse) {
  const DeviceTime time = time_of({piece(WorkKind::Computing, 0, 2), piece(WorkKind::Communicating, 2, 4),
                                   piece(WorkKind::Copying, 1, 7)},
                                  {Seconds(0), Seconds(7)});
  EXPECT_DOUBLE_EQ(time.copies.value(), 3);
  EXPECT_DOUBLE_EQ(time.communication.value(), 2);
}

// What the device does in [instant, instant + 1), the slow way: looks at all work.
Seconds DeviceTime::*part_at(const std::vector<DeviceWork>& work, double instant) {
  const double middle = instant + 0.5;
  const auto runs = [&](WorkKind kind) {
    return std::ranges::any_of(work, [&](const DeviceWork& w) {
      return w.kind == kind && w.start.value() < middle && middle < w.end.value();
    });
  };
  if (runs(WorkKind::Computing)) return &DeviceTime::computing;
  if (runs(WorkKind::Communicating)) return &DeviceTime::communication;
  if (runs(WorkKind::Copying)) return &DeviceTime::copies;
  double begin = -1e9, end = 1e9;
  for (const DeviceWork& w : work) {
    if (w.end.value() <= middle) begin = std::max(begin, w.end.value());
    if (w.start.value() >= middle) end = std::min(end, w.start.value());
  }
  std::optional<double> first;
  for (const DeviceWork& w : work)
    if (w.start.value() == end && w.end > w.start && w.launch)
      first = std::min(first.value_or(1e9), w.launch->value());
  return first && *first >= begin ? &DeviceTime::host : &DeviceTime::idle;
}

RC_GTEST_PROP(DeviceTimes, EqualASlowWalkOverEveryInstant, ()) {
  std::vector<DeviceWork> work;
  const auto count = *rc::gen::inRange(1, 12);
  for (int i = 0; i < count; ++i) {
    const int start = *rc::gen::inRange(0, 30);
    const auto launch = *rc::gen::inRange(-5, 30);
    const auto kind = static_cast<WorkKind>(*rc::gen::inRange(0, 3));
    work.push_back(piece(kind, start, start + *rc::gen::inRange(1, 6),
                         launch < -3 ? std::nullopt : std::optional<double>(std::min(launch, start))));
  }
  ProcessEvents events;
  events.work = work;
  const DeviceTimes times(events);
  const Interval whole = times.whole();
  DeviceTime slow{};
  for (double instant = whole.start.value(); instant < whole.end.value(); ++instant)
    slow.*part_at(work, instant) += Seconds(1);
  const DeviceTime fast = times.in(whole);
  for (const auto part : {&DeviceTime::computing, &DeviceTime::communication, &DeviceTime::copies,
                          &DeviceTime::host, &DeviceTime::idle})
    RC_ASSERT(std::abs((slow.*part - fast.*part).value()) < 1e-9);
}

}  // namespace
}  // namespace spillway::testing
