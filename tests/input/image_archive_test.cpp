// Folders and archives of images: every file is read, refused, or reported as not read.
#include <archive.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "input/experiment/trace.h"
#include "input/images/image_list.h"
#include "listed_images.h"
#include "pictures.h"
#include "support/long_property.h"
#include "support/property.h"
#include "written.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;
using testing::Format;
using testing::MemberKind;
using testing::TarMember;

const std::vector<int> kWriters = {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE,
                                   ARCHIVE_FORMAT_TAR_GNUTAR};

bool is_refused(const std::string& path) {
  const FileText list = load_image_list(path);
  return !list.text && !list.violations.empty();
}

// Members of an archive, and the list that a reader has to make of them.
struct Drawn {
  std::vector<TarMember> members;
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> images;
  int captions = 0, avifs = 0, links = 0, pipes = 0;

  std::string expected() const {
    if (images.empty()) return "";
    std::string text = "width,height,count\n";
    for (const auto& [size, count] : images)
      text +=
          std::to_string(size.first) + ',' + std::to_string(size.second) + ',' + std::to_string(count) + '\n';
    return text;
  }
};

void add_member(Drawn& drawn, std::size_t number) {
  // Names over 100 letters take a field or a header of their own; contents of whole blocks need no padding.
  const std::string folder = *rc::gen::element<std::string>("", std::string(70, 'd') + '/');
  const std::string name = folder + std::string(*rc::gen::element(1, 60, 90), 'n') + std::to_string(number);
  const std::size_t more = *rc::gen::element(0, 1, 511, 512, 1000, 5000, 70000);
  switch (*rc::gen::inRange(0, 9)) {
    case 0:
      drawn.members.push_back({name + ".txt", std::string(*rc::gen::element(0, 3, 512, 1024), 'c')});
      ++drawn.captions;
      return;
    case 1:
      drawn.members.push_back({name + *rc::gen::element<std::string>(".avif", ".jpg"),
                               std::string("\0\0\0\x18", 4) + "ftypavif" + std::string(more, '\0')});
      ++drawn.avifs;
      return;
    case 2:
      drawn.members.push_back(
          {name + ".png", ".", *rc::gen::element(MemberKind::Link, MemberKind::HardLink)});
      ++drawn.links;
      return;
    case 3:
      drawn.members.push_back({name + ".png", "", MemberKind::Pipe});
      ++drawn.pipes;
      return;
    case 4:
      drawn.members.push_back({name, "", MemberKind::Folder});
      return;
    default: {
      const auto format = static_cast<Format>(*rc::gen::inRange<std::uint32_t>(0, testing::kFormats));
      const auto width = *rc::gen::inRange<std::uint32_t>(1, 16384),
                 height = *rc::gen::inRange<std::uint32_t>(1, 16384);
      std::string content = testing::picture(format, width, height, more);
      if (more % 512 == 0) content.resize((content.size() + 511) / 512 * 512);
      drawn.members.push_back({name + testing::ending_of(format), content});
      ++drawn.images[{width, height}];
    }
  }
}

Drawn drawn_members() {
  Drawn drawn;
  const auto count = *rc::gen::inRange<std::size_t>(1, 12);
  for (std::size_t i = 0; i < count; ++i) add_member(drawn, i);
  return drawn;
}

bool says(const std::string& text, int count, const std::string& what) {
  const std::string words = std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
  return count == 0 ? text.find(what) == std::string::npos : text.find(words) != std::string::npos;
}

void check(const Drawn& drawn, const std::string& path) {
  if (drawn.images.empty()) {
    RC_ASSERT(is_refused(path));
    return;
  }
  const std::string said = list_of(path);
  RC_ASSERT(said.substr(0, drawn.expected().size()) == drawn.expected());
  RC_ASSERT(says(said, drawn.captions, ".txt file"));
  RC_ASSERT(says(said, drawn.avifs, "AVIF file"));
  RC_ASSERT(says(said, drawn.links, "link"));
  RC_ASSERT(says(said, drawn.pipes, "special file"));
}

