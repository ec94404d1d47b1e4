// Differences between documents: by hand, and applied to random documents one by one.
#include "compare/differences.h"

#include <gtest/gtest.h>

#include "compare/changes.h"
#include "compare/written_out.h"
#include "evaluate/point.h"
#include "input/experiment/experiment.h"
#include "json/canonical.h"
#include "json/document.h"
#include "support/property.h"
#include "support/shipped.h"
#include "written.h"

namespace spillway {
namespace {

Node node(const std::string& text) {
  Findings none("");
  return parse_json(text, none).value();
}

std::vector<std::string> pointers(const std::string& a, const std::string& b,
                                  HeldAgainst what = HeldAgainst::Everything) {
  std::vector<std::string> all;
  for (const Difference& difference : differences(node(a), node(b), what)) all.push_back(difference.pointer);
  return all;
}

using Pointers = std::vector<std::string>;

TEST(Differences, AreByValueAndPlace) {
  EXPECT_EQ(pointers(R"({"a": 1, "b": 2})", R"({"b": 2.0, "a": 1.0})"), Pointers{});
  EXPECT_EQ(pointers(R"({"a": 1, "b": {"c": 2}})", R"({"b": {"c": 3}, "d": 4})"),
            (Pointers{"/a", "/b/c", "/d"}));
  EXPECT_EQ(pointers(R"({"l": [1, 2]})", R"({"l": [1, 3]})"), Pointers{"/l"});
  EXPECT_EQ(pointers(R"({"l": [{"x": 1}, {"x": 2}]})", R"({"l": [{"x": 1}, {"x": 3}]})"), Pointers{"/l/1/x"});
  EXPECT_EQ(pointers(R"({"l": [{"x": 1}]})", R"({"l": [{"x": 1}, {"x": 3}]})"), Pointers{"/l"});
  EXPECT_EQ(pointers(R"({"/~": 1})", R"({"/~": null})"), Pointers{"/~1~0"});
  EXPECT_EQ(pointers(R"({"a": 1, "b": 2})", R"({"b": 3, "c": 4})", HeldAgainst::Common), Pointers{"/b"});
}

Node random_node(int depth) {
  const std::uint32_t kind = testing::number(0, depth > 0 ? 6 : 3);
  if (kind == 0) return {std::uint64_t{testing::number(0, 2)}};
  if (kind == 1) return {testing::number(0, 1) == 1};
  if (kind == 2) return {std::string(testing::number(0, 1), 'x')};
  if (kind == 3) return {nullptr};
  const std::uint32_t size = testing::number(0, 3);
  if (kind == 4) {
    List list;
    for (std::uint32_t i = 0; i < size; ++i) list.push_back(random_node(depth - 1));
    return {list};
  }
  Object object;
  for (const char* key : {"a", "b/", "c~"})
    if (testing::number(0, 2) > 0) object.push_back({key, random_node(depth - 1)});
  return {object};
}

Node random_object() {
  return {Object{{"r", random_node(3)}, {"s", random_node(3)}}};
}

RC_GTEST_PROP(Differences, TakenOverOneByOneMakeTheOtherDocument, ()) {
  Node a = *rc::gen::exec(random_object);
  const Node b = *rc::gen::exec(random_object);
  for (const Difference& difference : differences(a, b, HeldAgainst::Everything)) {
    RC_ASSERT(difference.place == difference.pointer);
    take_over(difference.place, b, a);
  }
  RC_ASSERT(canonical(a) == canonical(b));
}

// An experiment that is written out in full gives the same result wherever its file lies.
TEST(WrittenOut, IsTheSameExperiment) {
  for (const std::string name : {"small", "image-work", "experiment-a", "experiment-b", "deepseek-v3-h800",
                                 "qwen2-vl-72b", "ascend-910b-pp2", "skeletons"}) {
    const std::string path = testing::kExperiments + name + ".json";
    const std::string text = json_text(written_out(node(content_of(path)), path));
    Caches caches, others;
    EXPECT_EQ(evaluate_point(read_experiment(path, {}), caches),
              evaluate_point(parse_experiment(text, "elsewhere/x.json", {}), others))
        << name;
    EXPECT_EQ(text.find("\"platform_set\""), std::string::npos);
  }
}

}  // namespace
}  // namespace spillway
