// Chakra execution traces written by hand; tests/cli reads back those that `derive` writes.
#include <gtest/gtest.h>

#include <algorithm>

#include "trace_files.h"
#include "traces/formats/read_trace.h"

namespace spillway::testing::chakra_files {
namespace {

using Texts = std::vector<std::string>;

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7f) | 0x80);
  return bytes + static_cast<char>(value);
}
std::string number(std::uint32_t field, std::uint64_t value) {
  return varint(field << 3) + varint(value);
}
std::string bytes(std::uint32_t field, const std::string& text) {
  return varint(field << 3 | 2) + varint(text.size()) + text;
}
std::string delimited(const std::string& message) {
  return varint(message.size()) + message;
}
std::string attribute(const std::string& name, std::uint64_t value) {
  return bytes(10, bytes(1, name) + number(9, value));
}
std::string group(const std::string& name) {
  return bytes(10, bytes(1, "pg_name") + bytes(29, name));
}

const std::string kMetadata = delimited(bytes(1, "0.0.4"));
enum Type { kCompute = 4, kSend = 5, kReceive = 6, kAllReduce = 7 };

// Packs `needs`, as proto3 does.
std::string node(std::uint64_t id, const std::string& name, Type type, std::uint64_t micros,
                 const std::string& needs = "", const std::string& more = "") {
  return delimited(number(1, id) + bytes(2, name) + number(3, type) + bytes(5, needs) + number(7, micros) +
                   more);
}

// Rank 0 computes for 10 us and sends for 4. Rank 1, which has waited 3 us, computes for 20, and both reduce
// for 5.
class Chakra : public ::testing::Test {
 protected:
  std::string folder(const std::string& more_of_1 = "") const {
    measured_file("et/job.0.et", kMetadata + node(1, "PP:0F0", kCompute, 10) +
                                     node(2, "send", kSend, 4, varint(1),
                                          attribute("comm_dst", 1) + attribute("comm_tag", 7)) +
                                     node(3, "reduce", kAllReduce, 5, varint(1), group("dp")));
    const std::string last = measured_file(
        "et/job.1.et",
        kMetadata + node(9, "wait", kCompute, 3) +
            node(300, "recv", kReceive, 0, "", attribute("comm_src", 0) + attribute("comm_tag", 7)) +
            node(2, "PP:1F0", kCompute, 20, varint(9) + varint(300)) +
            node(4, "reduce", kAllReduce, 5, varint(2), group("dp")) + more_of_1);
    return last.substr(0, last.rfind('/'));
  }
};

TEST_F(Chakra, WhatHasNoStartIsPlayed) {
  const Trace trace = read_trace(folder());
  EXPECT_EQ(trace.format, "chakra");
  EXPECT_EQ(texts(trace.events),
            (Texts{"forward r0 s0 m0 0+10", "collective r0 s0 m- 10+4", "collective r0 s0 m- 34+5",
                   "kernel r1 s1 m- 0+3", "collective r1 s1 m- 10+4", "forward r1 s1 m0 14+20",
                   "collective r1 s1 m- 34+5"}));
  EXPECT_EQ(texts(trace.notes).front(),
            "guessed: nodes have no start times, so each starts when its dependencies are done");
}

// A receive ends when the send is done and the receiver has reached it: the receiver computes for `before` us
// first.
TEST_F(Chakra, AReceiveWaitsForItsMessageAndForItsOwnRank) {
  for (const std::uint64_t before : {1u, 14u, 30u}) {
    const std::string name = "late-" + std::to_string(before);
    measured_file(name + "/job.0.et", kMetadata + node(1, "PP:0F0", kCompute, 10) +
                                          node(2, "send", kSend, 4, varint(1),
                                               attribute("comm_dst", 1) + attribute("comm_tag", 7)));
    const std::string last = measured_file(
        name + "/job.1.et",
        kMetadata + node(9, "before", kCompute, before) +
            node(300, "recv", kReceive, 0, varint(9), attribute("comm_src", 0) + attribute("comm_tag", 7)) +
            node(2, "PP:1F0", kCompute, 20, varint(300)));
    const Trace trace = read_trace(last.substr(0, last.rfind('/')));
    const std::string begins = std::to_string(std::max<std::uint64_t>(before, 14));
    EXPECT_EQ(texts(trace.events).back(), "forward r1 s1 m0 " + begins + "+20");
  }
}

