// The command that says which parts of a model are covered.
#include <string>

#include "program.h"

namespace spillway::testing {
namespace {

// 32 layers of 8 experts. A refused part is named and gives exit status 3.
TEST_F(Cli, SupportSaysWhatIsCovered) {
  const Outcome text = run("support tests/input/configs/mixtral-8x7b.json");
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("46,702,792,704 parameters, 12,879,925,248 of them"), std::string::npos)
      << text.out;
  const Outcome json = run("support tests/input/configs/mixtral-8x7b.json --json");
  EXPECT_NE(json.out.find("\"routed experts\": 45097156608"), std::string::npos) << json.out;
  const std::string other = file("config.json", R"({ "model_type": "mamba" })");
  const Outcome refused = run("support " + other);
  EXPECT_EQ(refused.status, 3) << refused.out;
  EXPECT_NE(refused.out.find("refused: /model_type"), std::string::npos) << refused.out;
}

TEST_F(Cli, SupportRefusesWhatIsNoModel) {
  expect_refused("support " + file("list.json", "[]"), "/: expected an object, found an empty list");
  expect_refused("support nothing.json", "nothing.json");
}

}  // namespace
}  // namespace spillway::testing
