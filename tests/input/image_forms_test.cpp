// Lists of images in the forms in which public data sets come: each is read, or refused by name with what to
// give instead. The forms are facts of their documentation; every file is written here.
//
//   COCO              docs.aws.amazon.com, rekognition customlabels-dg, "The COCO dataset format": images
//   with
//                     width, height, file_name
//   LAION             huggingface.co/datasets/loggerJK/laion2B-en-aesthetic-9plus, README.md @d7fec3c1: URL,
//   TEXT,
//                     WIDTH, HEIGHT in capitals
//   img2dataset       rom1504/img2dataset @003aaab6, README.md: width, height, original_*, status; null if a
//                     download failed and 00000_stats.json as remembered
//   PD12M             huggingface.co/datasets/Spawning/PD12M @f9175ad9, tutorials/metadata.md: width, height
//   Visual Genome     tensorflow/datasets, docs/community_catalog/huggingface/visual_genome.md: image_id,
//   width,
//                     height, coco_id, which may be null
//   Open-Sora Plan    huggingface.co/datasets/LanguageBind/Open-Sora-Plan-v1.2.0 @59e6f8a2, README.md:
//   resolution as an
//                     object; videos with fps and duration
//   XTuner            hhaAndroid/xtuner @ef80a963, my_llava/INTERNVL2_README.md: image_wh; meta files of
//   media_root LLaVA             haotian-liu/LLaVA @9ad72657, docs/Finetune_Custom_Data.md: image as a path,
//   no size LLaMA-Factory     hiyouga/LLaMA-Factory @ff6d4d12, data/mllm_demo.json: images as a list of
//   paths, no sizes ms-swift          modelscope/ms-swift @3602360a,
//   docs/source_en/Customization/Custom-dataset.md: the same MMC4              allenai/mmc4 @1f51091a,
//   README.md: image_info with names, no sizes SA-1B             facebookresearch/segment-anything @13ea6634,
//   README.md: an image as an object, one file each TextVQA           huggingface/datasets @040102f1,
//   datasets/textvqa/README.md: image_width, image_height WIT               google-research-datasets/wit
//   @0162d7f0, DATA.md: a TSV table InternVL          OpenGVLab/InternVL @cc564b4b,
//   internvl_chat/shell/data/vsi_meta.json: a meta file of root,
//                     annotation, repeat_time; width_list and height_list as remembered
//   OBELICS           huggingface.co/datasets/HuggingFaceM4/OBELICS @4c0dba44, README.md: metadata is a text,
//   images and
//                     texts are lists; the keys in metadata as remembered
//   GQA, Karpathy's Flickr30k  as others print them (sceneGraphs.zip: width, height by image;
//   dataset_flickr30k.json:
//                     images with filename, imgid, split)
#include <gtest/gtest.h>

#include <string>

#include "input/experiment/trace.h"
#include "written.h"

