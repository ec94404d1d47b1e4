// Lowered programs action by action, and executed as they stand against the predicted step.
#include "program/lower.h"

#include <gtest/gtest.h>

#include "literal_program.h"
#include "support/programs.h"
#include "support/property.h"
#include "support/tolerance.h"

namespace spillway::testing {
namespace {

// One action in short: "F 0 m1" computes forward of stage 0, microbatch 1; "post 1>0 m0" and "send 0>1 m0"
// are ends of a message from stage to stage; "wait 3" waits for action 3.
struct Short {
  std::string operator()(const ComputeAction& action) const {
    static constexpr std::string_view letters = "FBIWRX";
    return letters[static_cast<std::size_t>(action.pass)] + visited(action.at);
  }
  std::string operator()(const PostReceive& action) const { return "post " + message(action); }
  std::string operator()(const Send& action) const { return "send " + message(action); }
  std::string operator()(const Wait& action) const { return "wait " + std::to_string(action.of); }
  std::string operator()(const SeamAction& action) const {
    return (action.gathers ? "gather " : "scatter ") + at(action.stage, action.microbatch);
  }
  std::string operator()(const BroadcastAction& action) const {
    return "broadcast " + std::to_string(action.stage.index());
  }
  std::string operator()(const LossAction& action) const {
    return "loss " + at(action.stage, action.microbatch);
  }
  std::string operator()(const ReduceAction& action) const {
    return "reduce " + std::to_string(action.stage.index());
  }
  std::string operator()(const UpdateAction& action) const {
    return "update " + std::to_string(action.stage.index());
  }
  std::string operator()(const BarrierAction&) const { return "barrier"; }

