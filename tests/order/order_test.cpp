#include "order/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/error.h"

namespace spillway {
namespace {

Event forward(std::uint32_t rank, std::uint32_t microbatch) {
  Event event{EventKind::Forward};
  event.rank = RankId(rank);
  event.microbatch = MicrobatchId(microbatch);
  return event;
}

std::string name(const Event& event) {
  if (event.kind == EventKind::StepBarrier) return "StepBarrier";
  if (event.kind == EventKind::DpReduce) return "DpReduce";
  return (event.kind == EventKind::Collective ? "Coll " : "Fwd ") + std::to_string(event.rank.index()) + ' ' +
         std::to_string(event.microbatch.index());
}

Order built(OrderBuilder builder) {
  return std::get<Order>(std::move(builder).build());
}

// Returns the cycle from its first event by name, because a cycle may begin anywhere.
std::vector<std::string> found_cycle(OrderBuilder builder) {
  std::vector<std::string> names;
  const auto result = std::move(builder).build();
  for (const Event& event : std::get<Cycle>(result).events) names.push_back(name(event));
  std::rotate(names.begin(), std::min_element(names.begin(), names.end()), names.end());
  return names;
}

using Names = std::vector<std::string>;

TEST(OrderBuilder, ADiamondIsNumberedByDepth) {
  OrderBuilder builder(2);
  const auto last = builder.add(forward(0, 3)), left = builder.add(forward(0, 1)),
             first = builder.add(forward(0, 0)), right = builder.add(forward(1, 2));
  builder.edge(left, last, EdgeKind::Sequence);
  builder.edge(first, left, EdgeKind::Sequence);
  builder.edge(first, right, EdgeKind::Activation);
  builder.edge(right, last, EdgeKind::Gradient);
  const auto levels = builder.levels();
  EXPECT_EQ(std::get<std::vector<std::uint32_t>>(levels), (std::vector<std::uint32_t>{2, 1, 0, 1}));
  const Order order = built(std::move(builder));
  ASSERT_EQ(order.event_count(), 4U);
  ASSERT_EQ(order.edge_count(), 4U);
  Names names;
  for (const Event& event : order.events()) names.push_back(name(event));
  EXPECT_EQ(names, (Names{"Fwd 0 0", "Fwd 0 1", "Fwd 1 2", "Fwd 0 3"}));
  EXPECT_EQ(order.edges()[3].kind, EdgeKind::Gradient);
  EXPECT_EQ(order.edges()[3].from, EventId(2));
  EXPECT_EQ(order.predecessors(EventId(3)).size(), 2U);
  EXPECT_EQ(order.successors(EventId(0)).size(), 2U);
}

TEST(OrderBuilder, NothingIsAnOrder) {
  const Order order = built(OrderBuilder(3));
  EXPECT_EQ(order.event_count(), 0U);
  EXPECT_EQ(order.edge_count(), 0U);
  EXPECT_EQ(order.rank_count(), 3U);
  EXPECT_TRUE(order.nodes(RankId(2)).empty());
}

TEST(OrderBuilder, ACycleIsReportedByItsEventsAlone) {
  OrderBuilder builder(1);
  const auto before = builder.add(forward(0, 0)), a = builder.add(forward(0, 1)),
             b = builder.add(forward(0, 2)), c = builder.add(forward(0, 3)),
             behind = builder.add(forward(0, 4));
  builder.edge(before, a, EdgeKind::Sequence);
  builder.edge(a, b, EdgeKind::Sequence);
  builder.edge(b, c, EdgeKind::Activation);
  builder.edge(c, a, EdgeKind::Sequence);
  builder.edge(c, behind, EdgeKind::Sequence);
  EXPECT_EQ(found_cycle(std::move(builder)), (Names{"Fwd 0 1", "Fwd 0 2", "Fwd 0 3"}));
}

TEST(OrderBuilder, AnEventThatWaitsForItselfIsACycle) {
  OrderBuilder builder(1);
  const auto event = builder.add(forward(0, 7));
  builder.edge(event, event, EdgeKind::Sequence);
  EXPECT_EQ(found_cycle(std::move(builder)), (Names{"Fwd 0 7"}));
}

TEST(OrderBuilder, AnEdgeJoinsTwoOfItsEvents) {
  OrderBuilder builder(1);
  builder.add(forward(0, 0));
  EXPECT_THROW(builder.edge(0, 1, EdgeKind::Sequence), ContractBreach);
}

// nodes(r) has transfers on their sender, a reduce on every member, and the barrier everywhere.
TEST(Order, ProjectsOntoARank) {
  OrderBuilder builder(2);
  Event send{EventKind::Collective};
  send.rank = RankId(0);
  send.peer_rank = RankId(1);
  Event own{EventKind::DpReduce};
  own.rank = own.peer_rank = RankId(1);
  Event copied{EventKind::DpReduce};
  copied.rank = RankId(1);
  copied.peer_rank = RankId(0);
  Event shared{EventKind::DpReduce};
  shared.group = Group::ReplicaGroup;
  const std::uint32_t chain[] = {builder.add(forward(0, 0)),
                                 builder.add(send),
                                 builder.add(forward(1, 0)),
                                 builder.add(own),
                                 builder.add(copied),
                                 builder.add(shared),
                                 builder.add(Event{EventKind::StepBarrier})};
  for (std::size_t i = 0; i + 1 < std::size(chain); ++i)
    builder.edge(chain[i], chain[i + 1], EdgeKind::Sequence);
  const Order order = built(std::move(builder));
  const auto names = [&](std::uint32_t rank) {
    Names projected;
    for (EventId id : order.nodes(RankId(rank))) projected.push_back(name(order.event(id)));
    return projected;
  };
  EXPECT_EQ(names(0), (Names{"Fwd 0 0", "Coll 0 0", "DpReduce", "DpReduce", "StepBarrier"}));
  EXPECT_EQ(names(1), (Names{"Fwd 1 0", "DpReduce", "DpReduce", "DpReduce", "StepBarrier"}));
}

Order two_events() {
  OrderBuilder builder(1);
  const auto a = builder.add(forward(0, 0)), b = builder.add(forward(0, 1));
  builder.edge(a, b, EdgeKind::Turnaround);
  return built(std::move(builder));
}

TEST(Export, Dot) {
  std::ostringstream out;
  two_events().write_dot(out, name);
  EXPECT_EQ(out.str(),
            "digraph G {\n0[label=\"Fwd 0 0\"];\n1[label=\"Fwd 0 1\"];\n0->1 [label=\"Turnaround\"];\n}\n");
}

// A block may have any name.
TEST(Export, DotEscapesNames) {
  std::ostringstream out;
  two_events().write_dot(out, [](const Event&) { return "a \"b\" \\ c"; });
  EXPECT_NE(out.str().find("0[label=\"a \\\"b\\\" \\\\ c\"];"), std::string::npos) << out.str();
}

TEST(Export, GraphmlEscapesNames) {
  std::ostringstream out;
  two_events().write_graphml(
      out, [](const Event& event) { return event.microbatch.index() == 0 ? "<a & b>" : "b"; });
  const std::string text = out.str();
  EXPECT_NE(text.find("&lt;a &amp; b&gt;"), std::string::npos) << text;
  EXPECT_NE(text.find("Turnaround"), std::string::npos);
  EXPECT_NE(text.find("source=\"n0\" target=\"n1\""), std::string::npos);
}

}  // namespace
}  // namespace spillway