RC_GTEST_PROP(ImageArchives, OfEveryWriterAreReadWhole, ()) {
  const Drawn drawn = drawn_members();
  std::string bytes = testing::tar_archive(drawn.members, *rc::gen::elementOf(kWriters));
  if (*rc::gen::arbitrary<bool>()) bytes = testing::gzipped(bytes);
  check(drawn, written("a.tar", bytes));
}

// zip archives hold neither pipes nor hard links.
void make_zippable(Drawn& drawn) {
  std::erase_if(drawn.members, [&](const TarMember& member) {
    drawn.pipes -= member.kind == MemberKind::Pipe ? 1 : 0;
    drawn.links -= member.kind == MemberKind::HardLink ? 1 : 0;
    return member.kind == MemberKind::Pipe || member.kind == MemberKind::HardLink;
  });
}

std::string drawn_zip(Drawn& drawn) {
  make_zippable(drawn);
  return testing::tar_archive(
      drawn.members, ARCHIVE_FORMAT_ZIP,
      *rc::gen::element<const char*>("zip:compression=store", "zip:compression=deflate"));
}

RC_GTEST_PROP(ZipArchives, AreReadWhole, ()) {
  Drawn drawn = drawn_members();
  const std::string bytes = drawn_zip(drawn);
  check(drawn, written("a.zip", bytes));
}

// Bytes that change are refused, or change nothing that is read.
RC_GTEST_PROP(ZipArchives, DamagedAreReadOrRefused, ()) {
  Drawn drawn = drawn_members();
  std::string bytes = drawn_zip(drawn);
  RC_PRE(!bytes.empty());
  for (int i = 0; i < 3; ++i)
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  is_refused(written("damaged.zip", bytes));
}

// The directory is at the end, so any cut loses it.
RC_GTEST_PROP(ZipArchives, CutAreRefused, ()) {
  Drawn drawn = drawn_members();
  const std::string bytes = drawn_zip(drawn);
  RC_ASSERT(is_refused(written("cut.zip", bytes.substr(0, *rc::gen::inRange<std::size_t>(4, bytes.size())))));
}

// An archive that is cut anywhere before its end is refused.
RC_GTEST_PROP(ImageArchives, CutAreRefused, ()) {
  const Drawn drawn = drawn_members();
  const std::string whole = testing::tar_archive(drawn.members, *rc::gen::elementOf(kWriters));
  const std::size_t content = whole.find_last_not_of('\0') + 1;
  const bool packed = *rc::gen::arbitrary<bool>();
  const std::string bytes = packed ? testing::gzipped(whole) : whole;
  // A file shorter than one block, or than gzip's mark, is a text: cuts begin above that. A cut in the zeros
  // after the last content looks like an end of the archive or loses nothing, so cuts end before it.
  const std::size_t least = packed ? 2 : 512,
                    most = packed ? bytes.size() : std::max<std::size_t>(content, 513);
  const std::size_t any = *rc::gen::inRange(least, most);
  const std::size_t cut = *rc::gen::arbitrary<bool>() ? any : std::max(any / 512 * 512, least);
  RC_ASSERT(is_refused(written("cut.tar", bytes.substr(0, cut))));
}

// A header has a checksum, and so has gzip data: a changed bit is refused, or changes nothing.
RC_GTEST_PROP(ImageArchives, DamagedAreRefusedOrTheSame, ()) {
  const Drawn drawn = drawn_members();
  const std::string whole = testing::tar_archive(drawn.members, ARCHIVE_FORMAT_TAR_USTAR);
  const bool packed = *rc::gen::arbitrary<bool>();
  std::string bytes = packed ? testing::gzipped(whole) : whole;
  const std::string before = list_of(written("damaged.tar", bytes));
  const std::size_t at = *rc::gen::inRange<std::size_t>(0, packed ? bytes.size() : 500);
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << *rc::gen::inRange(0, 8)));
  const std::string path = written("damaged.tar", bytes);
  if (!is_refused(path)) RC_ASSERT(list_of(path) == before);
}