namespace spillway {
namespace {

struct PublicList {
  std::string name, text;
  std::uint64_t images;
  Lines remarks = {};
};

const std::string kUnknown = "rows without a size are not counted: ";
const std::string kSeveral = "; a workload states their number by images_per_sample";
const std::string kTexts = "; a workload states them by text_only_share";

const PublicList kRead[] = {
    {"coco.json", R"({"info": {"year": 2017}, "licenses": [], "images": [
        {"license": 3, "file_name": "1.jpg", "height": 427, "width": 640, "id": 1},
        {"license": 3, "file_name": "2.jpg", "height": 640, "width": 480, "id": 2}],
        "annotations": [{"image_id": 1, "bbox": [1, 2, 3, 4]}], "categories": []})",
     2},
    {"laion.jsonl",
     "{\"URL\": \"http://a\", \"TEXT\": \"5\\\" tablet\", \"WIDTH\": 1200, \"HEIGHT\": 800}\n"
     "{\"URL\": \"http://b\", \"TEXT\": \"x\", \"WIDTH\": null, \"HEIGHT\": null}\n",
     1,
     {kUnknown + "1 of 2, the first at line 2"}},
    {"img2dataset.jsonl",
     "{\"url\": \"a\", \"key\": \"0\", \"status\": \"success\", \"width\": 256, \"height\": 171, "
     "\"original_width\": 256, \"original_height\": 171}\n{\"url\": \"b\", \"key\": \"1\", \"status\": "
     "\"failed_to_download\", \"width\": null, \"height\": null, \"original_width\": null, "
     "\"original_height\": null}\n",
     1,
     {kUnknown + "1 of 2, the first at line 2"}},
    {"internvl.jsonl",
     "{\"id\": 0, \"image\": [\"a\", \"b\"], \"width_list\": [800, 640], \"height_list\": [600, 480]}\n"
     "{\"id\": 1, \"image\": \"c\", \"width\": 640, \"height\": 480, \"conversations\": []}\n"
     "{\"id\": 2, \"conversations\": []}\n{\"id\": 3, \"video\": \"v.mp4\", \"conversations\": []}\n",
     3,
     {"samples with several images: 1 of 4" + kSeveral, "samples of text without an image: 1 of 4" + kTexts,
      "samples with a video are not counted: 1"}},
    {"obelics.json",
     R"({"images": ["http://a", null, "http://b"], "texts": [null, "words", null], "metadata":
        "[{\"src\": \"s\", \"original_width\": 3000, \"original_height\": 2000}, null, {\"src\": \"t\"}]"})",
     1,
     {kUnknown + "1 of 2, the first at /", "samples with several images: 1 of 1" + kSeveral}},
    {"sa1b.json", R"({"image": {"image_id": 1, "width": 2250, "height": 1500, "file_name": "sa_1.jpg"},
                      "annotations": [{"bbox": [1, 2, 3, 4]}]})",
     1},
    {"gqa.json", R"({"2407890": {"width": 640, "height": 480, "objects": {}},
                     "2407891": {"width": 500, "height": 375, "objects": {}}})",
     2},
    {"textvqa.json",
     R"({"dataset_type": "train", "data": [
        {"question_id": 1, "image_id": "a", "image_width": 1024, "image_height": 768},
        {"question_id": 2, "image_id": "a", "image_width": 1024, "image_height": 768}]})",
     1,
     {"rows that repeat an image of an earlier row are not counted again: 1 of 2"}},
    {"wit.tsv",
     "language\timage_url\tpage_title\toriginal_height\toriginal_width\tmime_type\n"
     "en\thttp://i\tThe \"Best\t480\t640\timage/jpeg\n",
     1},
    {"pd12m.csv",
     "id,url,s3_key,caption,hash,width,height,mime_type,license\n"
     "a,http://a,k,\"A lake, \"\"old\"\"\",h,4000,3000,image/jpeg,http://l\n",
     1},
    {"image_data.json",
     R"([{"image_id": 1, "url": "http://1", "width": 800, "height": 600, "coco_id": null, "flickr_id": null},
         {"image_id": 2, "url": "http://2", "width": 500, "height": 375, "coco_id": 7, "flickr_id": 8}])",
     2},
    {"sam.json",
     R"([{"path": "00168/1.jpg", "cap": ["x"], "resolution": {"height": 512, "width": 683}},
         {"path": "00168/2.jpg", "cap": ["y"], "resolution": {"height": 512, "width": 512}}])",
     2},
    {"xtuner.jsonl",
     "{\"id\": 0, \"image\": \"1.png\", \"conversations\": [], \"image_wh\": [[1695, 2025]]}\n"
     "{\"id\": 1, \"image\": [\"2.png\", \"3.png\"], \"image_wh\": [[640, 480], [480, 640]]}\n"
     "{\"id\": 2, \"conversations\": []}\n",
     3,
     {"samples with several images: 1 of 3" + kSeveral,
      "samples of text without an image: 1 of 3" + kTexts}}};

TEST(PublicImageLists, AreRead) {
  for (const auto& [name, text, images, remarks] : kRead) {
    const PatchDistribution list = read_image_trace(written(name, text), ResizeRule{});
    EXPECT_EQ(list.images, images) << name;
    EXPECT_EQ(list.remarks, remarks) << name;
  }
}

// Open-Sora Plan's videos have the same form, and a length.
TEST(PublicImageLists, AResolutionWithADurationIsAVideo) {
  const std::string path =
      written("panda.json", R"([{"path": "v.mp4", "cap": ["x"], "resolution": {"height": 720, "width": 1280},
                         "fps": 29.97, "duration": 11.4}])");
  ResizeRule rule;
  rule.video.fps = 2;
  EXPECT_EQ(read_image_trace(path, rule).videos, 1u);
}

