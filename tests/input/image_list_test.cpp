// An ordinary list of images in every common form, against a check in Python that is independent of the
// readers here.
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "input/architecture/resize_rules.h"
#include "input/experiment/trace.h"
#include "support/measured_data.h"
#include "written.h"

namespace spillway {
namespace {

// The script follows the definition of smart_resize of transformers (models/qwen2_vl,
// image_processing_qwen2_vl.py). A percentile is the smallest value with at least that share at or below it.
constexpr const char* kCheck = R"(
import csv, math, sys
def resize(h, w, f=28, lo=3136, hi=28*28*1280):
    hb, wb = round(h / f) * f, round(w / f) * f
    if hb * wb > hi:
        b = math.sqrt(h * w / hi)
        hb, wb = max(f, math.floor(h / b / f) * f), max(f, math.floor(w / b / f) * f)
    elif hb * wb < lo:
        b = math.sqrt(lo / (h * w))
        hb, wb = math.ceil(h * b / f) * f, math.ceil(w * b / f) * f
    return hb, wb
patches, names = [], set()
for row in csv.DictReader(open(sys.argv[1])):
    if row['filename'] in names: continue
    names.add(row['filename'])
    h, w = resize(int(row['height']), int(row['width']))
    patches.append((h // 14) * (w // 14))
patches.sort()
n = len(patches)
for q in (1, 10, 50, 90, 99, 100): print(patches[max(0, math.ceil(n * q / 100) - 1)])
)";

using Figures = std::vector<std::uint32_t>;

Figures by_python(const std::string& csv) {
  const std::string script = written("check.py", kCheck);
  const std::string out = folder_of_this_test() + "/check.out";
  EXPECT_EQ(std::system(("python3 '" + script + "' '" + csv + "' >'" + out + "'").c_str()), 0);
  std::istringstream lines(content_of(out));
  Figures figures;
  for (std::uint32_t figure; lines >> figure;) figures.push_back(figure);
  return figures;
}

Figures by_us(const std::string& path) {
  const PatchSummary s = summary(read_image_trace(path, ResizeRule{}));
  return {s.p1, s.p10, s.p50, s.p90, s.p99, s.max};
}

struct Row {
  std::string file, width, height;
};

class ImageLists : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto data = testing::measured_data("raccoon_labels_head.csv");
    if (!data) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
    path_ = *data;
    std::istringstream lines(content_of(path_));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      std::istringstream fields(line);
      Row row;
      std::getline(fields, row.file, ',');
      std::getline(fields, row.width, ',');
      std::getline(fields, row.height, ',');
      if (rows_.empty() || rows_.back().file != row.file) rows_.push_back(row);
    }
    ASSERT_EQ(rows_.size(), 4u);  // 5 rows name 4 images: one image has two boxes
    expected_ = by_python(path_);
    ASSERT_EQ(expected_.size(), 6u);
  }

  // Returns the rows, each in the form of `line`, below a header.
  template <class Line>
  std::string list(const std::string& header, Line line) const {
    std::string text = header;
    for (const Row& row : rows_) text += line(row);
    return text;
  }

  void expect_same(const std::string& name, const std::string& text) const {
    EXPECT_EQ(by_us(written(name, text)), expected_) << name;
  }

  std::string path_;
  std::vector<Row> rows_;
  Figures expected_;
};

TEST_F(ImageLists, AsTheyCome) {
  EXPECT_EQ(by_us(path_), expected_);
  EXPECT_EQ(read_image_trace(path_, {}).images, rows_.size());
}

TEST_F(ImageLists, TablesOfAnyKind) {
  expect_same("old.csv",
              list("width,height,count\n", [](const Row& r) { return r.width + "," + r.height + ",1\n"; }));
  expect_same("no-count.csv",
              list("width,height\n", [](const Row& r) { return r.width + "," + r.height + "\n"; }));
  expect_same("swapped.csv",
              list("Height,WIDTH\n", [](const Row& r) { return r.height + "," + r.width + "\n"; }));
  expect_same("quoted.csv", list("\"name\",\"width\",\"height\"\r\n", [](const Row& r) {
                return "\"a, b \"\"c\"\"\",\"" + r.width + "\",\"" + r.height + "\"\r\n";
              }));
  expect_same("semicolons.csv",
              list("w;h;label\n", [](const Row& r) { return r.width + ";" + r.height + ";x,y\n"; }));
  expect_same("tabs.tsv", list("image_width\timage_height\n",
                               [](const Row& r) { return r.width + "\t" + r.height + "\n"; }));
  expect_same("fractions.csv",
              list("width,height\n", [](const Row& r) { return r.width + ".0," + r.height + ".0\n"; }));
}

