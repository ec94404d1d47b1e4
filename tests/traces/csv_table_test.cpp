#include "traces/files/csv_table.h"

#include <gtest/gtest.h>

#include <array>

#include "measured_files.h"

namespace spillway {
namespace {

using testing::measured_file;
using testing::refusals;
using Lines = std::vector<std::string>;

constexpr std::array<std::string_view, 2> kColumns = {"devices", "name"};

TEST(CsvTable, FindsColumnsByNameAndByWhatWillDo) {
  CsvTable table(measured_file("t.csv", "# told\n\nname,time_us,devices\na,3,8.0\n\n# more\nb,4,9\n"),
                 kColumns);
  EXPECT_EQ(table.comments(), Lines{"told"});
  EXPECT_EQ(table.header(), "name,time_us,devices");
  EXPECT_FALSE(table.find("nodes"));
  const auto time = table.find_if([](std::string_view name) { return name.starts_with("time_"); });
  ASSERT_TRUE(time);
  Lines rows;
  while (table.next())
    rows.push_back(table.place() + ": " + std::string(table.text(1)) + " " +
                   std::to_string(table.count(0).value_or(0)) + " " + std::string(table.text(*time)));
  EXPECT_EQ(rows, (Lines{"line 4: a 8 3", "line 7: b 9 4"}));
  EXPECT_TRUE(table.refused().empty());
}

TEST(CsvTable, NamesWhatIsNoCount) {
  CsvTable table(measured_file("t.csv", "devices,name\n-1,a\n2.5,b\n5e9,c\nnan,d\n,e\n7,f\n"), kColumns);
  std::size_t counts = 0;
  while (table.next()) counts += table.count(0).has_value();
  EXPECT_EQ(counts, 1u);
  EXPECT_EQ(refusals([&] { table.throw_if_any(); }),
            (Lines{"line 2: expected a whole number in devices, found \"-1\"",
                   "line 3: expected a whole number in devices, found \"2.5\"",
                   "line 4: expected a whole number in devices, found \"5e9\"",
                   "line 5: expected a whole number in devices, found \"nan\"",
                   "line 6: expected a whole number in devices, found \"\""}));
}

}  // namespace
}  // namespace spillway