// The same files lie in a folder, maybe with an archive among them. Links are not followed, and pipes are not
// opened.
SPILLWAY_LONG_PROP(ImageFolders, AreReadWhole, 100) {
  Drawn drawn = drawn_members();
  const fs::path folder = folder_of_this_test() + "/drawn";
  fs::remove_all(folder);
  fs::create_directories(folder / "deeper");
  bool deeper = false;
  for (const TarMember& member : drawn.members) {
    const fs::path path = ((deeper = !deeper) ? folder : folder / "deeper") / member.name;
    fs::create_directories(path.parent_path());
    if (member.kind == MemberKind::File) std::ofstream(path, std::ios::binary) << member.content;
    if (member.kind == MemberKind::Folder) fs::create_directories(path);
    if (member.kind == MemberKind::Link || member.kind == MemberKind::HardLink)
      fs::create_symlink(member.content, path);
    if (member.kind == MemberKind::Pipe) RC_ASSERT(mkfifo(path.c_str(), 0600) == 0);
  }
  if (*rc::gen::arbitrary<bool>()) {
    const bool zip = drawn.pipes == 0 && *rc::gen::arbitrary<bool>() &&
                     std::ranges::none_of(drawn.members, [](const TarMember& member) {
                       return member.kind == MemberKind::HardLink;
                     });
    std::ofstream(folder / (zip ? "shard.ZIP" : "shard.tar"), std::ios::binary)
        << testing::tar_archive(drawn.members, zip ? ARCHIVE_FORMAT_ZIP : *rc::gen::elementOf(kWriters));
    for (auto& [size, count] : drawn.images) count *= 2;
    for (int* count : {&drawn.captions, &drawn.avifs, &drawn.links, &drawn.pipes}) *count *= 2;
  }
  check(drawn, folder.string());
}

Lines complaints_of_bytes(const std::string& name, const std::string& bytes) {
  const std::string path = written(name, bytes);
  return complaints([&] { read_image_trace(path, ResizeRule{}); });
}

const std::vector<TarMember> kTwo = {{"a.png", testing::picture(Format::Png, 64, 48)},
                                     {"b.png", testing::picture(Format::Png, 32, 24)}};

TEST(BadImageArchives, SayWhatIsWrong) {
  const std::string two = testing::tar_archive(kTwo, ARCHIVE_FORMAT_TAR_USTAR);
  EXPECT_EQ(complaints_of_bytes("t.tar", two.substr(0, 2 * 1024)),
            Lines{"t.tar: /: expected a whole tar archive, found one that ends behind 2 members without the "
                  "end-of-archive block"});
  EXPECT_EQ(complaints_of_bytes("t.tar", two.substr(0, 1024 + 512)),
            Lines{"t.tar: /: expected a whole tar archive, found Truncated tar archive behind 2 members"});
  EXPECT_EQ(complaints_of_bytes("t.tar", two.substr(0, 1024)),
            Lines{"t.tar: /: expected a whole tar archive, found one that ends behind 1 member without the "
                  "end-of-archive block"});
  EXPECT_EQ(complaints_of_bytes("t.tar", two + "more"),
            Lines{"t.tar: /: expected a whole tar archive, found Truncated tar archive behind 2 members"});
  std::string damaged = testing::gzipped(two);
  damaged[damaged.size() - 6] ^= 1;
  EXPECT_EQ(complaints_of_bytes("t.tar.gz", damaged),
            Lines{"t.tar.gz: /: expected a gzip file that can be unpacked, found incorrect data check"});
  EXPECT_EQ(
      complaints_of_bytes("t.tar", testing::tar_archive({{"a.png", "none"}}, ARCHIVE_FORMAT_TAR_USTAR)),
      Lines{"t.tar: a.png: expected a PNG, JPEG, GIF, WebP, BMP or TIFF file with its size, found something "
            "else"});
}