TEST_F(ImageLists, Json) {
  const auto object = [](const Row& r) {
    return "{\"file_name\": \"" + r.file + "\", \"height\": " + r.height + ", \"width\": " + r.width + "}";
  };
  expect_same("lines.jsonl", list("", [&](const Row& r) { return object(r) + "\n"; }));
  std::string all = list("", [&](const Row& r) { return object(r) + ","; });
  all.pop_back();
  expect_same("list.json", "[" + all + "]");
  expect_same("coco.json", "{\"info\": {\"year\": 2017},\n \"images\": [" + all + "], \"annotations\": []}");
}

TEST_F(ImageLists, Gzip) {
  const std::string path = folder_of_this_test() + "/list.csv.gz", text = content_of(path_);
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  EXPECT_EQ(by_us(path), expected_);
}

// Python's stdlib writes files of every format whose headers hold their sizes, and a tar archive of the same
// files.
constexpr const char* kImages = R"(
import csv, os, struct, sys, tarfile
folder = sys.argv[2]
os.makedirs(folder, exist_ok=True)
def png(w, h): return b'\x89PNG\r\n\x1a\n' + struct.pack('>I4sII', 13, b'IHDR', w, h) + b'\x08\x02\0\0\0'
def gif(w, h): return b'GIF89a' + struct.pack('<HH', w, h) + b'\0' * 8
def bmp(w, h): return b'BM' + b'\0' * 12 + struct.pack('<Iii', 40, w, -h) + b'\0' * 28
def webp(w, h): return b'RIFF\0\0\0\0WEBPVP8X' + struct.pack('<I', 10) + b'\0' * 4 + (w - 1).to_bytes(3, 'little') + (h - 1).to_bytes(3, 'little')
def jpeg(w, h): return (b'\xff\xd8\xff\xe1' + struct.pack('>H', 9000) + b'\0' * 8998 + b'\xff\xc2' +
                        struct.pack('>HBHH', 17, 8, h, w) + b'\0' * 40)
formats = [(png, 'png'), (gif, 'gif'), (bmp, 'bmp'), (webp, 'webp'), (jpeg, 'JPG')]
for i, row in enumerate({row['filename']: row for row in csv.DictReader(open(sys.argv[1]))}.values()):
    make, ending = formats[i % 5]
    open(f'{folder}/{i}.{ending}', 'wb').write(make(int(row['width']), int(row['height'])))
    open(f'{folder}/{i}.txt', 'w').write('a caption')
with tarfile.open(sys.argv[3], 'w') as tar: tar.add(folder, 'shard')
)";

TEST_F(ImageLists, FoldersAndArchives) {
  const std::string script = written("images.py", kImages), folder = folder_of_this_test() + "/images";
  const std::string tar = folder_of_this_test() + "/shard-000.tar";
  ASSERT_EQ(std::system(("python3 '" + script + "' '" + path_ + "' '" + folder + "' '" + tar + "'").c_str()),
            0);
  EXPECT_EQ(by_us(folder), expected_);
  EXPECT_EQ(by_us(tar), expected_);
}

Lines complaints_of(const std::string& name, const std::string& text) {
  const std::string path = written(name, text);
  return complaints([&] { read_image_trace(path, ResizeRule{}); });
}

Lines remarks_on(const std::string& name, const std::string& text) {
  return read_image_trace(written(name, text), ResizeRule{}).remarks;
}