TEST_F(Chakra, WhatHasAStartIsTakenAsItIs) {
  const std::string path =
      measured_file("one.et", kMetadata + node(1, "PP:0F0", kCompute, 10, "", number(6, 5000)) +
                                  node(2, "PP:0B0", kCompute, 10, varint(1), number(6, 5040)));
  const Trace trace = read_trace(path);
  EXPECT_EQ(texts(trace.events), (Texts{"forward r0 s0 m0 0+10", "backward r0 s0 m0 40+10"}));
}

std::string flag(const std::string& name, bool value) {
  return bytes(10, bytes(1, name) + number(27, value));
}
std::string host(std::uint64_t function) {
  return flag("is_cpu_op", true) + attribute("rf_id", function);
}
std::string caller(std::uint64_t id) {
  return bytes(4, varint(id));
}
const std::string kDevice = flag("is_cpu_op", false);

// After the trace of the feeder's tests (mlcommons/chakra at 21585d8, tests/data/feeder_tests_trace.tar.gz),
// by description: operators in two parts, which their converter made, of which the second waits for the
// first; control dependencies on callers that are not in the file; a caller that waits for what it called; a
// data dependency of a node on itself; a collective on the host beside its kernel; durations, no starts. With
// callers as an order, 2,283 of its 3,664 nodes wait for each other.
std::string of_the_feeder() {
  return kMetadata + node(216, "aten::flatten_dense_tensors(0)", kCompute, 318, "", host(2) + caller(3)) +
         node(217, "aten::flatten_dense_tensors(1)", kCompute, 28, varint(216), host(2) + caller(3)) +
         node(430, "CatArrayBatchedCopy_aligned16_contig", kCompute, 4, varint(216), kDevice + caller(429)) +
         node(432, "c10d::broadcast_(0)", kAllReduce, 85, "", host(110) + caller(3)) +
         node(433, "c10d::broadcast_(1)", kAllReduce, 79, varint(432), host(110) + caller(432)) +
         node(435, "ncclKernel_Broadcast_RING_LL_Sum_int8_t", kAllReduce, 28,
              varint(432) + varint(216) + varint(217), kDevice + caller(434)) +
         node(1044, "aten::unflatten_dense_tensors", kCompute, 838, varint(217) + varint(1049),
              host(172) + caller(3)) +
         node(1049, "aten::copy_(0)", kCompute, 33, varint(217), host(597) + caller(1044)) +
         node(1050, "Memcpy DtoD (Device -> Device)", kCompute, 1, varint(1049) + varint(1050),
              kDevice + caller(1049));
}

TEST_F(Chakra, CallersNestAndDoNotOrder) {
  const Trace trace = read_trace(measured_file("feeder/chakra.0.et", of_the_feeder()));
  EXPECT_EQ(texts(trace.events),
            (Texts{"kernel r0 s0 m- 0+4", "collective r0 s0 m- 28+28", "kernel r0 s0 m- 61+1"}));
  EXPECT_EQ(texts(trace.notes).back(),
            "dropped: 6 nodes of the host, of memory, of bookkeeping, and of regions that are not pipelined");
}

// The same dependencies without a record function are an order, as generators of Chakra's write it.
TEST_F(Chakra, ControlDependenciesOfOthersOrder) {
  const Trace trace = read_trace(
      measured_file("order/job.0.et", kMetadata + node(1, "first", kCompute, 7, "", kDevice) +
                                          node(2, "second", kCompute, 5, "", kDevice + caller(1))));
  EXPECT_EQ(texts(trace.events), (Texts{"kernel r0 s0 m- 0+7", "kernel r0 s0 m- 7+5"}));
}

