// The jobs use every key that an experiment and a framework may have, in every form and with every word. A
// new key must be drawn by a job, or be listed here with the reason why not.
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <map>
#include <string>

#include "job.h"
#include "json/schema.h"
#include "used_keys.h"

namespace spillway::testing {
namespace {

constexpr std::uint64_t kMostJobs = 9000;  // all are used by far fewer, but some words are rare

// After the first jobs come those that use what few others use, so that a few hundred show every use. Where
// jobs are drawn otherwise than before, more are needed, and the test prints this list anew.
constexpr std::uint64_t kFirstJobs = 300;
constexpr std::array<std::uint64_t, 24> kRareJobs = {305,  317,  329,  370, 380,  389,  398,  437,
                                                     452,  461,  509,  536, 590,  1232, 1606, 1643,
                                                     1778, 2396, 4292, 365, 2255, 2870, 3218, 5357};

// Returns the job that is tried after so many others.
std::uint64_t job_tried(std::uint64_t others) {
  if (others < kFirstJobs) return others;
  const std::uint64_t rare = others - kFirstJobs;
  return rare < kRareJobs.size() ? kRareJobs[rare] : others - kRareJobs.size();
}

using LeftOut = std::map<std::string, std::string>;  // reasons, by use

class Coverage {
 public:
  Coverage(const char* kind, LeftOut left_out)
      : schema_(Json::parse(json_schema(kind).value())),
        all_(keys_of(schema_)),
        left_out_(std::move(left_out)) {}

  // Returns whether the document uses what none before it did.
  bool add(const Json& document) {
    const std::size_t before = used_.size();
    used_.merge(keys_of(schema_, document));
    return used_.size() > before;
  }

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
  const char* const file = "a file of passes fits one model; twin_test has files";
  Coverage experiments("experiment", {{"#/definitions/measured/oneOf/0", file},
                                      {"#/definitions/measured/oneOf/1/properties/passes/oneOf/0", file}});
  Coverage frameworks("framework", {{"#/properties/$schema", "inside an experiment it is the experiment's"}});
  std::string rare;
  bool slow = false;
  for (std::uint64_t tried = 0; tried < kMostJobs; ++tried) {
    const std::uint64_t number = job_tried(tried);
    const Json document = Json::parse(job(number).document);
    bool is_new = experiments.add(document);
    if (const auto framework = document.find("framework");
        framework != document.end() && framework->is_object())
      is_new = frameworks.add(*framework) || is_new;
    if (is_new && tried >= kFirstJobs) rare += std::to_string(number) + ", ";
    if (tried % 25 == 0 && experiments.missing().empty() && frameworks.missing().empty()) break;
    if (tried == 2 * kFirstJobs) slow = true;
  }
  if (slow) std::cout << "jobs for kRareJobs: " << rare << '\n';
  EXPECT_EQ(experiments.missing(), "");
  EXPECT_EQ(frameworks.missing(), "");
  EXPECT_EQ(experiments.wrongly_left_out() + frameworks.wrongly_left_out(), "");
}

}  // namespace
}  // namespace spillway::testing
