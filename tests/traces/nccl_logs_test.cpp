// The logs of nccl-tests and rccl-tests that people publish, in forms written from scratch after them. Each
// is read, or refused with what to state.
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <sstream>

#include "measured_files.h"
#include "support/long_property.h"
#include "traces/samples/nccl_results.h"
#include "traces/samples/read_samples.h"

namespace spillway::testing::nccl_logs {
namespace {

using enum CollectiveOperation;
using Texts = std::vector<std::string>;

const std::string kHeading =
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   "
    "busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  "
    "(GB/s)\n";

// A program on `hosts` of `each` devices that reduces 1, 2, 4, ... MiB in 100, 200, 400, ... us.
std::string log_of(int hosts, int each, int rows = 3, const std::string& program = "all_reduce_perf") {
  std::string text = "# Collective test starting: " + program +
                     "\n# nThread 1 nGpus 1 minBytes 8 maxBytes 16 step: 2(factor)\n#\n# Using devices\n";
  for (int rank = 0; rank < hosts * each; ++rank)
    text += "#  Rank " + std::to_string(rank) + " Group  0 Pid   1885 on worker-" +
            std::to_string(rank / each) + " device  " + std::to_string(rank % each) +
            " [0009:06:00] NVIDIA GB300\n";
  text += "NCCL version 2.28.7+cuda13.0\n" + kHeading;
  for (int i = 0; i < rows; ++i) {
    const long bytes = 1048576L << i;
    text += "     " + std::to_string(bytes) + "   " + std::to_string(bytes / 4) +
            "     float     sum      -1   " + std::to_string(100 << i) +
            "   10.49   15.73      0   777   9.53   4.77    N/A\n";
  }
  return text +
         "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 7.5\n#\n# Collective test concluded: " +
         program + "\n";
}

std::string with_each_line(const std::string& text, const std::string& before) {
  return std::regex_replace("\n" + text.substr(0, text.size() - 1), std::regex("\n"), "\n" + before)
             .substr(1) +
         "\n";
}

Samples read(const std::string& text, const TimedGroup& given = {}) {
  return read_samples(measured_file("log.txt", text), given);
}

Texts refused(const std::string& text, const TimedGroup& given = {}) {
  return refusals([&] { read(text, given); });
}

// "all-reduce 4/8: 1048576 in 100 us"
Texts told(const Samples& samples) {
  Texts all;
  for (const MessageSample& one : samples.messages) {
    std::ostringstream text;
    text << word_for(one.operation) << ' ' << one.neighbours << '/' << one.devices << ": "
         << std::llround(one.size.value()) << " in " << one.time.value() * 1e6 << " us";
    all.push_back(text.str());
  }
  return all;
}

const Texts kTold = {"all-reduce 4/8: 1048576 in 100 us", "all-reduce 4/8: 2097152 in 200 us",
                     "all-reduce 4/8: 4194304 in 400 us"};

// Open MPI 4 and 5 (--tag-output), MPICH (-l), srun (-l), kubectl (--prefix, --timestamps), stern, Docker
// Compose, GitHub's runners, Python's and Google's loggers.
TEST(NcclLogs, LabelsBeforeALineChangeNothing) {
  for (const std::string label :
       {"[1,0]<stdout>:", "[1,0]<stdout>: ", "        [1,0]<stdout>:", "[prterun-node-7@1,0]<stdout>: ",
        "[0] ", " 0: ", "00: ", "[pod/nccl-launcher-x7k/nccl] ", "2026-05-01T10:11:12.123456789Z ",
        "nccl-launcher main ", "launcher-1  | ", "[2026-05-01 10:11:12] ", "2026-05-01 10:11:12,123 INFO ",
        "I0501 10:11:12.123456    77 run.cc:12] ", "2026-05-01T10:11:12Z [1,0]<stdout>:", "\t"}) {
    const Samples samples = read(with_each_line(log_of(2, 4), label));
    EXPECT_EQ(told(samples), kTold) << label;
    EXPECT_EQ(samples.placement, DevicePlacement::Hosts) << label;
  }
}

TEST(NcclLogs, MarkdownEatsTheHash) {
  EXPECT_EQ(told(read(std::regex_replace(log_of(2, 4), std::regex("#(?!wrong)"), ""))), kTold);
}

// Any label of words without a type of elements, before any line.
SPILLWAY_LONG_PROP(NcclLogs, AnyWordsBeforeALineChangeNothing, 100) {
  const auto letters =
      *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab:[]/.-0T"))));
  RC_ASSERT(told(read(with_each_line(log_of(2, 4), "x" + letters + " "))) == kTold);
}

// NVIDIA/nccl issue 1453: MPICH's labels part a row in three, and the library's lines stand between.
TEST(NcclLogs, PartsOfARowAreJoined) {
  const std::string head = "[0] " + kHeading.substr(0, kHeading.find('\n') + 1);
  const Samples samples =
      read(head +
               "[0]      1048576        262144     float     sum      -1[0]    1626.5    0.64    "
               "1.24      0[0]    2302.3    0.46    0.87      0\n"
               "[0]         8192          2048     float     sum      -1[0] worker-1:97:97 [0] "
               "NCCL INFO 4096 Bytes -> Algo 0 proto 0 time 25.874907\n"
               "[0] worker-1:97:97 [0] NCCL INFO 8192 Bytes -> Algo 0 proto 0 time 26.5\n"
               "[0]     75.38    0.11    0.21      0\n"
               "[0]     70.00    0.12    0.22      0\n"
               "[0]        16384          4096     float     sum      -1[0] worker-1:97:97 [0] "
               "NCCL INFO 16384 Bytes -> Algo 0 proto 0 time 26.5\n",
           {AllReduce, 24, 8});
  EXPECT_EQ(told(samples),
            (Texts{"all-reduce 8/24: 1048576 in 1626.5 us", "all-reduce 8/24: 8192 in 75.38 us"}));
  EXPECT_EQ(to_string(samples.notes.at(1)),
            "dropped: 1 row that other lines of the log break, or that are cut");
}

// Sizes are rounded down to what the devices share, so an all-to-all among many moves nothing at first.
TEST(NcclLogs, RowsWithoutBytesAreCounted) {
  const std::string row =
      "           0             0     float    none      -1     0.21    0.00    0.00      0     "
      "0.20    0.00    0.00    N/A\n";
  std::string text = log_of(2, 4);
  text.insert(text.find("     1048576"), row + row);
  const Samples samples = read(text);
  EXPECT_EQ(told(samples), kTold);
  EXPECT_EQ(to_string(samples.notes.at(1)), "dropped: 2 rows of no bytes, too few for so many devices");
}

// NVIDIA/nccl issue 583: the banner and the list lost their '#', the columns are those before 2.10, and only
// the echoed command names the collective.
TEST(NcclLogs, AnEchoedCommandNamesTheCollective) {
  const std::string text =
      "mpirun -np 2 all_gather_perf -b 32 -f 2 -e 8G\n"
      " nThread 1 nGpus 1 minBytes 32 maxBytes 64 step: 2(factor) warmup iters: 5 iters: 20 validation: 1\n\n"
      " Using devices\n   Rank  0 Pid 1821213 on AI-A100-01 device  0 [0x00] NVIDIA A100-SXM4-40GB\n"
      "   Rank  1 Pid 1821214 on AI-A100-01 device  1 [0x00] NVIDIA A100-SXM4-40GB\n\n"
      "       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  "
      "error\n"
      "        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
      "          64             8   float             19.10    0.00    0.00  0e+00    19.20    0.00    0.00  "
      "0e+00\n";
  EXPECT_EQ(told(read(text)), (Texts{"all-gather 2/2: 64 in 19.1 us"}));
}

// NVIDIA/nccl-tests issue 78: the operation of an all-to-all is blank. The size over the count, 268435456
// over 1048576 floats, gives 64 devices.
TEST(NcclLogs, CountsGiveTheDevices) {
  const std::string text =
      "#       size         count      type   redop     time   algbw   busbw  error     time   algbw   busbw "
      " error\n"
      "   268435456       1048576     float           520935    0.52    0.51  0e+00   519562    0.52    0.51 "
      " 1e+00\n";
  EXPECT_EQ(told(read(text, {AllToAll, {}, 8})), (Texts{"all-to-all 8/64: 268435456 in 520935 us"}));
  const Samples assumed = read(text, {AllToAll, {}, {}});
  EXPECT_EQ(assumed.messages.at(0).neighbours, 64u);
  EXPECT_EQ(assumed.placement, DevicePlacement::Assumed);
}

// ROCm/rccl pull request 930: rows without an operation at all.
TEST(NcclLogs, AHeadingWithoutAnOperation) {
  const std::string text =
      "#       size         count      type     time   algbw   busbw  error     time   algbw   busbw  error\n"
      "        4096            64     float    34.50    0.12    0.11  0e+00    34.58    0.12    0.11  "
      "0e+00\n";
  EXPECT_EQ(told(read(text, {AllGather, {}, 8})), (Texts{"all-gather 8/16: 4096 in 34.5 us"}));
}

// NVIDIA/nccl issue 527: a column of the poster's own stands in front.
TEST(NcclLogs, AColumnInFront) {
  const std::string text =
      " p4dn        size         count      type   redop     time   algbw   busbw  error     time   algbw   "
      "busbw  "
      "error\n"
      "   1   1073741824     268435456     float     sum   8142.6  131.87  230.77  2e-07   8141.2  131.89  "
      "230.81  "
      "2e-07\n";
  EXPECT_EQ(told(read(text, {AllReduce, 8, {}})), (Texts{"all-reduce 8/8: 1073741824 in 8142.6 us"}));
}

// ROCm/rccl pull request 2075: several programs in one log, some of which nobody prices.
TEST(NcclLogs, ProgramsOfALogAreReadOneByOne) {
  const std::string text = "======== all_reduce_perf ====\n" + log_of(1, 2, 1) +
                           "\n\n======== scatter_perf ====\n" + log_of(1, 2, 2, "scatter_perf") +
                           "======== alltoall_perf ====\n" + log_of(1, 2, 1, "alltoall_perf");
  const Samples samples = read(text);
  EXPECT_EQ(told(samples), (Texts{"all-reduce 2/2: 1048576 in 100 us", "all-to-all 2/2: 1048576 in 100 us"}));
  EXPECT_EQ(to_string(samples.notes.at(1)), "dropped: 2 rows of scatter_perf");
  EXPECT_EQ(
      refused(log_of(1, 2, 1) + log_of(1, 2, 1)),
      (Texts{
          "line 15: expected the output of one test: cut the file before this line, found another test's"}));
}

// coreweave/nccl-tests pull request 43 shows only the last of 72 ranks; NVIDIA/nccl issue on GB300 four
// of 64.
TEST(NcclLogs, RanksThatAreLeftOutAreAskedFor) {
  std::string text = log_of(16, 4);
  const std::size_t first = text.find("#  Rank 2 "), last = text.find("#  Rank 62 ");
  text.replace(first, last - first, "...\n");
  EXPECT_EQ(refused(text), (Texts{"/: expected the number of devices in a node (--per-node, or a line \"# "
                                  "neighbours: 8\"), since not "
                                  "all ranks are listed, found 4 of 64 ranks on 2 hosts"}));
  EXPECT_EQ(told(read(text, {{}, {}, 64})).front(), "all-reduce 64/64: 1048576 in 100 us");
  EXPECT_EQ(told(read(text, {{}, {}, 4})).front(), "all-reduce 4/64: 1048576 in 100 us");
}

TEST(NcclLogs, HostsOfUnequalNumbersAreRefused) {
  std::string text = log_of(2, 4);
  const std::size_t last = text.find("#  Rank 7 ");
  text.erase(last, text.find('\n', last) + 1 - last);
  EXPECT_EQ(refused(text),
            (Texts{"/: expected as many ranks on every host, found 3 on worker-1, 4 on worker-0"}));
}

// NVIDIA/nccl-tests issue 107: built without MPI, each program knows its own device.
TEST(NcclLogs, ProgramsOfOneDeviceEachAreRefused) {
  const std::string one = log_of(1, 1, 0),
                    rank = one.substr(one.find("#  Rank"), one.find("NCCL v") - one.find("#  Rank"));
  std::string text = log_of(1, 1);
  text.insert(text.find("#  Rank"), rank);
  EXPECT_EQ(refused(text).at(0),
            "/: expected one program of all devices (nccl-tests built with MPI=1), found the output of "
            "several, each "
            "of its own devices");
  const std::string alone = std::regex_replace(log_of(1, 1), std::regex("15.73"), "0.00");
  EXPECT_EQ(refused(alone, {{}, 2, {}}), (Texts{"/: expected one program of all devices (nccl-tests built "
                                                "with MPI=1), found one of a single device"}));
}

// Messages of sendrecv_perf are of two, and the slowest leaves the host if there are several.
TEST(NcclLogs, SendsLeaveTheHost) {
  EXPECT_EQ(told(read(log_of(3, 4, 1, "sendrecv_perf"))), (Texts{"send-recv 1/2: 1048576 in 100 us"}));
  EXPECT_EQ(told(read(log_of(1, 4, 1, "sendrecv_perf"))), (Texts{"send-recv 2/2: 1048576 in 100 us"}));
}

// What is missing is named by the collectives that fit: "none" is not reduced, and the count is a share.
TEST(NcclLogs, ALogThatNamesNoCollective) {
  std::string text = kHeading +
                     "     8388608        131072     float    none      -1    166.6   50.34   47.19    N/A   "
                     " 164.1   51.11   "
                     "47.92    N/A\n";
  EXPECT_EQ(refused(text).at(0),
            "/: expected a supported collective (--operation, or a line \"# operation: all-gather\"), found "
            "none named");
  EXPECT_EQ(told(read(text, {AllGather, {}, 8})), (Texts{"all-gather 8/16: 8388608 in 166.6 us"}));
}

// EESSI/software-layer pull request 716, openucx/ucx issue 7369; linux-rdma/perftest issue 234;
// IBM/pytorch-communication-benchmarks issue 1; openucx/ucc pull request 223; NVIDIA/cuda-samples issue 230;
// AWS Neuron's documentation.
TEST(NcclLogs, OutputsOfOtherProgramsAreNamed) {
  const auto found = [&](const std::string& text) {
    const Texts all = refused(text);
    return all.empty() ? std::string() : all.front().substr(all.front().find(", found ") + 8);
  };
  EXPECT_EQ(found("# OSU MPI-CUDA Bandwidth Test v7.2\n# Send Buffer on DEVICE (D)\n# Size      Bandwidth "
                  "(MB/s)\n1   1.01\n"),
            "the output of OSU's micro-benchmarks: times of MPI");
  EXPECT_EQ(found("# OSU MPI-CUDA Latency Test v5.7\n# Size          Latency (us)\n0    1.98\n"),
            "the output of OSU's micro-benchmarks: times of MPI");
  EXPECT_EQ(found("-----\n #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n "
                  "65536      664644   0.00   6922.0   0.11\n"),
            "the output of perftest (ib_write_bw and others): times of verbs");
  EXPECT_EQ(found("size(MB)   tavg(usec)    tmin(usec)    tmax(usec)  avgbw(GB/sec)  maxbw(GB/sec)\n0.10 "
                  "227.7 196.8 692.7 0.77 0.89\n"),
            "the output of pytorch-communication-benchmarks");
  EXPECT_EQ(
      found("       Count        Size                Time, us                           Bandwidth, GB/s\n"),
      "the output of ucc_perftest");
  EXPECT_EQ(found("     size(B)    count(elems)     type    time(us)    algbw(GB/s)    busbw(GB/s)\n"),
            "the output of AWS Neuron's nccom-test");
}

// The columns of today's options: -T adds a time of two words, -B the bits that differ, -C the host's time.
TEST(NcclLogs, ColumnsOfOptions) {
  const std::string row =
      "     1048576        262144     float     sum      -1   100.00   10.49   15.73       0        "
      "0   777.00    9.53    4.77       0        0 2026-05-01 10:11:12\n";
  const auto heading = [](const std::string& time) {
    return "#       size         count      type   redop    root     " + time +
           "   algbw   busbw  #wrong  #bitdiff     " + time +
           "   algbw   busbw  #wrong  #bitdiff           timestamp\n";
  };
  EXPECT_EQ(told(read(heading("time") + row + row, {AllReduce, 8, 8})),
            (Texts{"all-reduce 8/8: 1048576 in 100 us", "all-reduce 8/8: 1048576 in 100 us"}));
  EXPECT_EQ(
      refused(heading("cputime") + row, {AllReduce, 8, 8}),
      (Texts{"/: expected times of the device (run the program without -C 1), found the host's (cputime)"}));
}

// What -J writes, by src/util.cu of NVIDIA/nccl-tests 2.19: two processes of two devices each.
std::string results(const std::string& rows, const std::string& program = "/opt/all_gather_perf_mpi") {
  return R"({"version":3,"start_time":"2026-05-01 10:11:12","args":[")" + program +
         R"(","-J","out.json"],"env":["A=b"],"nccl_version":23007,"config":{"nthreads":1,"ngpus":2,"devices":[)" +
         R"({"rank":0,"group":0,"pid":7,"hostname":"a","device":0},{"rank":2,"group":0,"pid":9,"hostname":"b","device":0}]},)" +
         R"("results":[)" + rows + "]}";
}

TEST(NcclLogs, ResultsAsJsonAreRead) {
  const auto row = [](int size, const std::string& times) {
    return R"({"size":)" + std::to_string(size) + R"(,"count":)" + std::to_string(size / 16) +
           R"(,"type":"float","redop":"none","root":"-1","out_of_place":)" + times + R"(,"in_place":null})";
  };
  const std::string right = R"({"time":12.5,"alg_bw":1.0,"bus_bw":0.75,"nwrong":0.0})";
  const std::string path = measured_file(
      "results.json", results(row(4096, right) + "," + row(0, right) + "," +
                              row(64, R"({"time":9.0,"alg_bw":1.0,"bus_bw":0.75,"nwrong":3.0})")));
  const Samples samples = read_nccl_results(path, {});
  EXPECT_EQ(told(samples), (Texts{"all-gather 2/4: 4096 in 12.5 us"}));
  EXPECT_EQ(samples.placement, DevicePlacement::Hosts);
  EXPECT_EQ(to_string(samples.notes.at(1)), "dropped: 1 row with wrong results");
  const auto of = [&](const std::string& text) {
    return refusals([&] { read_nccl_results(measured_file("results.json", text), {}); });
  };
  EXPECT_EQ(of(results(row(64, R"({"cpu_time":9.0,"alg_bw":1.0})"))).at(0),
            "/: expected times of the device (run the program without -C 1), found the host's (cputime)");
  EXPECT_EQ(of(results(row(64, "null"))).at(0),
            "/results/0: expected numbers for size, time, alg_bw and bus_bw, out of place, found none");
}

// The tester's command states what its table does not.
TEST(NcclLogs, HcclTestsCommandIsRead) {
  const std::string text =
      "+ mpirun -f hostfile -n 32 ./bin/all_gather_test -b 512 -e 4G -f 2 -p 16\n"
      "[1,0]<stdout>:data_size(Bytes): | aveg_time(us): | alg_bandwidth(GB/s): | check_result:\n"
      "[1,0]<stdout>:64                | 1000.00        | 0.00006              | success\n"
      "[1,0]<stdout>:128               | 1000.00        | 0.00006              | failed\n";
  const Samples samples = read(text);
  EXPECT_EQ(told(samples), (Texts{"all-gather 16/32: 64 in 1000 us"}));
  EXPECT_EQ(samples.format, "hccl_test");
}

}  // namespace
}  // namespace spillway::testing::nccl_logs
