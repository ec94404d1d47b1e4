// The order graph: which event must precede which, and why. It has the structure of one data-parallel
// replica; Durations has the times, and Timeline the results. Events are numbered in a topological order, so
// a pass in id order visits every predecessor first. The edges are stored as compressed sparse rows, in both
// directions.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "order/event.h"

namespace spillway {

struct Edge {
  EventId from;
  EventId to;
  EdgeKind kind;
};

// A directed cycle: each event precedes the next and the last the first. An order with a cycle deadlocks.
struct Cycle {
  std::vector<Event> events;
};

// Neighbours of every event, event by event.
struct OrderRows {
  std::vector<std::uint32_t> first;  // by event, one more at the end
  std::vector<std::uint32_t> event;

  std::span<const std::uint32_t> of(EventId id) const {
    return std::span(event).subspan(first[id.index()], first[id.index() + 1] - first[id.index()]);
  }
};

class Order {
 public:
  Order(Order&&) = default;
  Order& operator=(Order&&) = default;

  std::size_t event_count() const { return events_.size(); }
  std::size_t edge_count() const { return kinds_.size(); }
  std::span<const Event> events() const { return events_; }
  const Event& event(EventId id) const { return events_[id.index()]; }

  // Event indices: predecessors ascend; successors are in the order in which their edges were added.
  std::span<const std::uint32_t> predecessors(EventId id) const { return before_.of(id); }
  std::span<const std::uint32_t> successors(EventId id) const { return after_.of(id); }

  // All edges, grouped by source in id order.
  std::vector<Edge> edges() const;

  // The events in which rank r computes, sends or takes part, in id order. A transfer belongs to its sender,
  // a reduce to every member, the barrier to every rank. The paper's nodes(r) has transfers on the receiver,
  // too, and events where they start: rank_lists() (rank_lists.h).
  std::uint32_t rank_count() const { return static_cast<std::uint32_t>(first_node_.size() - 1); }
  std::span<const EventId> nodes(RankId rank) const {
    const std::uint32_t first = first_node_[rank.index()];
    return std::span(nodes_).subspan(first, first_node_[rank.index() + 1] - first);
  }

  using EventName = std::function<std::string(const Event&)>;
  void write_dot(std::ostream& out, const EventName& name) const;
  void write_graphml(std::ostream& out, const EventName& name) const;

 private:
  friend class OrderBuilder;
  Order() = default;

  std::vector<Event> events_;
  OrderRows before_, after_;
  std::vector<EdgeKind> kinds_;            // of the edges in after_
  std::vector<std::uint32_t> first_node_;  // by rank, one more at the end
  std::vector<EventId> nodes_;
};

// Each event's position when events are sorted by level, and by index within a level. The positions are
// topological if `levels` are those of an order.
std::vector<std::uint32_t> place_by_level(std::span<const std::uint32_t> levels);

// Collects events and edges in any numbering; build() proves the graph acyclic and renumbers it
// topologically.
class OrderBuilder {
 public:
  explicit OrderBuilder(std::uint32_t ranks) : ranks_(ranks) {}

  void reserve(std::size_t events, std::size_t edges);

  // Returns the event's number in this builder (not its later EventId).
  std::uint32_t add(const Event& event) {
    events_.push_back(event);
    return static_cast<std::uint32_t>(events_.size() - 1);
  }
  void edge(std::uint32_t from, std::uint32_t to, EdgeKind kind) {
    ensure(from < events_.size() && to < events_.size(), "an edge joins two events of its order");
    from_.push_back(from);
    to_.push_back(to);
    kind_.push_back(kind);
  }

  std::span<const Event> events() const { return events_; }

  // The level of each event: the largest number of edges on a path that ends in it. Returns a cycle if there
  // is one.
  std::variant<std::vector<std::uint32_t>, Cycle> levels() const;

  // Events of one level keep the order in which they were added. Consumes the builder.
  std::variant<Order, Cycle> build() &&;

 private:
  // Edges by their source event, in the order in which they were added.
  struct Leaving {
    std::vector<std::uint32_t> first;  // by event, one more at the end
    std::vector<std::uint32_t> edge;
  };
  Leaving leaving() const;
  static void add_nodes(Order& order, std::uint32_t ranks);
  std::variant<std::vector<std::uint32_t>, Cycle> levels(const Leaving& edges) const;

  std::uint32_t ranks_;
  std::vector<Event> events_;
  std::vector<std::uint32_t> from_;
  std::vector<std::uint32_t> to_;
  std::vector<EdgeKind> kind_;
};

}  // namespace spillway
