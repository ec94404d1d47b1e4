#include "traces/formats/kineto.h"

#include "support/measured_data.h"
#include "support/temporary_folder.h"
#include "trace_files.h"
#include "traces/formats/kineto_names.h"
#include "traces/formats/read_trace.h"
#include "traces/formats/trace_format_list.h"

namespace spillway::testing {
namespace {

using Texts = std::vector<std::string>;

std::string event(const std::string& category, const std::string& name, const std::string& thread, double ts,
                  double dur) {
  return R"({"ph":"X","cat":")" + category + R"(","name":")" + name + R"(","pid":0,"tid":)" + thread +
         R"(,"ts":)" + std::to_string(ts) + R"(,"dur":)" + std::to_string(dur) + "}";
}

std::string profile(const Texts& events, const std::string& more = "") {
  std::string text = R"({"schemaVersion":1,)" + more + R"("traceEvents":[)";
  for (std::size_t i = 0; i < events.size(); ++i) text += (i == 0 ? "" : ",") + events[i];
  return text + "]}";
}

std::string of_rank(int rank, int world, const std::string& groups = "") {
  return R"("distributedInfo":{"backend":"nccl","rank":)" + std::to_string(rank) + R"(,"world_size":)" +
         std::to_string(world) + groups + "},";
}

Trace profiled(const Texts& events, const std::string& more = "") {
  return read_trace(measured_file("kineto.json", profile(events, more)));
}

bool has_note(const Trace& trace, const std::string& part) {
  for (const std::string& note : texts(trace.notes))
    if (note.find(part) != note.npos) return true;
  return false;
}

TEST(Kineto, KernelsCommunicationAndAnnotationsAreKeptTheHostIsCounted) {
  const Trace trace = profiled(
      {event("cpu_op", "aten::mm", "1", 90, 5), event("kernel", "gemm", "7", 100, 20),
       event("kernel", "ncclDevKernel_SendRecv", "9", 110, 30),
       event("gpu_memcpy", "Memcpy DtoD", "7", 150, 1), event("user_annotation", "attn(F)", "1", 95, 10),
       event("cuda_runtime", "cudaLaunchKernel", "1", 96, 1), R"({"ph":"f","cat":"ac2g","ts":96})",
       R"({"ph":"M","name":"process_name"})"});
  EXPECT_EQ(texts(trace.events), (Texts{"annotation r0 s0 m- 0+10", "kernel r0 s0 m- 5+20",
                                        "collective r0 s0 m- 15+30", "kernel r0 s0 m- 55+1"}));
  EXPECT_EQ(trace.events[1].stream, 7);
  EXPECT_EQ(trace.names[trace.events[2].name], "ncclDevKernel_SendRecv");
  EXPECT_NEAR(trace.origin_s, 95e-6, 1e-12);
  EXPECT_TRUE(has_note(trace, "dropped: 1 event of category cpu_op (the first is event 1)"));
  EXPECT_TRUE(has_note(trace, "dropped: 1 flow events"));
}

TEST(Kineto, OlderCategories) {
  EXPECT_EQ(
      texts(profiled({event("Kernel", "gemm", "7", 0, 5), event("Runtime", "launch", "1", 0, 1)}).events),
      Texts{"kernel r0 s0 m- 0+5"});
}

TEST(Kineto, EventsWithoutSenseAreDroppedAndCounted) {
  const Trace trace = profiled({event("kernel", "a", "7", 5, 1), event("kernel", "a", "7", 5, 1),
                                event("kernel", "b", "7", 9, -1), R"({"ph":"X","cat":"kernel","dur":1})",
                                R"({"ph":"X","cat":"kernel","ts":1})"});
  EXPECT_EQ(texts(trace.events), (Texts{"kernel r0 s0 m- 0+1"}));
  EXPECT_TRUE(has_note(trace, "1 event with a negative duration (the first is event 3)"));
  EXPECT_TRUE(has_note(trace, "1 event without a start (the first is event 4)"));
  EXPECT_TRUE(has_note(trace, "1 event without a duration (the first is event 5)"));
  EXPECT_TRUE(has_note(trace, "1 event that the file holds twice"));
}

TEST(Kineto, ActionsOfTheScheduleBecomePassesAndTransfers) {
  const Trace trace = profiled(
      {event("user_annotation", "PP:2RECV_F3", "1", 0, 1), event("user_annotation", "PP:2F3", "1", 1, 5),
       event("user_annotation", "PP:2SEND_F3", "1", 6, 1), event("user_annotation", "PP:2I3", "1", 7, 2),
       event("user_annotation", "PP:2W3", "1", 9, 2),
       event("user_annotation", "PP:(2F4;2B1)OVERLAP_F_B", "1", 11, 2),
       event("user_annotation", "PP:2UNSHARD", "1", 13, 2)});
  EXPECT_EQ(texts(trace.events),
            (Texts{"recv-forward r0 s2 m3 0+1", "forward r0 s2 m3 1+5", "send-forward r0 s2 m3 6+1",
                   "backward-input r0 s2 m3 7+2", "backward-weight r0 s2 m3 9+2", "annotation r0 s0 m- 11+2",
                   "annotation r0 s0 m- 13+2"}));
  EXPECT_TRUE(has_note(trace, "5 ranges of the pipeline with the host's times"));
  EXPECT_TRUE(has_note(trace, "1 range of a forward and a backward together"));
}

TEST(Kineto, TheDevicesRangesReplaceTheHostsAndJoinOverStreams) {
  const Trace trace = profiled({event("user_annotation", "PP:0F0", "1", 0, 1),
                                event("gpu_user_annotation", "PP:0F0", "7", 2, 10),
                                event("gpu_user_annotation", "PP:0F0", "20", 3, 12),
                                event("gpu_user_annotation", "PP:0F1", "7", 20, 4)});
  EXPECT_EQ(texts(trace.events), (Texts{"forward r0 s0 m0 0+13", "forward r0 s0 m1 18+4"}));
  EXPECT_TRUE(has_note(trace, "dropped: 1 range of the host's pipeline"));
  EXPECT_TRUE(has_note(trace, "corrected: 1 range of the pipeline, joined"));
}

TEST(Kineto, AStepIsTheProfilersAndAKernelBelongsToTheLastThatBegan) {
  const Trace trace =
      profiled({event("user_annotation", "ProfilerStep#8", "1", 200, 90),
                event("user_annotation", "ProfilerStep#6", "1", 100, 90), event("kernel", "a", "7", 50, 1),
                event("kernel", "b", "7", 195, 1), event("kernel", "c", "7", 205, 1)});
  EXPECT_EQ(trace.steps, (Texts{"6", "8"}));
  Texts steps;
  for (const TraceEvent& e : trace.events)
    if (e.kind == TraceKind::Kernel) steps.push_back(trace.names[e.name] + trace.steps[e.step]);
  EXPECT_EQ(steps, (Texts{"a6", "b6", "c8"}));
  EXPECT_TRUE(has_note(trace, "guessed: 1 event before the first ProfilerStep"));
}

// There are four processes and two stages: processes 0 and 2 are one pipeline, 1 and 3 the other.
TEST(Kineto, AJobsFilesFindTheirRanksByTheGroupOfThePipeline) {
  const std::string folder = measured_file("groups/a.txt", "not a trace");
  std::vector<std::string> files;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string group =
        R"(,"pg_config":[{"pg_desc":"default_pg","ranks":[0,1,2,3]},{"pg_desc":"mesh_pp","ranks":[)" +
        std::to_string(rank % 2) + "," + std::to_string(rank % 2 + 2) + "]}]";
    files.push_back(measured_file(
        "groups/" + std::to_string(9 - rank) + ".json",
        profile({event("user_annotation", "Forward 0", "1", 10.0 * rank, 1)}, of_rank(rank, 4, group))));
  }
  const Trace trace = read_kineto(files);
  Texts places;
  for (const TraceEvent& e : trace.events)
    places.push_back(std::to_string(e.replica) + "/" + std::to_string(e.rank) + "/" +
                     std::to_string(e.stage));
  EXPECT_EQ(places, (Texts{"0/0/0", "0/1/1", "1/0/0", "1/1/1"}));
}

TEST(Kineto, WithoutGroupsRanksFollowFromStagesAndMissingOnesAreCounted) {
  const TemporaryFolder files;
  const std::string folder = files.path().string();
  const auto put = [&](int rank, const std::string& action) {
    files.file("r" + std::to_string(rank) + ".json",
               profile({event("user_annotation", action, "1", rank, 1)}, of_rank(rank, 8)));
  };
  put(0, "PP:0F0"), put(1, "PP:0F0"), put(4, "PP:1F0");
  ASSERT_TRUE(kKinetoFolder.is_of(folder));
  const Trace trace = kKinetoFolder.read(folder);
  EXPECT_EQ(texts(trace.events),
            (Texts{"forward r0 s0 m0 0+1", "forward r1 s1 m0 4+1", "forward r0 s0 m0 1+1"}));
  EXPECT_EQ(trace.files.size(), 3u);
  EXPECT_TRUE(has_note(trace, "missing: 5 processes of a job of 8 without a file"));
  EXPECT_TRUE(has_note(trace, "by the stages that each process runs"));
  std::filesystem::copy(folder + "/r4.json", folder + "/r5.json");
  EXPECT_EQ(violation_of([&] { kKinetoFolder.read(folder); }).pointer, "/distributedInfo/rank");
}

// A data-parallel job names no passes: its processes are not ranks of a pipeline, and a note says what is
// missing.
TEST(Kineto, ProcessesWithoutPassesAreNoPipeline) {
  std::vector<std::string> files;
  for (int rank = 0; rank < 2; ++rank)
    files.push_back(measured_file("plain" + std::to_string(rank) + ".json",
                                  profile({event("kernel", "gemm", "7", rank, 1)}, of_rank(rank, 2))));
  const Trace trace = read_kineto(files);
  EXPECT_EQ(trace.events[0].replica, 0u);
  EXPECT_EQ(trace.events[1].replica, 1u);
  for (const TraceEvent& e : trace.events) EXPECT_EQ(e.rank, 0u);
  EXPECT_TRUE(has_note(trace,
                       "missing: annotations of a pipeline's passes, so no process has a pipeline rank; "
                       "known annotations are PP:0F0"));
}

// PyTorch 2.5 names a whole backward BW; next to a W, a B is the half for the input.
TEST(Kineto, OlderNamesOfBackwards) {
  const Trace whole = profiled(
      {event("user_annotation", "PP:0F0", "1", 0, 1), event("user_annotation", "PP:0BW0", "1", 1, 2)});
  EXPECT_EQ(texts(whole.events), (Texts{"forward r0 s0 m0 0+1", "backward r0 s0 m0 1+2"}));
  const Trace halves =
      profiled({event("user_annotation", "PP:0F0", "1", 0, 1), event("user_annotation", "PP:0B0", "1", 1, 2),
                event("user_annotation", "PP:0W0", "1", 3, 1), event("user_annotation", "PP:0F1", "1", 4, 1),
                event("user_annotation", "PP:0BW1", "1", 5, 3)});
  EXPECT_EQ(texts(halves.events),
            (Texts{"forward r0 s0 m0 0+1", "backward-input r0 s0 m0 1+2", "backward-weight r0 s0 m0 3+1",
                   "forward r0 s0 m1 4+1", "backward r0 s0 m1 5+3"}));
}

// Kernels of CUDA graphs name their pass in their args. There are two steps of one stage, in which a late
// copy of F0 comes after F1 has begun.
TEST(Kineto, ArgsOfKernelsNamePasses) {
  const auto kernel = [](const std::string& pass, double ts, double dur) {
    return R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":)" + std::to_string(ts) +
           R"(,"dur":)" + std::to_string(dur) + R"(,"args":{"stream":7,"name":")" + pass + "\"}}";
  };
  std::vector<std::string> events;
  for (const double at : {0.0, 100.0})
    for (const std::string& one :
         {kernel("PP:F0", at, 4), kernel("PP:F0", at + 5, 5), kernel("PP:F1", at + 12, 8),
          kernel("PP:F0", at + 13, 2), kernel("PP:B0", at + 20, 10), kernel("PP:B1", at + 30, 10)})
      events.push_back(one);
  const Trace trace = profiled(events);
  Texts passes;
  for (const TraceEvent& one : trace.events)
    if (is_compute(one.kind)) passes.push_back(std::to_string(one.step) + ' ' + text(one));
  EXPECT_EQ(passes,
            (Texts{"0 forward r0 s0 m0 0+15", "0 forward r0 s0 m1 12+8", "0 backward r0 s0 m0 20+10",
                   "0 backward r0 s0 m1 30+10", "1 forward r0 s0 m0 100+15", "1 forward r0 s0 m1 112+8",
                   "1 backward r0 s0 m0 120+10", "1 backward r0 s0 m1 130+10"}));
}

