// Traces: the shipped ones against the figures published with them, and every kind of bad line.
#include "input/experiment/trace.h"

#include <gtest/gtest.h>

#include "written.h"

namespace spillway {
namespace {

PatchSummary shipped_summary(const std::string& name) {
  return summary(read_image_trace(shipped("workloads/traces/" + name), ResizeRule{}));
}

Lines image_complaints(const std::string& text) {
  const std::string path = written("t.csv", text);
  return complaints([&] { read_image_trace(path, ResizeRule{}); });
}

// Percentiles and CV were counted when the traces were collected (workloads/traces/README.md).
TEST(ShippedTraces, Coco) {
  const PatchSummary s = shipped_summary("coco_val2017.csv");
  EXPECT_EQ(s.p1, 704u);
  EXPECT_EQ(s.p10, 936u);
  EXPECT_EQ(s.p50, 1380u);
  EXPECT_EQ(s.p90, 1564u);
  EXPECT_EQ(s.p99, 2116u);
  EXPECT_EQ(s.max, 2116u);
  EXPECT_NEAR(s.cv, 0.20, 0.005);
  EXPECT_EQ(read_image_trace(shipped("workloads/traces/coco_val2017.csv"), {}).images, 5000u);
}

TEST(ShippedTraces, MathVista) {
  const PatchSummary s = shipped_summary("mathvista_testmini.csv");
  EXPECT_EQ(s.p1, 36u);
  EXPECT_EQ(s.p10, 96u);
  EXPECT_EQ(s.p50, 1008u);
  EXPECT_EQ(s.p90, 3864u);
  EXPECT_EQ(s.p99, 5040u);
  EXPECT_EQ(s.max, 5092u);
  EXPECT_NEAR(s.cv, 1.04, 0.005);
  EXPECT_EQ(read_image_trace(shipped("workloads/traces/mathvista_testmini.csv"), {}).images, 1000u);
}

TEST(ShippedTraces, ServeGenTokens) {
  const PatchSummary s = shipped_summary("servegen_image_tokens.csv");
  EXPECT_EQ(s.p1, 4u * 4u);
  EXPECT_EQ(s.p50, 4u * 540u);
  EXPECT_EQ(s.p90, 4u * 1224u);
  EXPECT_EQ(s.max, 4u * 1280u);
}

TEST(ShippedTraces, ServeGenImagesPerRequest) {
  const Histogram images = read_histogram(shipped("workloads/traces/servegen_images_per_request.csv"));
  EXPECT_NEAR(images.mean(), 1.59, 0.005);
  EXPECT_NEAR(images.cumulative[0], 0.0057, 0.0001);
  EXPECT_NEAR(images.cumulative[1] - images.cumulative[0], 0.798, 0.001);
}

TEST(Trace, LineEndsBlanksAndAByteOrderMark) {
  const std::string path = written("t.csv", "\xEF\xBB\xBFwidth, height ,count\r\n56,56,3\r\n\r\n 112 ,112,1");
  const PatchDistribution d = read_image_trace(path, ResizeRule{});
  EXPECT_EQ(d.patches, (std::vector<std::uint32_t>{16, 64}));
  EXPECT_EQ(d.images, 4u);
}

// A spreadsheet, or R, writes a trace in this form.
TEST(Trace, QuotedFieldsAndComments) {
  const std::string text =
      "# of our own users\n\"width\",\"height\",\"count\"\n\"56\",\"56\",3\n# and\n\"112\",112,\"1\"\n";
  const PatchDistribution d = read_image_trace(written("t.csv", text), ResizeRule{});
  EXPECT_EQ(d.patches, (std::vector<std::uint32_t>{16, 64}));
  EXPECT_EQ(d.images, 4u);
}

TEST(BadTrace, Empty) {
  EXPECT_EQ(image_complaints(""),
            Lines{"t.csv: line 1: expected a header with columns width and height, found an empty file"});
  EXPECT_EQ(image_complaints("width,height,count\n"),
            Lines{"t.csv: /: expected at least one image with its size, found none"});
}

TEST(BadTrace, NoHeader) {
  EXPECT_EQ(
      image_complaints("640,480,3\n"),
      Lines{"t.csv: line 1: expected a header that names the columns width and height, since their order is "
            "unknown without it, found \"640,480,3\"; the first number is the larger one in 1 of 1; are the "
            "columns width,height?"});
}

TEST(BadTrace, EveryBadLine) {
  EXPECT_EQ(image_complaints(
                "width,height,count\n0,0,1\n640,480\n1000000000,1000000000,1\n\n640,x,-1\n20001,100,1\n"),
            (Lines{"t.csv: line 2: expected a width from 1 to 131070, found \"0\"",
                   "t.csv: line 2: expected a height from 1 to 131070, found \"0\"",
                   "t.csv: line 3: expected at least 3 fields, found \"640,480\"",
                   "t.csv: line 4: expected a width from 1 to 131070, found \"1000000000\"",
                   "t.csv: line 4: expected a height from 1 to 131070, found \"1000000000\"",
                   "t.csv: line 6: expected a height from 1 to 131070, found \"x\"",
                   "t.csv: line 6: expected a count from 1 to 1000000000000, found \"-1\"",
                   "t.csv: line 7: expected an aspect ratio of at most 200, found \"20001x100\""}));
}

TEST(BadTrace, Shares) {
  EXPECT_EQ(image_complaints("value,prob\n4,nan\n5,-0.1\n6,1.5\n1.5,0.5\n"),
            (Lines{"t.csv: line 2: expected a share from 0 to 1, found \"nan\"",
                   "t.csv: line 3: expected a share from 0 to 1, found \"-0.1\"",
                   "t.csv: line 4: expected a share from 0 to 1, found \"1.5\"",
                   "t.csv: line 5: expected a value from 0 to 1000000, found \"1.5\""}));
  EXPECT_EQ(image_complaints("value,prob\n4,0.5\n"),
            Lines{"t.csv: column prob: expected shares that add up to 1, found 0.5"});
  EXPECT_EQ(image_complaints("value,prob\n0,1\n"),
            Lines{"t.csv: column value: expected an image with tokens, found none"});
}

TEST(BadTrace, NotUtf8) {
  EXPECT_EQ(image_complaints("width,height,count\n640,\xC0\xAF,1\n"),
            Lines{"t.csv: byte 24: expected UTF-8 text, found the byte 0xc0"});
}

TEST(BadTrace, Missing) {
  EXPECT_EQ(complaints([] { read_image_trace(folder_of_this_test() + "absent.csv", {}); }),
            Lines{"absent.csv: /: expected a readable file, found No such file or directory"});
}

TEST(BadTrace, AHistogramHasValuesAndShares) {
  const std::string path = written("h.csv", "width,height,count\n1,1,1\n");
  EXPECT_EQ(complaints([&] { read_histogram(path); }),
            Lines{"h.csv: line 1: expected the header value,prob, found \"width,height,count\""});
}

TEST(HistogramOf, SortsMergesAndScales) {
  const Histogram h = histogram_of({{7, 1}, {2, 2}, {7, 1}});
  EXPECT_EQ(h.values, (std::vector<std::uint32_t>{2, 7}));
  EXPECT_EQ(h.cumulative, (std::vector<double>{0.5, 1.0}));
}

}  // namespace
}  // namespace spillway
