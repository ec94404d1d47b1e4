// Reads public profiles of PyTorch, if SPILLWAY_PROFILES names the folder that holds them, and compares with
// public_profiles.csv: what validate answers of each, and what their authors' tools published of some.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "base/files.h"
#include "traces/files/csv_table.h"
#include "traces/profile/job_profile.h"

namespace spillway::testing {
namespace {

struct PublicProfile {
  std::string name, path, work_of, pipeline, by;
  std::size_t steps = 0;
  std::vector<double> parts_ms = {};  // window, computing, communication, copies, host, idle
  double window_ms = 0, busy_ms = 0;  // as published
};

constexpr std::array<std::string_view, 9> kProfileColumns = {
    "repository",        "path",     "work_of", "steps", "pipeline", "published_by", "published_window_ms",
    "published_busy_ms", "window_ms"};

std::vector<PublicProfile> public_profiles(const std::string& folder) {
  CsvTable table(SPILLWAY_SOURCE_DIR "/tests/traces/public_profiles.csv", kProfileColumns);
  std::vector<std::size_t> parts;
  for (const char* part :
       {"window_ms", "computing_ms", "communication_ms", "copies_ms", "host_ms", "idle_ms"})
    parts.push_back(*table.find(part));
  std::vector<PublicProfile> all;
  while (table.next()) {
    std::string owner(table.text(0));
    owner.replace(owner.find('/'), 1, "+");
    PublicProfile one{std::string(table.text(1)), folder + "/" + owner + "/" + std::string(table.text(1)),
                      std::string(table.text(2)), std::string(table.text(4)), std::string(table.text(5))};
    one.steps = number_from<std::size_t>(table.text(3)).value_or(0);
    for (const std::size_t part : parts)
      one.parts_ms.push_back(number_from<double>(table.text(part)).value_or(0));
    one.window_ms = number_from<double>(table.text(6)).value_or(0);
    one.busy_ms = number_from<double>(table.text(7)).value_or(0);
    all.push_back(std::move(one));
  }
  return all;
}

void expect_answer(const PublicProfile& one, const JobProfile& job) {
  const ProfiledRank& rank = job.ranks.at(0);
  EXPECT_EQ(rank.of_the_host ? "host" : "device", one.work_of);
  EXPECT_EQ(rank.steps.size(), one.steps);
  EXPECT_EQ(std::ranges::find(job.inferences, "pipeline", &Inferred::what)->found, one.pipeline);
  const DeviceTime& time = rank.time;
  const std::vector<Seconds> parts = {time.window, time.computing, time.communication,
                                      time.copies, time.host,      time.idle};
  for (std::size_t i = 0; i < parts.size(); ++i)
    EXPECT_NEAR(parts[i].value() * 1e3, one.parts_ms[i], 0.0011) << "part " << i;
}

// TraceLens rounds nothing, and counts fills among the computing, so its busy time is compared. In one file
// it leaves fills out. HTA rounds events to microseconds and moves MTIA's copies, which costs 0.2 %.
void expect_published(const PublicProfile& one, const DeviceTime& time) {
  if (one.by.empty()) return;
  const double busy_ms = (time.computing + time.communication + time.copies).value() * 1e3;
  const double fills_ms =
      one.by == "TraceLens" && one.name.find("normalization") != std::string::npos ? 0.03 : 0;
  const double share = one.by == "HTA" ? 0.005 : 1e-5;
  EXPECT_NEAR(time.window.value() * 1e3, one.window_ms, 0.0011 + share * one.window_ms);
  EXPECT_NEAR(busy_ms, one.busy_ms, 0.002 + fills_ms + share * one.window_ms);
}

TEST(PublicProfiles, AreReadWithTheBreakdownOfTheTableOrRefusedInWords) {
  const char* folder = std::getenv("SPILLWAY_PROFILES");
  if (!folder) GTEST_SKIP() << "SPILLWAY_PROFILES names no folder of public profiles";
  std::size_t read = 0, published = 0;
  for (const PublicProfile& one : public_profiles(folder)) {
    if (!is_plain_file(one.path)) continue;
    SCOPED_TRACE(one.path);
    ++read;
    if (one.work_of == "refused") {
      EXPECT_THROW(job_profile(one.path), InputError);
      continue;
    }
    const auto job = job_profile(one.path);
    ASSERT_EQ(job.has_value(), one.work_of != "another format");
    if (!job) continue;
    expect_answer(one, *job);
    expect_published(one, job->ranks.at(0).time);
    published += one.by.empty() ? 0 : 1;
  }
  RecordProperty("read", static_cast<int>(read));
  RecordProperty("published", static_cast<int>(published));
  EXPECT_GT(read, 0U);
}

}  // namespace
}  // namespace spillway::testing