// A list of boxes names an image several times.
TEST(OddImageLists, AnImageNamedTwiceIsOne) {
  const std::string boxes =
      "Image_ID,class,width,height\na,x,640,480\nb,x,320,240\na,y,640,480\na,z,640,480\n";
  EXPECT_EQ(read_image_trace(written("b.csv", boxes), {}).images, 2u);
  EXPECT_EQ(remarks_on("b.csv", boxes),
            Lines{"rows that repeat an image of an earlier row are not counted again: 2 of 4"});
  const std::string object = "{\"file_name\": \"a\", \"width\": 640, \"height\": 480}\n";
  EXPECT_EQ(read_image_trace(written("b.jsonl", object + object), {}).images, 1u);
  EXPECT_EQ(read_image_trace(written("b.csv", "file,width,height,count\na,64,48,2\na,64,48,3\n"), {}).images,
            5u);
}

TEST(OddImageLists, ANameOfSeveralSizesIsNone) {
  const std::string archives = "path,width,height\n0.tar,640,480\n0.tar,320,240\n0.tar,640,480\n";
  EXPECT_EQ(read_image_trace(written("b.csv", archives), {}).images, 3u);
  EXPECT_EQ(remarks_on("b.csv", archives),
            Lines{"rows with the same name differ in size, so each row counts as an image"});
  EXPECT_EQ(remarks_on("b.csv", "xmax,ymax,width,height\n9,9,640,480\n"),
            Lines{"the list has boxes without image names, so each row counts as an image"});
}

// A quote that does not begin a field is a character (LAION's captions), and so is a quote that is never
// closed.
TEST(OddImageLists, QuotesInsideAFieldAreCharacters) {
  const auto images = [](const std::string& text) {
    return read_image_trace(written("q.csv", text), ResizeRule{}).images;
  };
  EXPECT_EQ(images("url,caption,width,height\na,5\" tablet,1200,800\nb,plain,640,480\n"), 2u);
  EXPECT_EQ(images("url\tcaption\twidth\theight\na\t5\" by 7\"\t1200\t800\nb\t\"open\t640\t480\n"), 2u);
  EXPECT_EQ(images("caption,width,height\n\"a, \"\"b\"\", c\" ,640,480\n\"\",640,480\n\"x\" y,640,480\n"),
            3u);
  EXPECT_EQ(images("caption,width,height\n\"say \"hi, there\" x\",640,480\n"), 1u);
  EXPECT_EQ(complaints_of("q.csv", "caption,width,height\n\"a,640,480\",640\n"),
            Lines{"q.csv: line 2: expected at least 3 fields, found \"\"a,640,480\",640\""});
}

// Lists of downloaded images state both sizes: a loader reads the stored file, not the original.
TEST(OddImageLists, TheStoredFilesSizeIsTaken) {
  const std::string
      both = "url,original_width,original_height,width,height\na,2000,1000,400,200\nb,400,200,400,200\n",
      stored = "url,width,height\na,400,200\nb,400,200\n",
      original = "url,original_width,original_height\na,400,200\nb,400,200\n";
  EXPECT_EQ(remarks_on("l.csv", both), Lines{"width and height are those of the stored file; original_width "
                                             "and original_height differ in 1 of 2 rows and are ignored"});
  EXPECT_EQ(by_us(written("b.csv", both)), by_us(written("s.csv", stored)));
  EXPECT_EQ(remarks_on("o.csv", original), Lines{});
  EXPECT_EQ(by_us(written("o.csv", original)), by_us(written("s.csv", stored)));
}

TEST(OddImageLists, RowsWithoutASizeAreCountedApart) {
  const std::string list = "image_id,file,width,height\n1,a,640,480\n2,b,,\n3,c,NaN,NaN\n4,d,800,600\n";
  EXPECT_EQ(read_image_trace(written("m.csv", list), {}).images, 2u);
  EXPECT_EQ(remarks_on("m.csv", list),
            Lines{"rows without a size are not counted: 2 of 4, the first at line 3"});
  EXPECT_EQ(complaints_of("m.csv", "width,height\n,\n"),
            Lines{"m.csv: /: expected at least one image with its size, found none; rows without a size are "
                  "not counted: 1 of 1, the first at line 2; give the folder that contains the images "
                  "instead"});
  EXPECT_EQ(complaints_of("m.csv", "width,height\n640,\n"),
            Lines{"m.csv: line 2: expected a height from 1 to 131070, found \"\""});
  const std::string lines =
      "{\"image\": \"a\", \"width\": null, \"height\": null}\n"
      "{\"image\": \"b\", \"width\": 9, \"height\": 8}\n{\"image\": \"c\"}\n";
  EXPECT_EQ(remarks_on("m.jsonl", lines),
            Lines{"rows without a size are not counted: 2 of 3, the first at line 1"});
}