TEST(BadImageArchives, ZipsSayWhatIsWrong) {
  const std::string two = testing::tar_archive(kTwo, ARCHIVE_FORMAT_ZIP, "zip:compression=store");
  EXPECT_EQ(complaints_of_bytes("t.zip", two.substr(0, two.size() - 1)),
            Lines{"t.zip: /: expected a whole zip archive, found one without its directory, which is at the "
                  "end of a whole one"});
  std::string checksum = two;
  checksum[14] ^= 1;  // of the first member
  for (std::size_t at = checksum.find("PK\x01\x02"); at != std::string::npos;
       at = checksum.find("PK\x01\x02", at + 1))
    checksum[at + 16] ^= 1;
  EXPECT_NE(
      complaints_of_bytes("t.zip", checksum).at(0).find("t.zip: /: expected a whole zip archive, found "),
      std::string::npos);
  std::string method = two;
  for (std::size_t at = method.find("PK"); at != std::string::npos; at = method.find("PK", at + 1)) {
    if (method.compare(at, 4, "PK\x03\x04") == 0) method[at + 8] = 77;
    if (method.compare(at, 4, "PK\x01\x02") == 0) method[at + 10] = 77;
  }
  EXPECT_NE(complaints_of_bytes("t.zip", method).at(0).find("t.zip: /: expected a whole zip archive, found "),
            std::string::npos);
  EXPECT_EQ(complaints_of_bytes("t.zip", testing::tar_archive({{"a.txt", "none"}}, ARCHIVE_FORMAT_ZIP)),
            Lines{"t.zip: /: expected images (PNG, JPEG, GIF, WebP, BMP, TIFF), found none; not read: 1 .txt "
                  "file"});
}

// A checkpoint is a zip archive, too: in a folder, only .zip is opened.
TEST(ZipArchives, InAFolderAreNamedSo) {
  const fs::path folder = folder_of_this_test() + "/zips";
  fs::create_directories(folder);
  const std::string bytes = testing::tar_archive(kTwo, ARCHIVE_FORMAT_ZIP);
  std::ofstream(folder / "a.zip", std::ios::binary) << bytes;
  std::ofstream(folder / "model.pt", std::ios::binary) << bytes;
  EXPECT_EQ(list_of(folder.string()), "width,height,count\n32,24,1\n64,48,1\nnot read: 1 .pt file\n");
  EXPECT_EQ(list_of((folder / "model.pt").string()), "width,height,count\n32,24,1\n64,48,1\n");
}

// macOS puts a file of attributes beside each file: ._a.png.
TEST(ZipArchives, AttributesOfMacOsAreNoImages) {
  const std::string attributes("\0\x05\x16\x07\0\x02\0\0", 8);
  EXPECT_EQ(list_of(written("m.zip", testing::tar_archive({kTwo[0], {"__MACOSX/._a.png", attributes}},
                                                          ARCHIVE_FORMAT_ZIP))),
            "width,height,count\n64,48,1\nnot read: 1 AppleDouble file\n");
}

std::string shard(const std::vector<TarMember>& members) {
  return list_of(written("s.tar", testing::tar_archive(members, ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE)));
}