TEST(PublicImageLists, PairsThatAreNoPairsAreRefused) {
  const std::string path = written("pairs.jsonl", "{\"image_wh\": [[640]]}\n{\"image_wh\": [[640, 480]]}\n");
  EXPECT_EQ(complaints([&] { read_image_trace(path, ResizeRule{}); }),
            Lines{"pairs.jsonl: line 1: expected image_wh with a width and a height for each image, found a "
                  "list of 1"});
}

// Long names that begin alike are different images.
TEST(PublicImageLists, NamesStayWhole) {
  const std::string path = "{\"width\": 64, \"height\": 48, \"url\": \"http://" + std::string(200, 'a');
  EXPECT_EQ(read_image_trace(written("n.jsonl", path + "1\"}\n" + path + "2\"}\n"), ResizeRule{}).images, 2u);
}

const std::string kNone = "expected at least one image with its size, found none; ";
const std::string kInstead = "; give the folder that contains the images instead";

const std::pair<PublicList, std::string> kRefused[] = {
    {{"llava.json", R"([{"id": "1", "image": "coco/1.jpg", "conversations": []}, {"id": "2"}])", 0},
     kNone + kUnknown + "1 of 1, the first at /0; samples of text without an image: 1 of 2" + kTexts +
         kInstead},
    {{"mmc4.jsonl",
      R"({"text_list": ["a"], "image_info": [{"image_name": "b.png"}, {"image_name": "c.png"}]})", 0},
     kNone + kUnknown + "2 of 2, the first at /; samples with several images: 1 of 1" + kSeveral + kInstead},
    {{"swift.jsonl", "{\"messages\": [], \"images\": [\"a.jpg\", \"b.jpg\"]}\n{\"messages\": []}\n", 0},
     kNone + kUnknown + "2 of 2, the first at line 1; samples with several images: 1 of 2" + kSeveral +
         "; samples of text without an image: 1 of 2" + kTexts + kInstead},
    {{"flickr.json", R"({"images": [{"imgid": 0, "filename": "1.jpg", "split": "train"}], "dataset": "x"})",
      0},
     kNone + kUnknown + "1 of 1, the first at /images/0" + kInstead},
    {{"00000_stats.json", R"({"count": 10, "successes": 8, "failed_to_download": 2, "status_dict": {}})", 0},
     "expected a list of image sizes, found statistics of img2dataset: give its .tar files or their folder"},
    {{"meta.json", R"({"mine": {"root": "images/", "annotation": "mine.jsonl", "repeat_time": 1}})", 0},
     "expected a list of image sizes, found a list of datasets (a meta file of InternVL or XTuner): give the "
     "file that a dataset names as \"annotation\", such as \"mine.jsonl\""},
    {{"xtuner_meta.json", R"({"mine": {"media_root": "", "annotation": "wh.jsonl", "repeat_time": 0.3}})", 0},
     "expected a list of image sizes, found a list of datasets (a meta file of InternVL or XTuner): give the "
     "file that a dataset names as \"annotation\", such as \"wh.jsonl\""},
    {{"mllm_demo.json", R"([{"messages": [], "images": ["d/1.jpg", "d/1.jpg"]}, {"messages": []}])", 0},
     kNone + kUnknown + "2 of 2, the first at /0; samples with several images: 1 of 2" + kSeveral +
         "; samples of text without an image: 1 of 2" + kTexts + kInstead},
    {{"dataset_info.json", R"({"features": {"image": {}}, "splits": {}})", 0},
     "expected a list of image sizes, found a description of a data set: give a list of its images, or their "
     "folder"},
    {{"t.csv.zst", "\x28\xb5\x2f\xfd....", 0},
     "expected a list of image sizes, found a file packed by zstd: unpack it (zstd -d), or pack it by gzip"}};

TEST(PublicImageLists, AreRefusedWithWhatToGiveInstead) {
  for (const auto& [list, complaint] : kRefused) {
    const std::string path = written(list.name, list.text);
    EXPECT_EQ(complaints([&] { read_image_trace(path, ResizeRule{}); }),
              Lines{list.name + ": /: " + complaint});
  }
}

// A folder of Parquet files, as Hugging Face's hub gives it, has its images inside.
TEST(PublicImageLists, ParquetIsRefusedWithWhatToDo) {
  const std::string path = written("train.parquet", "PAR1" + std::string(600, '\0'));
  const Lines said = complaints([&] { read_image_trace(path, ResizeRule{}); });
  EXPECT_NE(said.at(0).find("duckdb -c"), std::string::npos) << said.at(0);
}

}  // namespace
}  // namespace spillway