 private:
  static std::string at(StageId stage, MicrobatchId microbatch) {
    return std::to_string(stage.index()) + " m" + std::to_string(microbatch.index());
  }
  static std::string visited(const ComputeAction::Visit& visit) {
    const std::string from = visit.from ? " from " + std::to_string(visit.from->index()) : "";
    return ' ' + at(visit.stage, visit.microbatch) + from;
  }
  static std::string message(const MessageAction& action) {
    return std::to_string(action.from.index()) + '>' + at(action.to, action.microbatch);
  }
};

std::vector<std::string> in_short(const Program& program, std::size_t rank) {
  std::vector<std::string> all;
  for (const RankAction& action : program.programs[rank].actions) all.push_back(std::visit(Short{}, action));
  return all;
}
using Lines = std::vector<std::string>;

TEST(Lower, Writes1F1BOfTwoRanksActionByAction) {
  const Program program = lowered(uniform("1f1b", 2, 2), uniform_costs(1, 1, 1, 0.5));
  // Rank 1 can send the gradient of a microbatch when it has the output, so the receive is posted before that
  // is sent. Rank 0 needs nothing for its first outputs, so their receives come first of all.
  EXPECT_EQ(in_short(program, 0),
            (Lines{"F 0 m0", "post 1>0 m0", "send 0>1 m0", "F 0 m1", "post 1>0 m1", "send 0>1 m1", "wait 1",
                   "wait 2", "B 0 m0", "wait 4", "wait 5", "B 0 m1", "update 0", "barrier"}));
  EXPECT_EQ(in_short(program, 1),
            (Lines{"post 0>1 m0", "post 0>1 m1", "wait 0", "F 1 m0 from 0", "loss 1 m0", "B 1 m0 from 0",
                   "send 1>0 m0", "wait 1", "F 1 m1 from 0", "loss 1 m1", "B 1 m1 from 0", "send 1>0 m1",
                   "update 1", "wait 6", "wait 11", "barrier"}));
}

TEST(Lower, WaitsForABlockingSendAtOnce) {
  Derived derived = uniform("1f1b", 2, 1);
  derived.point_to_point = PointToPoint::Blocking;
  const Program program = lowered(derived, uniform_costs(1, 1, 1, 0.5));
  const Lines lines = in_short(program, 0);
  const auto send = std::ranges::find(lines, "send 0>1 m0");
  ASSERT_NE(send, lines.end());
  EXPECT_EQ(*(send + 1), "wait " + std::to_string(send - lines.begin()));
}

// A frozen encoder on the owners of microbatches, the language model as 1F1B.
TEST(Lower, GathersAtTheSeamOfATransposedEncoder) {
  const Model model({{"enc", Role::Encoder, 1, false}, {"llm", Role::Backbone, 2, true}});
  DeriveOptions options{.pipeline = {2, 2}};
  options.owners = {{RankId(1), RankId(0)}};
  const Derived derived = derive(model, schedule("transpose,1f1b"), {{1}}, options);
  BlockProfile profile;
  profile.forward = profile.input_gradient = profile.weight_gradient = Seconds(1);
  const Program program = lowered(derived, {{profile, profile}, Seconds(0.5)});
  const Lines first = in_short(program, 0), second = in_short(program, 1);
  const auto holds_in_order = [](const Lines& lines, const Lines& some) {
    auto at = lines.begin();
    for (const std::string& line : some) {
      at = std::find(at, lines.end(), line);
      if (at == lines.end())
        return ::testing::AssertionFailure()
               << line << " in " << listed(lines, [](auto& l) { return l + ";"; });
    }
    return ::testing::AssertionSuccess();
  };
  // Microbatch 0 comes from rank 1, whose copy of the encoder is stage 1; microbatch 1 is rank 0's own.
  EXPECT_TRUE(holds_in_order(
      first, {"F 0 m1", "gather 1 m0", "F 2 m0 from 1", "send 2>3 m0", "gather 0 m1", "F 2 m1 from 0"}));
  EXPECT_TRUE(
      holds_in_order(second, {"F 1 m0", "send 1>2 m0", "F 3 m0 from 2", "loss 3 m0", "B 3 m0 from 2"}));
  EXPECT_TRUE(std::ranges::find(first, "B 0 m1") == first.end());  // the encoder is frozen
}

// Two trained transposed regions are reduced over all ranks, which finish their shares in different orders.
TEST(Lower, GivesReductionsInDifferentOrdersGroupsOfTheirOwn) {
  int apart = 0;
  for (std::uint32_t first = 0; first < 3; ++first)
    for (std::uint32_t second = 0; second < 3; ++second) {
      const Model model({{"enc", Role::Encoder, 3, true},
                         {"llm", Role::Backbone, 3, true},
                         {"gen", Role::Generator, 3, true}});
      DeriveOptions options{.pipeline = {3, 1}};
      options.owners = {{RankId(first)}, {RankId(second)}};
      const Derived derived = derive(model, schedule("transpose,1f1b,transpose"), {{3, 6}}, options);
      BlockProfile profile;
      profile.forward = profile.input_gradient = profile.weight_gradient = Seconds(1);
      const Program program = lowered(derived, {{profile, profile, profile}, Seconds(0.5)});
      EXPECT_EQ(text_of(program_from(text_of(program))), text_of(program));
      std::set<std::uint32_t> groups;
      for (const RankAction& action : program.programs[0].actions)
        if (const auto* reduce = std::get_if<ReduceAction>(&action)) groups.insert(reduce->group);
      if (groups.size() == 2) ++apart;
    }
  EXPECT_GT(apart, 0);
}

// The actions, executed as they stand with rendezvous sends, take the predicted step. Updates take no time
// with given durations. Where they do, a prediction has them beside passes, and a program at its end.
RC_GTEST_PROP(LowerProperty, ExecutedLiterallyTakesWhatIsPredicted, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  RC_LOG() << random;
  const Program program = lowered(random);
  const std::optional<double> makespan = literal_makespan(program);
  RC_ASSERT(makespan.has_value());
  RC_LOG() << "executed " << *makespan << ", predicted " << program.makespan.value();
  RC_ASSERT(std::abs(*makespan - program.makespan.value()) <= kRelative * program.makespan.value());
}

}  // namespace
}  // namespace spillway::testing
