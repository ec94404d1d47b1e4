// A small excerpt of every format of single measurements, and the refusals.
#include "traces/samples/read_samples.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "measured_files.h"

namespace spillway {

void PrintTo(const MessageSample& sample, std::ostream* out) {
  *out << static_cast<int>(sample.operation) << ' ' << sample.neighbours << '/' << sample.devices << ' '
       << sample.size.value() << " B " << sample.time.value() << " s " << sample.transport;
}

namespace {

using testing::measured_file;
using testing::refusals;
using enum CollectiveOperation;
using Lines = std::vector<std::string>;

void expect_sample(const MessageSample& sample, CollectiveOperation operation, std::uint32_t devices,
                   std::uint32_t neighbours, double bytes, double seconds) {
  EXPECT_EQ(sample.operation, operation);
  EXPECT_EQ(sample.devices, devices);
  EXPECT_EQ(sample.neighbours, neighbours);
  EXPECT_DOUBLE_EQ(sample.size.value(), bytes);
  EXPECT_DOUBLE_EQ(sample.time.value(), seconds);
}

// These are the columns of microsoft/vidur @7d475133, h100_dgx/all_reduce.csv.
TEST(ReadSamples, VidurTakesTheMedianInMilliseconds) {
  const Samples samples = read_samples(
      measured_file("v.csv",
                    ",time_stats.all_reduce.min,time_stats.all_reduce.max,time_stats.all_reduce.mean,"
                    "time_stats.all_reduce.median,time_stats.all_reduce.std,rank,num_workers,size,collective,"
                    "devices_per_node,max_devices_per_node\n"
                    "0,0.015,0.038,0.03,0.037,0.0106,0,8,2048,all_reduce,8,8\n"
                    "1,0.018,0.036,0.0257,0.023,0.0076,0,16,10240,all_reduce,8,8\n"));
  EXPECT_EQ(samples.format, "vidur");
  ASSERT_EQ(samples.messages.size(), 2u);
  expect_sample(samples.messages[0], AllReduce, 8, 8, 2048, 37e-6);
  expect_sample(samples.messages[1], AllReduce, 16, 8, 10240, 23e-6);
}

// These are the columns of ai-dynamo/aiconfigurator @095f58a5, h100_sxm NCCL 2.29.2.
TEST(ReadSamples, AiconfiguratorCountsElementsOfTwoBytes) {
  const Samples samples = read_samples(measured_file(
      "a.csv",
      "framework,version,device,op_name,kernel_source,nccl_dtype,num_gpus,message_size,latency\n"
      "TRTLLM,2.29.2,NVIDIA H100 80GB HBM3,all_gather,NCCL,half,2,256,0.00531\n"
      "TRTLLM,2.29.2,NVIDIA H100 80GB HBM3,alltoall,NCCL,half,8,512,0.00658\n"
      "TRTLLM,2.29.2,NVIDIA H100 80GB HBM3,all_gather,NCCL,int8,2,512,0.00539\n"));
  ASSERT_EQ(samples.messages.size(), 2u);
  expect_sample(samples.messages[0], AllGather, 2, 2, 512, 5.31e-6);
  expect_sample(samples.messages[1], AllToAll, 8, 8, 1024, 6.58e-6);
  EXPECT_EQ(to_string(samples.notes[0]), "dropped: 1 row of another type than 16-bit floats");
}

std::string nccl_text(const std::string& banner, const std::string& ranks) {
  return "# nccl-tests version 2.18.0 nccl-headers=22907 nccl-library=22907\n" + banner +
         "# nThread 1 nGpus 1 minBytes 8 maxBytes 16 step: 2(factor)\n#\n# Using devices\n" + ranks +
         "host-a:1:2 [0] NCCL INFO comm 0x1 rank 0 nranks 2\n"
         "#\n#                                 out-of-place                       in-place\n"
         "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   "
         "algbw   busbw  #wrong\n"
         "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  "
         "(GB/s)  (GB/s)\n"
         "     1048576        131072     float    none      -1   100.00   10.49    5.24       0   110.00    "
         "9.53    4.77       0\n"
         "     2097152        262144     float    none      -1   150.00   13.98    6.99       3   160.00   "
         "13.11    6.55     N/A\n"
         "     4194304        524288     float    none      -1   200.00   20.97   10.49     N/A   210.00   "
         "19.97    9.99     N/A\n"
         "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 7.5\n";
}

const std::string kTwoHosts =
    "#  Rank  0 Group  0 Pid 10 on host-a device  0 [0000:02:00] NVIDIA H100\n"
    "#  Rank  1 Group  0 Pid 11 on host-b device  0 [0000:02:00] NVIDIA H100\n";

TEST(ReadSamples, NcclTestsTakesTheOutOfPlaceTimesThatAreRight) {
  const Samples samples = read_samples(
      measured_file("n.txt", nccl_text("# Collective test starting: all_gather_perf_mpi\n", kTwoHosts)));
  EXPECT_EQ(samples.format, "nccl-tests");
  ASSERT_EQ(samples.messages.size(), 2u);
  expect_sample(samples.messages[0], AllGather, 2, 1, 1048576, 100e-6);
  expect_sample(samples.messages[1], AllGather, 2, 1, 4194304, 200e-6);
  EXPECT_EQ(to_string(samples.notes[1]), "dropped: 1 row with wrong results");
}

// In an all-gather between two devices, the bus bandwidth is half of the algorithm bandwidth.
TEST(ReadSamples, NcclTestsWithoutABannerGoesByFileNameAndBandwidths) {
  const Samples samples = read_samples(measured_file("all_gather.log", nccl_text("", "")));
  ASSERT_EQ(samples.messages.size(), 2u);
  expect_sample(samples.messages[0], AllGather, 2, 2, 1048576, 100e-6);
  EXPECT_EQ(samples.notes[2].kind, NoteKind::Guessed);
}

TEST(ReadSamples, NcclTestsUnderMpirunAndWithCommentsOfOurs) {
  std::string text =
      "[1,0]<stdout>:" + nccl_text("# operation: reduce-scatter\n# devices: 16\n# neighbours: 8\n", "");
  for (std::size_t at = 0; (at = text.find("\n ", at)) != std::string::npos; ++at)
    text.replace(at, 1, "\n[1,0]<stdout>:");
  const Samples samples = read_samples(measured_file("m.txt", text));
  ASSERT_EQ(samples.messages.size(), 2u);
  expect_sample(samples.messages[1], ReduceScatter, 16, 8, 4194304, 200e-6);
}

// srun -l labels lines with the task, right-aligned if there are many.
TEST(ReadSamples, NcclTestsUnderSrunWithLabels) {
  std::string text = nccl_text("# Collective test starting: all_reduce_perf\n", kTwoHosts);
  for (std::size_t at = 0; at < text.size(); at = std::max(text.find('\n', at), at) + 1)
    text.insert(at, " 0: ");
  const Samples samples = read_samples(measured_file("s.txt", text));
  ASSERT_EQ(samples.messages.size(), 2u);
  expect_sample(samples.messages[0], AllReduce, 2, 1, 1048576, 100e-6);
}

// A value from the command line counts only if the file states none.
TEST(ReadSamples, WhatIsGivenCompletesWhatTheFileSays) {
  const TimedGroup given{AllToAll, 16, 8};
  const Samples silent = read_samples(measured_file("x.txt", nccl_text("", "")), given);
  ASSERT_EQ(silent.messages.size(), 2u);
  expect_sample(silent.messages[0], AllToAll, 16, 8, 1048576, 100e-6);
  const Samples said = read_samples(
      measured_file("y.txt", nccl_text("# operation: reduce-scatter\n# devices: 4\n# neighbours: 2\n", "")),
      given);
  expect_sample(said.messages[0], ReduceScatter, 4, 2, 1048576, 100e-6);
}

TEST(ReadSamples, NcclTestsOfNoCollectiveOfOurs) {
  const std::string path =
      measured_file("o.txt", nccl_text("# Collective test starting: broadcast_perf\n", kTwoHosts));
  EXPECT_EQ(
      refusals([&] { read_samples(path); }),
      (Lines{"/: expected a supported collective (--operation, or a line \"# operation: all-gather\"), found "
             "broadcast_perf"}));
}

// These are the columns of its documentation.
TEST(ReadSamples, HcclTestNeedsToBeToldTheDevices) {
  const std::string table =
      "data_size(Bytes): | aveg_time(us): | alg_bandwidth(GB/s): | check_result:\n"
      "8192 | 12.50 | 0.66 | success\n"
      "16384 | 13.00 | 1.26 | failed\n"
      "32768             | 16.00          | 2.05                 | NULL\n";
  const Samples samples = read_samples(measured_file(
      "h.txt", "# operation: all-reduce\n# devices: 16\n# neighbours: 8\n# transport: HCCS\n" + table));
  ASSERT_EQ(samples.messages.size(), 2u);
  expect_sample(samples.messages[1], AllReduce, 16, 8, 32768, 16e-6);
  EXPECT_EQ(samples.messages[1].transport, "HCCS");
  const std::string untold = measured_file("h2.txt", table);
  EXPECT_EQ(refusals([&] { read_samples(untold); }).size(), 2u);
}

// NCCL 1's README shows its all_reduce_test on four TITAN X like this: milliseconds, "bytes" and "res".
TEST(ReadSamples, TestsOfTheFirstNccl) {
  const std::string path = measured_file(
      "all_reduce_test.txt",
      "# Using devices\n#   Device  0 ->  0 [0x0a] GeForce GTX TITAN X\n"
      "#   Device  1 ->  1 [0x09] GeForce GTX TITAN X\n#   Device  2 ->  2 [0x06] GeForce GTX TITAN X\n"
      "#   Device  3 ->  3 [0x05] GeForce GTX TITAN X\n\n"
      "#                                                 out-of-place                    in-place\n"
      "#      bytes             N    type      op     time  algbw  busbw      res     time  algbw  busbw     "
      " res\n"
      "    10000000      10000000    char     sum    1.628   6.14   9.21    0e+00    1.932   5.18   7.77    "
      "0e+00\n"
      "    10000000       2500000     int     sum    1.611   6.21   9.31    0e+00    1.626   6.15   9.23    "
      "0e+00\n");
  const Samples samples = read_samples(path);
  ASSERT_EQ(samples.messages.size(), 2u);
  expect_sample(samples.messages[0], AllReduce, 4, 4, 10000000, 1.628e-3);
}

// ROCm's tests ran under `mpiexec -l` of MPICH, without checking results.
TEST(ReadSamples, RcclTestsWithLabels) {
  const std::string table =
      "[0] # nThread 1 nGpus 2 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20\n"
      "[0] rccl-tests: Version develop:83d38d9\n[0] # Using devices\n"
      "[0] #  Rank  0 Group  0 Pid  37300 on   g100n126 device  0 [0000:05:00] AMD Instinct MI300X\n"
      "[0] #  Rank  1 Group  0 Pid  37300 on   g100n126 device  1 [0000:33:00] AMD Instinct MI300X\n"
      "[0] #       size         count      type   redop    root     time   algbw   busbw #wrong     time   "
      "algbw   "
      "busbw #wrong\n"
      "[0]      8388608       2097152     float     sum      -1    91.10   92.08  161.14    N/A    94.94   "
      "88.36  "
      "154.63    N/A\n";
  const Samples samples = read_samples(measured_file("all_reduce_perf.log", table));
  ASSERT_EQ(samples.messages.size(), 1u);
  expect_sample(samples.messages[0], AllReduce, 2, 2, 8388608, 91.10e-6);
  const std::string twice = measured_file("all_reduce_perf_2.log", table + table);
  EXPECT_EQ(
      refusals([&] { read_samples(twice); }),
      Lines{"line 8: expected the output of one test: cut the file before this line, found another test's"});
}

TEST(ReadSamples, CsvSaysItsUnitsInItsHeader) {
  const Samples told = read_samples(measured_file(
      "c.csv", "# 2 nodes\noperation,devices,neighbours,size_MiB,time_ms\nall-reduce,4,2,1,0.5\n"));
  expect_sample(told.messages.at(0), AllReduce, 4, 2, 1048576, 0.5e-3);
  const Samples untold = read_samples(measured_file("d.csv", "size_kB,time_us\n3,9\n"));
  expect_sample(untold.messages.at(0), SendRecv, 2, 2, 3000, 9e-6);
  EXPECT_EQ(untold.notes.size(), 3u);  // operation, devices, where
}

// The file is lessizzmore/create-a3mega-ztan-fork @02dd8f45, as transcribed.
TEST(ReadSamples, CsvTranscribedFromNcclTests) {
  const Samples samples = read_samples(
      measured_file("t.csv",
                    "# all_reduce_perf, 2 nodes x 8x H100 80GB, out-of-place columns only\n"
                    "size_B,time_us,algbw_GBps,busbw_GBps\n8,135.8,0.00,0.00\n1048576,203.2,5.16,9.68\n"));
  expect_sample(samples.messages.at(1), AllReduce, 16, 8, 1048576, 203.2e-6);
}

TEST(ReadSamples, EveryBadRowIsNamed) {
  const std::string path = measured_file("b.csv",
                                         "operation,devices,neighbours,size_bytes,time_us\n"
                                         "all-reduce,8,8,1024,-3\n"
                                         "all-reduce,8,8,0,3\n"
                                         "send-recv,8,8,1024,3\n"
                                         "all-reduce,8,3,1024,3\n"
                                         "broadcast,8,8,1024,3\n"
                                         "all-reduce,eight,8,1024,3\n"
                                         "all-reduce,8,8,1024\n");
  EXPECT_EQ(refusals([&] { read_samples(path); }),
            (Lines{"line 2: expected a time above 0, found -3e-06 s",
                   "line 3: expected a size above 0, found 0 bytes",
                   "line 4: expected two devices of a message, two or more of a collective, found 8",
                   "line 5: expected the same number of devices on every node: a divisor of 8, found 3",
                   "line 6: expected an operation in operation, found \"broadcast\"",
                   "line 7: expected a whole number in devices, found \"eight\"",
                   "line 8: expected 5 fields, as in the header, found 4"}));
}

TEST(ReadSamples, AColumnInAnotherUnitIsSeen) {
  const std::string fast = measured_file("f.csv", "size_bytes,time_ns\n1e9,900\n");
  EXPECT_EQ(refusals([&] { read_samples(fast); }),
            (Lines{"line 2: expected from 10 MB/s to 10 TB/s, in the units of its columns, found 1e+09 bytes "
                   "in 9e-07 s"}));
  const std::string slow = measured_file("s.csv", "size_bytes,time_s\n1e7,900\n");
  EXPECT_EQ(refusals([&] { read_samples(slow); }).size(), 1u);
}

TEST(ReadSamples, TwoColumnsOfOneMeasureAreRefused) {
  const std::string both = measured_file("b.csv", "size_bytes,time_us,time_ms\n1024,3,4\n");
  EXPECT_EQ(
      refusals([&] { read_samples(both); }),
      (Lines{"line 1: expected one column of time_s, time_ms, time_us, time_ns, found time_ms, time_us"}));
}

TEST(ReadSamples, NoMeasurementAndNoFormat) {
  const std::string empty = measured_file("e.csv", "size_bytes,time_us\n");
  EXPECT_EQ(refusals([&] { read_samples(empty); }), (Lines{"/: expected measurements, found none"}));
  const std::string other = measured_file("x.csv", "width,height\n3,4\n");
  EXPECT_EQ(refusals([&] { read_samples(other); }).size(), 1u);
  const std::string lacking = measured_file("y.csv", "op_name,nccl_dtype,message_size\nall_gather,half,3\n");
  EXPECT_EQ(refusals([&] { read_samples(lacking); }),
            (Lines{"line 1: expected a column \"num_gpus\", found none of that name",
                   "line 1: expected a column \"latency\", found none of that name"}));
}

}  // namespace
}  // namespace spillway