TEST(Kineto, FilesThatCountFromDifferentBasesMeet) {
  const auto file = [](int rank, const std::string& base) {
    return measured_file("base" + std::to_string(rank) + ".json",
                         profile({event("user_annotation", "Forward 0", "1", 5, 1)},
                                 of_rank(rank, 2) + R"("baseTimeNanoseconds":)" + base + ","));
  };
  const Trace trace = read_kineto({file(0, "1740461000000002000"), file(1, "1740461000000000000")});
  EXPECT_EQ(texts(trace.events), (Texts{"forward r0 s0 m0 2+1", "forward r1 s1 m0 0+1"}));
}

TEST(KinetoNames, CommunicationIsToldByItsLibrary) {
  for (const char* name :
       {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t", "void deep_ep::internode::dispatch<false>(int)",
        "void dpsk::ep::internode::combine<false, 8>(int)"})
    EXPECT_TRUE(is_communication_kernel(name)) << name;
  for (const char* name :
       {"void at::native::reduce_kernel<512, 1>", "ampere_bf16_s16816gemm", "void step::run()"})
    EXPECT_FALSE(is_communication_kernel(name)) << name;
}

TEST(KinetoNames, OnlyWholeNamesArePasses) {
  EXPECT_EQ(pipeline_range("Backward 12")->microbatch, 12u);
  EXPECT_EQ(pipeline_range("PP:12SEND_B3")->stage, 12);
  for (const char* name : {"Forward", "Forward pass", "2F0", "PP:", "PP:2F", "forward 1", "PP:70000F0"})
    EXPECT_FALSE(pipeline_range(name)) << name;
}

// This is DeepSeek's profile of a training chunk (deepseek-ai/profile-data at 44960242).
TEST(KinetoData, DeepSeeksChunk) {
  const auto path = measured_data("overlap/deepseek_profile/train.json.gz");
  if (!path) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is unset";
  const Trace trace = read_trace(*path);
  std::size_t kernels = 0, collectives = 0, annotations = 0, elsewhere = 0;
  for (const TraceEvent& e : trace.events) {
    kernels += e.kind == TraceKind::Kernel;
    collectives += e.kind == TraceKind::Collective;
    annotations += e.kind == TraceKind::Annotation;
    elsewhere += e.kind == TraceKind::Collective && e.stream != 27;
  }
  EXPECT_EQ(kernels, 963u - 32u + 20u);  // 20 copies and fills beside 963 kernels
  EXPECT_EQ(collectives, 32u);
  EXPECT_EQ(elsewhere, 0u);
  EXPECT_EQ(annotations, 42u);
  EXPECT_EQ(trace.steps, Texts{"1"});
  EXPECT_TRUE(has_note(trace, "missing: 63 processes of a job of 64"));
}

}  // namespace
}  // namespace spillway::testing
