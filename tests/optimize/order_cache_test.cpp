// Orders cached by the inputs that they follow from.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "optimize/prepared_order.h"
#include "schedule/placed_orders.h"
#include "support/order_text.h"
#include "support/pipelines.h"
#include "support/property.h"
#include "support/random_derivation.h"

namespace spillway {
namespace {

using testing::edge_lines;
using testing::random_derivation;
using testing::RandomDerivation;
using testing::schedule;

using Prepared = std::shared_ptr<const PreparedOrder>;

// An encoder and a backbone on four ranks.
struct Asked {
  std::vector<Block> blocks = {{"enc", Role::Encoder, 2, false}, {"llm", Role::Backbone, 8, true}};
  Schedule schedule = testing::schedule("transpose,1f1b");
  Cut cut = {{2}};
  DeriveOptions options = {.pipeline = {4, 6}};

  OrderInput input() const { return {Model(blocks), schedule, cut, options}; }
  Prepared from(OrderCache& orders) const { return orders.derive(input()); }
};

Schedule listed(std::uint32_t microbatch) {
  return {{SkeletonKind::Transpose,
           listed_skeleton({{RankId(0)}, {{{Action::Forward, 0, MicrobatchId(microbatch)}}}})}};
}

RC_GTEST_PROP(OrderCache, GivesWhatDeriveGives, ()) {
  static OrderCache orders(2000);  // shared by all cases, which ask for kept and for dropped orders
  const RandomDerivation random = *random_derivation({.ranks = 2, .microbatches = 2, .every_skeleton = true});
  const Prepared prepared =
      orders.derive({Model(random.blocks), random.schedule, random.cut, random.options});
  RC_ASSERT(edge_lines(prepared->derived) == edge_lines(random.derived()));
}

TEST(OrderCache, DerivesTheSameOnce) {
  OrderCache orders;
  EXPECT_EQ(Asked().from(orders), Asked().from(orders));
}

TEST(OrderInput, TellsApartWhateverAnOrderFollowsFrom) {
  const std::vector<std::function<void(Asked&)>> changes = {
      [](Asked&) {},
      [](Asked& asked) { asked.blocks[0].name = "encoder"; },
      [](Asked& asked) { asked.blocks[0].role = Role::Backbone; },
      [](Asked& asked) { asked.blocks[0].trainable = true; },
      [](Asked& asked) { asked.blocks[1].layers = 9; },
      [](Asked& asked) { asked.cut = {{3}}; },
      [](Asked& asked) { asked.schedule = schedule("transpose,gpipe"); },
      [](Asked& asked) { asked.options.pipeline.ranks = 3; },
      [](Asked& asked) { asked.options.pipeline.microbatches = 7; },
      [](Asked& asked) { asked.options.pipeline.replicas = 2; },
      [](Asked& asked) { asked.options.point_to_point = PointToPoint::Blocking; },
      [](Asked& asked) { asked.options.owners = {OwnerMap(6, RankId(0))}; },
      [](Asked& asked) { asked.options.owners = {OwnerMap(6, RankId(1))}; },
      [](Asked& asked) {
        asked.options.layers_per_rank = {5, 1, 1, 1};
      },
      [](Asked& asked) {
        asked.options.layers_per_rank = {1, 5, 1, 1};
      },
      [](Asked& asked) { asked.options.expected.transfer = Seconds(1); },
      [](Asked& asked) { asked.options.expected.stages.resize(8); },
      [](Asked& asked) { asked.options.microbatch_group = 4; },
      [](Asked& asked) {
        asked.options.joined_replicas = {1, 1};
      },
      [](Asked& asked) { asked.options.input.backwards = InputBackwards::AtEntry; },
      [](Asked& asked) { asked.options.input.backwards = InputBackwards::Returned; },
      [](Asked& asked) { asked.options.input.broadcast = true; },
      [](Asked& asked) { asked.options.regrouping.dealt_to = 2; },
      [](Asked& asked) {
        asked.options.modules = {{{0, 2}, 1, 2}, {{2, 10}, 3, 1}};
      },
      [](Asked& asked) {
        asked.options.modules = {{{0, 2}, 2, 1}, {{2, 10}, 3, 1}};
      },
      [](Asked& asked) { asked.schedule = listed(0); },
      [](Asked& asked) { asked.schedule = listed(1); }};
  std::vector<OrderInput> all;
  for (const auto& change : changes) {
    Asked asked;
    change(asked);
    all.push_back(asked.input());
    EXPECT_EQ(std::count(all.begin(), all.end(), all.back()), 1) << "change " << all.size() - 1;
  }
}

TEST(OrderInput, TakesListedOrdersByContent) {
  Asked one, other;
  one.schedule = listed(1);
  other.schedule = listed(1);
  EXPECT_EQ(one.input(), other.input());
  EXPECT_EQ(HashOfOrderInput()(one.input()), HashOfOrderInput()(other.input()));
}

TEST(OrderCache, DropsTheOneThatWasNotUsedForLongest) {
  const auto of = [](std::uint32_t microbatches) {
    Asked asked;
    asked.options.pipeline.microbatches = microbatches;
    return asked;
  };
  OrderCache measuring;
  const auto events = [&](std::uint32_t m) { return of(m).from(measuring)->derived.order.event_count(); };
  OrderCache orders(events(4) + events(5) + events(6));
  const Prepared four = of(4).from(orders), five = of(5).from(orders);
  EXPECT_EQ(of(4).from(orders), four);
  of(7).from(orders);  // does not fit beside both
  EXPECT_EQ(of(4).from(orders), four);
  EXPECT_NE(of(5).from(orders), five);
}

TEST(OrderCache, KeepsNothingThatIsLargerThanAllItMay) {
  OrderCache orders(10);
  const Prepared first = Asked().from(orders);
  EXPECT_NE(Asked().from(orders), first);
}

TEST(OrderCache, ThreadsThatAskForTheSameGetTheSame) {
  OrderCache orders;
  std::vector<Prepared> got(8);
  {
    std::vector<std::jthread> threads;
    for (Prepared& one : got) threads.emplace_back([&] { one = Asked().from(orders); });
  }
  for (const Prepared& one : got) EXPECT_EQ(one, got.front());
}

}  // namespace
}  // namespace spillway