// Files with one name up to its first dot are a sample. The picture's header counts where it is read; where
// it is not, the size that the sample's .json states does, wherever it lies.
TEST(WebDatasetShards, SizesAreThoseOfThePictures) {
  const std::string stated = R"({"width": 640, "height": 480, "caption": "x"})";
  const std::string png = testing::picture(Format::Png, 64, 48);
  EXPECT_EQ(shard({{"0.png", png}, {"0.json", stated}, {"0.txt", "x"}, {"1.json", stated}, {"1.png", png}}),
            "width,height,count\n64,48,2\nnot read: 2 .json files, 1 .txt file\n");
  const std::string said = "images whose size is from the .json file of their sample: ";
  EXPECT_EQ(shard({{"0.json", stated}, {"0.npy", "x"}, {"1.latent.npy", "x"}, {"1.json", stated}}),
            "width,height,count\n640,480,2\nnot read: 2 .json files, 2 .npy files\n" + said + "2\n");
  EXPECT_EQ(shard({{"0.png", png}, {"0.txt", "x"}, {"1.json", stated}, {"1.txt", "x"}, {"2.png", png}}),
            "width,height,count\n64,48,2\nnot read: 2 .txt files, 1 .json file\nsamples of text without an "
            "image: 1\n");
  EXPECT_EQ(shard({{"a/0.json", stated}, {"b/0.npy", "x"}, {"2.png", png}, {"LICENSE.txt", "x"}}),
            "width,height,count\n64,48,1\nnot read: 1 .json file, 1 .npy file, 1 .txt file\n");
  EXPECT_EQ(shard({{"0.json", R"({"width": "640", "height": 0})"}, {"0.npy", "x"}, {"2.png", png}}),
            "width,height,count\n64,48,1\nnot read: 1 .json file, 1 .npy file\n");
}

// The size is a regression: a size near 2^64 once led the reader back to where its header was.
TEST(BadImageArchives, SizesBeyondTheFileEnd) {
  for (const std::uint64_t size : {std::uint64_t{1} << 40, ~std::uint64_t{0} >> 1, ~std::uint64_t{0} - 1023})
    EXPECT_EQ(
        complaints_of_bytes("t.tar", testing::tar_header_base256("a.txt", size) + std::string(1536, '\0'))
            .size(),
        1u)
        << size;
}

// Archives follow each other, as `cat` joins shards. Any number of bytes may lie between them, and skipped
// members may have any length.
TEST(ImageArchives, OneBehindAnotherAreOneWhichIsSaid) {
  const std::string said =
      "joined archives are read as one archive: 2 members after the end of the first one, where tar and "
      "WebDataset readers stop\n";
  for (const int writer : kWriters)
    for (const std::size_t between : {0, 512, 1 << 20}) {
      const std::string two = testing::tar_archive(kTwo, writer);
      EXPECT_EQ(list_of(written("t.tar", two + std::string(between, '\0') + two)),
                "width,height,count\n32,24,2\n64,48,2\n" + said);
    }
  // A member of zeros is not an end, and a skipped member hides none.
  const std::string zeros = testing::tar_archive(
      {kTwo[0], {"a.bin", std::string(1 << 20, '\0')}, {"b.txt", std::string(512, '\0')}, kTwo[1]},
      kWriters[0]);
  EXPECT_EQ(list_of(written("t.tar", zeros)).find("joined"), std::string::npos);
  EXPECT_NE(list_of(written("t.tar", zeros + zeros)).find("4 members after the end"), std::string::npos);
}

// A list is read whole, so its unpacked size has a limit; an archive is read one file at a time, and has
// none.
TEST(PackedImageLists, UnpackToFiftyTimesTheirSize) {
  const std::string rows = "width,height\n" + std::string(std::size_t{70} << 20, ' ');
  const Lines lines = complaints_of_bytes("t.csv.gz", testing::gzipped(rows));
  EXPECT_NE(lines.at(0).find("expected a gzip file that unpacks to at most 50 times its size, found 67"),
            std::string::npos)
      << lines.at(0);
  std::vector<TarMember> members = kTwo;
  members.push_back({"c.bmp", testing::picture(Format::Bmp, 64, 48, std::size_t{70} << 20)});
  EXPECT_EQ(
      list_of(written("t.tar.gz", testing::gzipped(testing::tar_archive(members, ARCHIVE_FORMAT_TAR_USTAR)))),
      "width,height,count\n32,24,1\n64,48,2\n");
}

}  // namespace
}  // namespace spillway
