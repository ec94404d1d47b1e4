#include "traces/formats/read_trace.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "measured_files.h"
#include "written_file.h"

namespace spillway {
namespace {

using testing::refusals;
using testing::WrittenFile;
using Lines = std::vector<std::string>;

const std::string kStraggler =
    "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n"
    "0,0,0,7,forward-compute,0,1,0,0,0,0\n";
const std::string kCompact =
    "# spillway/trace/1 origin_s=0 format=megatron\n"
    "step,replica,rank,action,start_us,duration_us,name\n"
    "0,0,0,0F0,0,1,\n";

std::string format_of(const std::string& text, const std::string& name) {
  const WrittenFile file(text, name);
  return read_trace(file.path()).format;
}

std::string only_refusal(const std::string& path) {
  const Lines all = refusals([&] { read_trace(path); });
  return all.size() == 1 ? all[0] : std::to_string(all.size()) + " violations";
}

TEST(ReadTrace, LooksAtTheContentAndNotAtTheName) {
  EXPECT_EQ(format_of(kStraggler, "a.txt"), "straggler-analysis");
  EXPECT_EQ(format_of("\xEF\xBB\xBF\r\n" + kStraggler, "b.json"), "straggler-analysis");
  EXPECT_EQ(format_of(kCompact, "c"), "megatron");
}

TEST(ReadTrace, UnpacksWhatIsPacked) {
  const WrittenFile file(kStraggler);
  ASSERT_EQ(std::system(("gzip -k '" + file.path() + "'").c_str()), 0);
  EXPECT_EQ(read_trace(file.path() + ".gz").events, read_trace(file.path()).events);
}

TEST(ReadTrace, OtherFilesAreRefusedByTheirBeginning) {
  const auto found = [](const std::string& text) {
    const WrittenFile file(text);
    const std::string all = only_refusal(file.path());
    return all.substr(all.find("found"));
  };
  EXPECT_EQ(found(""), "found an empty file");
  EXPECT_EQ(found(" \n\n"), "found an empty file");
  EXPECT_EQ(found("size,time\n1,2\n"), "found a file that begins with \"size,time\"");
  EXPECT_EQ(found("\x7f"
                  "ELF\x02"),
            "found a file that begins with \"\\u007fELF\\u0002\"");
  EXPECT_EQ(found(std::string(100, 'x')),
            "found a file that begins with \"" + std::string(60, 'x') + "...\"");
}

TEST(ReadTrace, AMissingFileIsNamed) {
  EXPECT_EQ(only_refusal("no/such/trace.csv"),
            "/: expected a readable file, found No such file or directory");
}

TEST(ReadTrace, ATruncatedArchiveIsRefused) {
  std::string rows = kStraggler;
  for (int i = 0; i < 20'000; ++i) rows += "0,0,0," + std::to_string(i * 7919) + ",gc,0,1,0,-1,0,-1\n";
  const WrittenFile file(rows);
  ASSERT_EQ(std::system(("gzip -k '" + file.path() + "'").c_str()), 0);
  const std::string packed = file.path() + ".gz";
  std::filesystem::resize_file(packed, std::filesystem::file_size(packed) / 2);
  EXPECT_EQ(only_refusal(packed), "/: expected a whole gzip file, found one that ends in the middle");
}

}  // namespace
}  // namespace spillway