// InternVL's lists have samples of several images, and samples without images.
TEST(OddImageLists, SamplesOfSeveralImagesOrNone) {
  const std::string several =
      "{\"image\": [\"a\", \"b\"], \"width_list\": [800, 640], \"height_list\": [600, 480]}\n";
  const std::string one = "{\"image\": \"c\", \"width\": 640, \"height\": 480}\n",
                    text = "{\"conversations\": []}\n";
  EXPECT_EQ(read_image_trace(written("s.jsonl", several + one), {}).images, 3u);
  const std::string said =
      "samples with several images: 1 of 2; a workload states their number by images_per_sample";
  EXPECT_EQ(remarks_on("s.jsonl", several + one), Lines{said});
  EXPECT_EQ(remarks_on("s.jsonl", one + text + text), Lines{"samples of text without an image: 2 of 3; a "
                                                            "workload states them by text_only_share"});
  const std::string table = "image,width,height\na,64,48\n,,\nb,,\n";
  EXPECT_EQ(remarks_on("s.csv", table),
            (Lines{"rows without a size are not counted: 1 of 2, the first at line "
                   "4",
                   "samples of text without an image: 1; a workload states them "
                   "by text_only_share"}));
  EXPECT_EQ(complaints_of("s.jsonl", "{\"width\": [1, 2], \"height\": [1]}\n" + one),
            Lines{"s.jsonl: line 1: expected a list of as many widths as heights, found a list of 2 and a "
                  "list of 1"});
  EXPECT_EQ(
      complaints_of("s.jsonl", text + text),
      Lines{"s.jsonl: /: expected at least one image with its size, found none; samples of text without an "
            "image: 2 of 2; a workload states them by text_only_share"});
}

// Boxes decide where there are any. Without boxes, the reader asks where almost all images are upright.
TEST(OddImageLists, SwappedSidesAreAskedFor) {
  const std::string header = "name,width,height,xmax,ymax\n";
  EXPECT_EQ(remarks_on("s.csv", header + "a,480,640,600,470\nb,480,640,200,100\n").at(1),
            "1 of 2 boxes reach beyond their image, and none would with width and height swapped; are the "
            "columns height,width?");
  EXPECT_EQ(remarks_on("s.csv", header + "a,480,640,400,600\n").size(), 1u);
  EXPECT_EQ(remarks_on("s.csv", header + "a,480,640,600,600\n").size(), 1u);  // wrong either way
  std::string upright = "width,height\n", mixed = upright;
  for (int i = 0; i < 20; ++i) {
    upright += "480,640\n";
    mixed += i % 5 ? "480,640\n" : "640,480\n";
  }
  EXPECT_EQ(remarks_on("s.csv", upright),
            Lines{"20 of 20 images that are not square are higher than wide, which is rare among "
                  "photographs; are the columns height,width?"});
  EXPECT_EQ(remarks_on("s.csv", mixed), Lines{});
  EXPECT_EQ(remarks_on("s.csv", "width,height,count\n480,640,95\n640,480,5\n").size(), 1u);
  EXPECT_EQ(remarks_on("s.csv", "width,height,count\n480,640,50\n640,480,50\n"), Lines{});
  EXPECT_EQ(remarks_on("s.csv", "width,height\n480,640\n"), Lines{});
}

