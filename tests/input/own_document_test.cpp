// Documents of ours are known by their schema, in time that is in proportion to the text.
#include <gtest/gtest.h>

#include <string>

#include "base/stopwatch.h"
#include "json/json_text.h"

namespace spillway {
namespace {

TEST(NamesOurSchema, WhereverItIs) {
  EXPECT_TRUE(names_our_schema(R"({ "name": "x", "schema" : "spillway/cases/1")"));
  EXPECT_TRUE(names_our_schema("{\"schema\"\n\t:\r\n \"spillway/"));
  EXPECT_TRUE(names_our_schema(R"("schema" "schema": 1, "schema":"spillway/x")"));
  for (const char* other : {"", "schema", R"("schema")", R"("schema":)", R"("schema": "spill)",
                            R"("schema" "spillway/)", R"("schema":: "spillway/)", R"('schema': "spillway/)"})
    EXPECT_FALSE(names_our_schema(other)) << other;
}

// 30,000 blanks were once the end of the program.
TEST(NamesOurSchema, TakesTimeInProportionToTheText) {
  const std::string blanks(10'000'000, ' ');
  std::string keys;
  while (keys.size() < 10'000'000) keys += "\"schema\"";
  const Stopwatch watch;
  EXPECT_FALSE(names_our_schema("\"schema\"" + blanks));
  EXPECT_TRUE(names_our_schema("\"schema\"" + blanks + ":" + blanks + "\"spillway/"));
  EXPECT_FALSE(names_our_schema(keys));
  EXPECT_FALSE(names_our_schema(std::string(10'000'000, 'a')));
  EXPECT_LT(watch.seconds(), 2);  // 0.05 s here
}

}  // namespace
}  // namespace spillway
