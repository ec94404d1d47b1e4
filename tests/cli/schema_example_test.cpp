// `schema platform --example NAME` prints a file that runs, with the schema's words beside every number.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.h"
#include "support/schema_check.h"

namespace {

using Json = nlohmann::json;
using spillway::testing::Cli;
using spillway::testing::SchemaCheck;

class SchemaExample : public Cli {
 protected:
  Json example(const std::string& name = "mine") const {
    return Json::parse(run("schema platform --example '" + name + "'").out);
  }
  Json schema() const { return Json::parse(run("schema platform").out); }
};

// The description of each key of the schema, wherever it stands.
void add_descriptions(const Json& schema, std::multimap<std::string, std::string>& all) {
  if (!schema.is_structured()) return;
  if (schema.is_object() && schema.contains("properties"))
    for (const auto& [key, value] : schema["properties"].items())
      if (value.contains("description")) all.emplace(key, value["description"].get<std::string>());
  for (const Json& part : schema) add_descriptions(part, all);
}

// The keys of all numbers: of figures their own, of others with the document's note in place of a source.
struct Explained {
  std::string key, words;
};

void add_numbers(const std::string& key, const Json& value, const std::string& note,
                 std::vector<Explained>& all) {
  if (value.is_number()) all.push_back({key, note});
  if (value.is_object() && value.contains("source")) {
    all.push_back({key, value["source"].get<std::string>()});
    EXPECT_EQ(value["kind"], "assumed") << key;
  } else if (value.is_structured()) {
    for (const auto& [inner, below] : value.items())
      add_numbers(value.is_array() ? key : inner, below, note, all);
  }
}

TEST_F(SchemaExample, RunsAsItIs) {
  const std::string platform = file("mine.json", run("schema platform --example mine").out);
  const auto outcome =
      run("run experiment-a --draws 1 --engine longest-path --json --set /platform=" + platform);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_GT(Json::parse(outcome.out)["schedules"][0]["makespan_s"], 0);
}

TEST_F(SchemaExample, FollowsTheSchemaAndHasTheNameThatIsGiven) {
  for (const std::string name : {"mine", "a \"cluster\" of ours"}) {
    EXPECT_EQ(example(name)["name"], name);
    EXPECT_EQ(SchemaCheck("platform").complaints(example(name)), "");
  }
}

TEST_F(SchemaExample, ExplainsEveryNumberInTheWordsOfTheSchema) {
  std::multimap<std::string, std::string> descriptions;
  add_descriptions(schema(), descriptions);
  const Json made = example();
  std::vector<Explained> numbers;
  add_numbers("", made, made["note"], numbers);
  EXPECT_GE(numbers.size(), 15U);
  for (const auto& [key, words] : numbers) {
    const auto [first, last] = descriptions.equal_range(key);
    EXPECT_TRUE(std::any_of(
        first, last, [&](const auto& of_key) { return words.find(of_key.second) != std::string::npos; }))
        << key << ": " << words;
  }
}

TEST_F(SchemaExample, HasANodeAndAClusterEachWithItsPort) {
  const Json made = example();
  ASSERT_EQ(made["tiers"].size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(made["tiers"][i]["port"], made["ports"][i]["name"]);
  EXPECT_NE(made["ports"][0]["name"], made["ports"][1]["name"]);
  EXPECT_LT(made["tiers"][0]["devices"], made["tiers"][1]["devices"]);
}

TEST_F(SchemaExample, IsRefusedForKindsWithoutExamplesAndWithoutAName) {
  expect_refused("schema report --example mine", "--example: expected the kind platform, which has examples");
  expect_refused("schema platform --example ''", "--example: expected a value, found an empty one");
}

}  // namespace