// A pass of the host lasts from the first to the last kernel below it, however deep, and one whose kernels
// came from another thread is said to be missing.
TEST_F(Chakra, APassIsWhatItLaunched) {
  const std::string path = measured_file(
      "passes/job.0.et", kMetadata + node(10, "PP:0F0", kCompute, 0, "", host(1)) +
                             node(11, "aten::mm", kCompute, 2, "", host(2) + caller(10)) +
                             node(12, "gemm", kCompute, 20, varint(11), kDevice + caller(11)) +
                             node(13, "aten::add", kCompute, 2, varint(11), host(3) + caller(10)) +
                             node(14, "add", kCompute, 3, varint(12), kDevice + caller(13)) +
                             node(15, "PP:0B0", kCompute, 0, varint(14), host(4)) +
                             node(16, "gemm", kCompute, 40, varint(15), kDevice + caller(99)));
  const Trace trace = read_trace(path);
  EXPECT_EQ(texts(trace.events), (Texts{"kernel r0 s0 m- 0+20", "forward r0 s0 m0 0+23",
                                        "kernel r0 s0 m- 20+3", "kernel r0 s0 m- 23+40"}));
  const Texts notes = texts(trace.notes);
  EXPECT_TRUE(std::ranges::any_of(notes, [](const std::string& note) {
    return note.starts_with("missing: 1 pass of the host that launched no kernel");
  }));
}

// Operators that call each other are in no pass, and end.
TEST_F(Chakra, CallersInACircleEnd) {
  const std::string path =
      measured_file("circle/job.0.et", kMetadata + node(1, "aten::a", kCompute, 1, "", host(1) + caller(2)) +
                                           node(2, "aten::b", kCompute, 1, "", host(2) + caller(1)) +
                                           node(3, "gemm", kCompute, 5, "", kDevice + caller(2)) +
                                           node(4, "gemm", kCompute, 5, varint(3), kDevice + caller(4)));
  EXPECT_EQ(texts(read_trace(path).events), (Texts{"kernel r0 s0 m- 0+5", "kernel r0 s0 m- 5+5"}));
}

TEST_F(Chakra, WhatIsBrokenIsSaid) {
  EXPECT_EQ(violation_of([&] {
              read_trace(folder(node(5, "a", kCompute, 1, varint(6)) + node(6, "b", kCompute, 1, varint(5))));
            }).found,
            "2 that do");
  const std::string path = measured_file("cut.et", kMetadata + node(1, "PP:0F0", kCompute, 10).substr(0, 8));
  EXPECT_EQ(violation_of([&] { read_trace(path); }).found, "a file that ends in the middle of one");
  EXPECT_EQ(violation_of([&] {
              read_trace(measured_file("none.et", kMetadata + node(1, "x", Type(1), 0)));
            }).expected,
            "nodes that compute or communicate");
}

TEST_F(Chakra, ANodeOfBrokenBytesIsNamed) {
  const std::string begin = kMetadata + node(1, "PP:0F0", kCompute, 10) + varint(0);
  const std::string cut_text = bytes(2, "name").substr(0, 4), cut_number = number(7, 300).substr(0, 2);
  const std::string group_begins = varint(2 << 3 | 3), field_0 = number(0, 1), endless(11, '\xff');
  const std::string cut_attribute = bytes(10, cut_text), cut_needs = bytes(5, "\x80");
  for (const std::string& broken :
       {cut_text, cut_number, group_begins, field_0, endless, cut_attribute, cut_needs}) {
    const Violation found =
        violation_of([&] { read_trace(measured_file("broken.et", begin + delimited(broken))); });
    EXPECT_EQ(found.pointer + ": " + found.found, "node 3: bytes that are none");
  }
}

TEST_F(Chakra, AMessageIsOfAtMost64MiB) {
  for (const std::uint64_t length : {std::uint64_t{1} << 27, ~std::uint64_t{0}})
    EXPECT_EQ(
        violation_of([&] {
          read_trace(measured_file("long.et", kMetadata + node(1, "PP:0F0", kCompute, 10) + varint(length)));
        }).expected,
        "messages of at most 64 MiB, each after its length");
}

}  // namespace
}  // namespace spillway::testing::chakra_files
