// The jobs use every key that an experiment and a framework may have, in every form and with every word. A
// new key must be drawn by a job, or be listed here with the reason why not.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "job.h"
#include "json/schema.h"
#include "used_keys.h"

namespace spillway::testing {
namespace {

constexpr std::uint64_t kMostJobs = 9000;  // all are used by far fewer, but some words are rare

using LeftOut = std::map<std::string, std::string>;  // reasons, by use

class Coverage {
 public:
  Coverage(const char* kind, LeftOut left_out)
      : schema_(Json::parse(json_schema(kind).value())),
        all_(keys_of(schema_)),
        left_out_(std::move(left_out)) {}

  void add(const Json& document) { used_.merge(keys_of(schema_, document)); }

  // Returns the uses that no job makes, one to a line.
  std::string missing() const {
    std::string text;
    for (const std::string& use : all_)
      if (!used_.contains(use) && !left_out_.contains(use)) text += use + '\n';
    return text;
  }

  // Returns the uses that are listed as left out, but are used or unknown.
  std::string wrongly_left_out() const {
    std::string text;
    for (const auto& [use, why] : left_out_)
      if (used_.contains(use) || !all_.contains(use)) text += use + '\n';
    return text;
  }

 private:
  Json schema_;
  Uses all_;
  LeftOut left_out_;
  Uses used_ = {};
};

TEST(Jobs, UseEveryKeyOfExperimentsAndFrameworks) {
  Coverage experiments("experiment", {});
  Coverage frameworks("framework", {{"#/properties/$schema", "inside an experiment it is the experiment's"}});
  for (std::uint64_t number = 0; number < kMostJobs; ++number) {
    const Json document = Json::parse(job(number).document);
    experiments.add(document);
    if (const auto framework = document.find("framework");
        framework != document.end() && framework->is_object())
      frameworks.add(*framework);
    if (number % 50 == 0 && experiments.missing().empty() && frameworks.missing().empty()) break;
  }
  EXPECT_EQ(experiments.missing(), "");
  EXPECT_EQ(frameworks.missing(), "");
  EXPECT_EQ(experiments.wrongly_left_out() + frameworks.wrongly_left_out(), "");
}

}  // namespace
}  // namespace spillway::testing
