// Programs that block and programs that do not: known schedules, and all interleavings of small programs.
#include "program/deadlock.h"

#include <gtest/gtest.h>

#include "interleavings.h"
#include "support/programs.h"
#include "support/property.h"

namespace spillway::testing {
namespace {

constexpr std::optional<std::uint32_t> kRendezvous = 0, kBuffered = std::nullopt;

// Gives messages of each pair of ranks the tags 0, 1, ... in the order of each end.
void number_tags(Program& program) {
  for (RankProgram& of : program.programs) {
    std::map<RankId, std::uint32_t> sent, posted;
    for (RankAction& action : of.actions) {
      if (auto* send = std::get_if<Send>(&action)) send->tag = sent[send->peer]++;
      if (auto* receive = std::get_if<PostReceive>(&action)) receive->tag = posted[receive->peer]++;
    }
  }
}

// Puts a rank's actions into another order, or leaves some out: `order` has the old indices. Waits for what
// is left out are left out, too; waits that come before what they wait for stay.
void rearrange(RankProgram& of, std::vector<std::uint32_t> order) {
  std::map<std::uint32_t, std::uint32_t> place;
  std::erase_if(order, [&](std::uint32_t index) {
    const auto* wait = std::get_if<Wait>(&of.actions[index]);
    return wait && std::ranges::find(order, wait->of) == order.end();
  });
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<RankAction> actions;
  for (const std::uint32_t index : order) {
    actions.push_back(of.actions[index]);
    if (auto* wait = std::get_if<Wait>(&actions.back())) wait->of = place.at(wait->of);
  }
  of.actions = std::move(actions);
}

std::vector<std::uint32_t> order_of(const RankProgram& of) {
  std::vector<std::uint32_t> order(of.actions.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  return order;
}

// Posts every receive right before its wait, as a simple runtime does, and waits for each send at once.
Program posted_when_needed(Program program) {
  for (RankProgram& of : program.programs) {
    std::map<std::uint32_t, std::uint32_t> wait_of;
    for (std::uint32_t i = 0; i < of.actions.size(); ++i)
      if (const auto* wait = std::get_if<Wait>(&of.actions[i])) wait_of[wait->of] = i;
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < of.actions.size(); ++i) {
      const auto* wait = std::get_if<Wait>(&of.actions[i]);
      const bool for_send = wait && std::holds_alternative<Send>(of.actions[wait->of]);
      const bool for_receive = wait && std::holds_alternative<PostReceive>(of.actions[wait->of]);
      if (std::holds_alternative<PostReceive>(of.actions[i]) || for_send) continue;
      if (for_receive) order.push_back(wait->of);
      order.push_back(i);
      if (std::holds_alternative<Send>(of.actions[i])) order.push_back(wait_of.at(i));
    }
    rearrange(of, order);
  }
  number_tags(program);
  return program;
}

// Each action of the cycle is where its rank stops, and waits for something of the next one's rank.
void expect_a_cycle(const Program& program, const BlockingCheck& check) {
  ASSERT_FALSE(check.cycle.empty());
  std::set<std::size_t> ranks;
  for (const ActionPlace& place : check.cycle) EXPECT_TRUE(ranks.insert(place.program).second);
  for (std::size_t i = 0; i < check.cycle.size(); ++i) {
    const RankProgram& of = program.programs[check.cycle[i].program];
    const RankProgram& next = program.programs[check.cycle[(i + 1) % check.cycle.size()].program];
    const auto* wait = std::get_if<Wait>(&of.actions[check.cycle[i].action]);
    if (!wait) continue;  // a meeting of a group
    const RankAction& awaited = of.actions[wait->of];
    if (wait->of > check.cycle[i].action) {  // the rank waits for what it starts later
      EXPECT_EQ(of.rank, next.rank);
    } else if (const auto* send = std::get_if<Send>(&awaited)) {
      EXPECT_EQ(send->peer, next.rank);
    } else if (const auto* receive = std::get_if<PostReceive>(&awaited)) {
      EXPECT_EQ(receive->peer, next.rank);
    }
  }
}

void expect_as_explored(const Program& program) {
  for (const auto& buffers : {kRendezvous, std::optional(1U), std::optional(2U), kBuffered}) {
    const BlockingCheck check = check_blocking(program, buffers);
    const Interleavings all(program, buffers);
    RC_ASSERT(check.safe == !all.some_blocks());
    RC_ASSERT(check.safe == all.some_ends());  // every execution comes to the same end
    RC_ASSERT(all.ways_to_block() == (check.safe ? 0u : 1u));
    if (buffers) RC_ASSERT(check.safe == (check.buffers_needed && *check.buffers_needed <= *buffers));
    if (!buffers) RC_ASSERT(check.safe == check.buffers_needed.has_value());
    RC_ASSERT(check.safe == (check.cycle.empty() && !check.starved));
    if (!check.cycle.empty()) expect_a_cycle(program, check);
  }
}

std::string shape_of(const std::string& text, std::uint32_t ranks, std::uint32_t microbatches) {
  return text + " P=" + std::to_string(ranks) + " M=" + std::to_string(microbatches);
}

// Lowers the skeleton, if it takes this shape.
std::optional<Program> lowered_if_legal(const std::string& text, std::uint32_t ranks,
                                        std::uint32_t microbatches) {
  const Model model({{"llm", Role::Backbone, stages_of(schedule(text).skeletons.back(), ranks), true}});
  const DeriveOptions options{.pipeline = {ranks, microbatches}};
  if (!check_derive(model, schedule(text), {}, options).empty()) return {};
  return lowered(derive(model, schedule(text), {}, options), uniform_costs(1, 1, 1, 0.5));
}

TEST(Deadlock, HasNoPlaceInASkeletonUnderRendezvous) {
  int checked = 0;
  for (const char* text : kPipelined)
    for (std::uint32_t ranks = 1; ranks <= 6; ++ranks)
      for (std::uint32_t microbatches = 1; microbatches <= 13; ++microbatches) {
        const auto program = lowered_if_legal(text, ranks, microbatches);
        if (!program) continue;
        const BlockingCheck check = check_blocking(*program, kRendezvous);
        EXPECT_TRUE(check.safe) << shape_of(text, ranks, microbatches);
        EXPECT_EQ(check.buffers_needed, 0u);
        ++checked;
      }
  EXPECT_GT(checked, 800);
}

RC_GTEST_PROP(DeadlockProperty, HasNoPlaceInALoweredOrderUnderRendezvous, ()) {
  const RandomDerivation random =
      *random_derivation({.ranks = 8, .microbatches = 20, .every_skeleton = true});
  RC_LOG() << random;
  RC_ASSERT(check_blocking(lowered(random), kRendezvous).safe);
}

TEST(Deadlock, ComesFromReceivesThatArePostedWhenTheyAreNeeded) {
  for (const char* text : {"1f1b", "zb-h1", "dualpipev"}) {
    const Program late = posted_when_needed(*lowered_if_legal(text, 4, 8));
    const BlockingCheck check = check_blocking(late, kRendezvous);
    EXPECT_FALSE(check.safe) << text;
    EXPECT_GT(check.buffers_needed.value_or(0), 0u) << text;
    expect_a_cycle(late, check);
    EXPECT_TRUE(check_blocking(late, check.buffers_needed).safe) << text;
    EXPECT_FALSE(check_blocking(late, *check.buffers_needed - 1).safe) << text;
    EXPECT_TRUE(check_blocking(late, kBuffered).safe) << text;
  }
  const Program late = posted_when_needed(lowered(uniform("1f1b,1f1b", 4, 8), uniform_costs(1, 1, 1)));
  EXPECT_FALSE(check_blocking(late, kRendezvous).safe) << "interleaved";
  // All forwards go first, so that nobody sends against the stream.
  EXPECT_TRUE(check_blocking(posted_when_needed(*lowered_if_legal("gpipe", 4, 8)), kRendezvous).safe);
}

TEST(Deadlock, OfTwoRanksNamesBothWaits) {
  const Program late = posted_when_needed(*lowered_if_legal("1f1b", 2, 3));
  const BlockingCheck check = check_blocking(late, kRendezvous);
  ASSERT_EQ(check.cycle.size(), 2u);
  EXPECT_EQ(check.buffers_needed, 1u);
  for (const ActionPlace& place : check.cycle) {
    const auto& actions = late.programs[place.program].actions;
    EXPECT_TRUE(std::holds_alternative<Send>(actions[std::get<Wait>(actions[place.action]).of]));
  }
}

TEST(Deadlock, WithoutACycleNamesTheActionThatWaitsForNobody) {
  Program program = *lowered_if_legal("1f1b", 2, 1);
  std::vector<std::uint32_t> order = order_of(program.programs[1]);
  std::erase_if(order, [&](std::uint32_t index) {
    return std::holds_alternative<Send>(program.programs[1].actions[index]) ||
           std::holds_alternative<BarrierAction>(program.programs[1].actions[index]);
  });
  rearrange(program.programs[1], order);
  const BlockingCheck check = check_blocking(program, kBuffered);
  EXPECT_FALSE(check.safe);
  EXPECT_EQ(check.buffers_needed, std::nullopt);
  EXPECT_TRUE(check.cycle.empty());
  ASSERT_TRUE(check.starved.has_value());
  EXPECT_EQ(check.starved->program, 0u);
}

TEST(Deadlock, OfTinyProgramsIsFoundInAnyInterleaving) {
  for (const char* text : kPipelined)
    for (std::uint32_t ranks = 1; ranks <= 2; ++ranks)
      for (std::uint32_t microbatches = 1; microbatches <= 2; ++microbatches)
        if (const auto program = lowered_if_legal(text, ranks, microbatches)) {
          SCOPED_TRACE(shape_of(text, ranks, microbatches));
          expect_as_explored(*program);
          expect_as_explored(posted_when_needed(*program));
        }
}

// Swaps two actions, leaves one out, or moves a receive to a later place.
void mutate(Program& program) {
  RankProgram& of = program.programs[*rc::gen::inRange<std::size_t>(0, program.programs.size())];
  std::vector<std::uint32_t> order = order_of(of);
  if (order.size() < 2) return;
  const auto a = *rc::gen::inRange<std::size_t>(0, order.size()),
             b = *rc::gen::inRange<std::size_t>(0, order.size());
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      std::swap(order[a], order[b]);
      break;
    case 1:
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(a));
      break;
    default:
      const std::uint32_t moved = order[std::min(a, b)];
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(std::min(a, b)));
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(std::min(std::max(a, b), order.size())),
                   moved);
  }
  rearrange(of, order);
  number_tags(program);
}

RC_GTEST_PROP(DeadlockProperty, OfChangedProgramsIsFoundInAnyInterleaving, ()) {
  const RandomDerivation random = *random_derivation(
      {.regions = 2, .ranks = 3, .microbatches = 2, .replicas = 1, .every_skeleton = true});
  RC_LOG() << random;
  Program program = lowered(random);
  RC_PRE(program.ranks <= 3 && program.microbatches <= 3);
  if (*rc::gen::arbitrary<bool>()) program = posted_when_needed(std::move(program));
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) mutate(program);
  double states = 1;
  for (const RankProgram& of : program.programs) states *= static_cast<double>(of.actions.size());
  RC_PRE(states < 20'000);
  expect_as_explored(program);
}

}  // namespace
}  // namespace spillway::testing
