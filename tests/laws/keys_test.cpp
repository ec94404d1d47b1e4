// The jobs use every key that an experiment and a framework may have, and every word of each: whoever adds a
// key adds it to what is drawn, or says here why not.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "job.h"
#include "spec/json/schema.h"
#include "used_keys.h"

namespace spillway::testing {
namespace {

constexpr std::uint64_t kKeyJobs = 600;

Json schema_of(const char* kind) {
  return Json::parse(json_schema(kind).value());
}

// Drawn once: what a table of keys finds in them.
const std::vector<Json>& documents() {
  static const std::vector<Json> all = [] {
    std::vector<Json> drawn;
    for (std::uint64_t number = 0; number < kKeyJobs; ++number)
      drawn.push_back(Json::parse(job(number).document));
    return drawn;
  }();
  return all;
}

Uses used_by_jobs(const char* kind, const Json* (*part)(const Json&)) {
  const Json schema = schema_of(kind);
  Uses used;
  for (const Json& document : documents())
    if (const Json* whole = part(document)) used.merge(keys_of(schema, *whole));
  return used;
}

// Uses that no job makes, one to a line.
std::string missing(const char* kind, const Uses& used, const std::map<std::string, std::string>& left_out) {
  std::string text;
  for (const std::string& use : keys_of(schema_of(kind)))
    if (!used.contains(use) && !left_out.contains(use)) text += use + '\n';
  return text;
}

// What is said to be left out and is not.
std::string there_all_the_same(const char* kind, const Uses& used,
                               const std::map<std::string, std::string>& left_out) {
  const Uses known = keys_of(schema_of(kind));
  std::string text;
  for (const auto& [use, why] : left_out)
    if (used.contains(use) || !known.contains(use)) text += use + '\n';
  return text;
}

void expect_used(const char* kind, const Json* (*part)(const Json&),
                 const std::map<std::string, std::string>& left_out) {
  const Uses used = used_by_jobs(kind, part);
  EXPECT_EQ(missing(kind, used, left_out), "");
  EXPECT_EQ(there_all_the_same(kind, used, left_out), "");
}

TEST(Jobs, UseEveryKeyOfExperimentsAndFrameworks) {
  const auto all = [](const Json& document) { return &document; };
  const auto framework = [](const Json& document) -> const Json* {
    const auto at = document.find("framework");
    return at != document.end() && at->is_object() ? &*at : nullptr;
  };
  expect_used("experiment", all, {});
  expect_used("framework", framework, {});
}

}  // namespace
}  // namespace spillway::testing
