// Reports of Nsight Systems without annotations of passes. The same events as a profile of PyTorch's are the
// oracle: Python's sqlite3 writes them into the tables of a report.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "support/temporary_folder.h"
#include "torch_profile.h"
#include "trace_files.h"
#include "traces/profile/job_profile.h"

namespace spillway::testing {
namespace {

// argv: the profile, the report, and how autograd's engine shows: "ranges" or "threads".
constexpr const char* kReportWriter = R"py(
import json, sqlite3, sys
events = json.load(open(sys.argv[1]))['traceEvents']
db = sqlite3.connect(sys.argv[2])
db.execute('CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL)')
db.execute('CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER)')
kernel = '(start INTEGER, end INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, shortName INTEGER)'
db.execute('CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ' + kernel)
db.execute('CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY ' + kernel)
db.execute('CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER)')
db.execute('CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER)')
db.execute('CREATE TABLE TARGET_INFO_GPU (name TEXT)')
db.execute("INSERT INTO TARGET_INFO_GPU VALUES ('NVIDIA H100')")
strings = {}
def string(text):
    if text not in strings:
        strings[text] = len(strings) + 1
        db.execute('INSERT INTO StringIds VALUES (?, ?)', (strings[text], text))
    return strings[text]
process, engines = 700 << 24, set()
for event in events:
    start = round(event['ts'] * 1000)
    end = start + round(event['dur'] * 1000)
    thread = process + int(event['tid'])
    args, name = event.get('args', {}), event['name']
    if event['cat'] in ('kernel', 'gpu_memcpy'):
        table = 'KERNEL' if event['cat'] == 'kernel' else 'MEMCPY'
        db.execute(f'INSERT INTO CUPTI_ACTIVITY_KIND_{table} VALUES (?, ?, 7, ?, ?, ?)',
                   (start, end, args.get('correlation', 0), process, string(name)))
    elif event['cat'] == 'cuda_runtime':
        db.execute('INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?)', (start, end, thread, args['correlation']))
    elif event['cat'] == 'user_annotation' or (sys.argv[3] == 'ranges' and name.startswith('autograd')):
        db.execute('INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, ?)', (start, end, name + ', seq = 7', thread))
    elif name.startswith('autograd'):
        engines.add(thread)
for thread in engines:
    db.execute('INSERT INTO ThreadNames VALUES (?, 20, ?)', (string('pt_autograd_0'), thread))
db.commit()
)py";

class NsightProfile : public ::testing::Test {
 protected:
  std::string report_of(const std::string& profile, const std::string& engine) const {
    const std::string script = measured_file("report.py", kReportWriter),
                      path = temporary_.path() / (engine + ".sqlite");
    const std::string command = "python3 '" + script + "' '" + profile + "' '" + path + "' " + engine;
    EXPECT_EQ(std::system(command.c_str()), 0);
    return path;
  }

  const TemporaryFolder temporary_;
};

TorchProfile steps_of_training(std::size_t steps) {
  TorchProfile profile;
  for (std::size_t i = 0; i < steps; ++i) add_step(profile, i + 5, 1000 + 100.0 * static_cast<double>(i), 1);
  return profile;
}

void expect_near(Seconds a, Seconds b) {
  EXPECT_NEAR(a.value(), b.value(), 2e-9);
}

void expect_same(const ProfiledRank& report, const ProfiledRank& profile) {
  ASSERT_EQ(report.steps.size(), profile.steps.size());
  for (std::size_t i = 0; i < report.steps.size(); ++i) {
    expect_near(report.steps[i].time, profile.steps[i].time);
    expect_near(report.steps[i].device.computing, profile.steps[i].device.computing);
    ASSERT_EQ(report.steps[i].passes.size(), profile.steps[i].passes.size());
    for (std::size_t pass = 0; pass < report.steps[i].passes.size(); ++pass) {
      EXPECT_EQ(report.steps[i].passes[pass].direction, profile.steps[i].passes[pass].direction);
      EXPECT_EQ(report.steps[i].passes[pass].kernels, profile.steps[i].passes[pass].kernels);
      expect_near(report.steps[i].passes[pass].span, profile.steps[i].passes[pass].span);
    }
  }
  expect_near(report.time.communication, profile.time.communication);
  expect_near(report.time.idle, profile.time.idle);
  ASSERT_EQ(report.layers.size(), profile.layers.size());
  for (std::size_t i = 0; i < report.layers.size(); ++i)
    EXPECT_EQ(report.layers[i].layers, profile.layers[i].layers);
}

TEST_F(NsightProfile, SaysWhatTheSameEventsOfPyTorchSay) {
  const std::string kineto = steps_of_training(3).file();
  const auto profile = job_profile(kineto);
  ASSERT_TRUE(profile);
  ASSERT_FALSE(profile->ranks[0].steps[0].passes.empty());
  for (const std::string engine : {"ranges", "threads"}) {
    const auto report = job_profile(report_of(kineto, engine));
    ASSERT_TRUE(report) << engine;
    ASSERT_EQ(report->ranks.size(), 1u);
    EXPECT_EQ(report->ranks[0].device, "NVIDIA H100");
    expect_same(report->ranks[0], profile->ranks[0]);
  }
}

TEST_F(NsightProfile, WithAPassOfAPipelineIsATrace) {
  TorchProfile profile = steps_of_training(2);
  profile.range("PP:0F0", 1000, 1010);
  EXPECT_FALSE(job_profile(report_of(profile.file(), "ranges")));
}

TEST_F(NsightProfile, WithoutKernelsIsRefused) {
  TorchProfile profile;
  profile.range("ProfilerStep#1", 0, 10);
  const std::string report = report_of(profile.file(), "ranges");
  const auto found = refusals([&] { job_profile(report); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("expected kernels"), std::string::npos) << found[0];
}

}  // namespace
}  // namespace spillway::testing