TEST(BadImageLists, SayWhatCannotBeKnown) {
  const std::string expected =
      "t.csv: line 1: expected a header that names the columns width and height, since their order is "
      "unknown without it, found ";
  EXPECT_EQ(
      complaints_of("t.csv", "640,480\n320,240\n"),
      Lines{expected +
            "\"640,480\"; the first number is the larger one in 2 of 2; are the columns width,height?"});
  EXPECT_EQ(complaints_of("t.csv", "a.jpg;480;640\nb.jpg;240;320\nc.jpg;9;9\n"),
            Lines{expected + "\"a.jpg;480;640\"; the second number is the larger one in 2 of 2; are the "
                             "columns height,width, or width,height of upright images?"});
  EXPECT_EQ(complaints_of("t.csv", "480,640\n320,240\n"), Lines{expected + "\"480,640\""});
  EXPECT_EQ(complaints_of("t.csv", "name;breadth\nx;640\n"),
            Lines{"t.csv: line 1: expected a header with columns width and height, or value,prob, found "
                  "\"name;breadth\""});
  EXPECT_EQ(complaints_of("t.parquet", "PAR1...."),
            Lines{"t.parquet: /: expected a list of image sizes, found a Parquet file, which no library that "
                  "Debian packages can read: write its width and height columns as CSV (duckdb -c \"copy "
                  "(select width, height from 'x.parquet') to 'x.csv' (header)\"), or its images into a "
                  "folder"});
  EXPECT_EQ(
      complaints_of("t.jsonl", "{\"width\": 640}\n{\"width\": 0, \"height\": 2}\n"),
      (Lines{"t.jsonl: line 1: expected an object with width and height, found an object with \"width\"",
             "t.jsonl: line 2: expected a width from 1 to 131070, found \"0\""}));
  EXPECT_EQ(complaints_of("t.json", "{\"info\": 1,\n\"images\": 3}"),
            Lines{"t.json: /images: expected a list of images with width and height, found 3"});
  EXPECT_EQ(complaints_of("t.csv.gz", std::string("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b", 11)),
            Lines{"t.csv.gz: /: expected a whole gzip file, found one that ends in the middle"});
  const std::string folder = folder_of_this_test() + "/empty";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/notes.txt") << "none";
  EXPECT_EQ(
      complaints([&] { read_image_trace(folder, ResizeRule{}); }),
      Lines{
          "/empty: /: expected images (PNG, JPEG, GIF, WebP, BMP, TIFF), found none; not read: 1 .txt file"});
}

// dynamic_preprocess of InternVL by hand: 1000 x 500 is nearest to 2 x 1 tiles; 4 x 2 would need an area of
// more than half of 8 x 448 x 448, which it has not. With a thumbnail it has three tiles. 300 x 300 is one
// tile.
TEST(NamedRules, Tiles) {
  const ResizeRule rule = named_resize_rule("internvl").value();
  EXPECT_EQ(resized({1000, 500}, rule), (ImageSize{448 * 3, 448}));
  EXPECT_EQ(resized({300, 300}, rule), (ImageSize{448, 448}));
  EXPECT_EQ(resized({4000, 2000}, rule), (ImageSize{448 * 9, 448}));
  EXPECT_EQ(patch_count(resized({300, 300}, rule).value(), rule), 1024u);
}

// 1000 x 500 has 71 x 35 patches, under the cap, and is padded to 36 x 18 squares of 28. 4000 x 3000 has 285
// x 214, so it shrinks by sqrt(4096 / 60990) to 1036 x 777, and is padded to 37 x 28.
TEST(NamedRules, SquaresAndCaps) {
  const ResizeRule gemma = named_resize_rule("gemma3").value(), kimi = named_resize_rule("kimi-vl").value();
  EXPECT_EQ(patch_count(resized({7, 3000}, gemma).value(), gemma), 4096u);
  EXPECT_EQ(resized({1000, 500}, kimi), (ImageSize{36 * 28, 18 * 28}));
  EXPECT_EQ(resized({4000, 3000}, kimi), (ImageSize{37 * 28, 28 * 28}));
}

TEST(NamedRules, OfAModelsFiles) {
  EXPECT_EQ(resize_rule_of(shipped("tests/input/configs/internvl3-8b.json")),
            named_resize_rule("internvl").value());
  EXPECT_EQ(resize_rule_of(shipped("tests/input/configs/gemma-3-4b.json")),
            named_resize_rule("gemma3").value());
  EXPECT_EQ(resize_rule_of(shipped("workloads/models/qwen3-vl-30b-a3b/config.json")),
            named_resize_rule("qwen3-vl").value());
  const std::string alone = written("preprocessor_config.json",
                                    R"({"image_processor_type": "Qwen2VLImageProcessor", "patch_size": 14,
                                        "merge_size": 2, "min_pixels": 3136, "max_pixels": 12845056})");
  EXPECT_EQ(resize_rule_of(alone), named_resize_rule("qwen2.5-vl").value());
}

}  // namespace
}  // namespace spillway
