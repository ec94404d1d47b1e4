#include "order/rank_lists.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "order/holders.h"

namespace spillway {
namespace {

class Listing {
 public:
  explicit Listing(const Order& order)
      : order_(order), first_place_(order.event_count() + 1, 0), own_(order.rank_count()) {
    for (std::uint32_t id = 0; id < order.event_count(); ++id) {
      first_place_[id] = static_cast<std::uint32_t>(places_.size());
      if (!stands_beside(event(id))) continue;
      for_each_party(event(id), [&](std::uint32_t rank) { places_.push_back({rank, 0}); });
    }
    first_place_.back() = static_cast<std::uint32_t>(places_.size());
  }

  std::vector<std::vector<EventId>> lists() && {
    for (std::uint32_t id = 0; id < order_.event_count(); ++id) {
      if (stands_beside(event(id)))
        hand_on(id);
      else if (event(id).kind == EventKind::StepBarrier)
        for (auto& own : own_) own.emplace_back(id);
      else
        run(id, event(id).rank.index());
    }
    return merged();
  }

 private:
  // The place of an event beside the computing ones on one of its ranks: the number of events before it.
  struct Place {
    std::uint32_t rank;
    std::uint32_t behind;
  };

  // True for events that communicate, and for those that take no time.
  static bool stands_beside(const Event& event) {
    return !event.computes() && event.kind != EventKind::StepBarrier;
  }

  const Event& event(std::uint32_t id) const { return order_.event(EventId(id)); }

  template <class Visit>
  void for_each_party(const Event& event, const Visit& visit) const {
    for_each_holder(event, order_.rank_count(), visit);
    if (event.transfers()) visit(event.peer_rank.index());
  }

  std::span<Place> places(std::uint32_t id) {
    return std::span(places_).subspan(first_place_[id], first_place_[id + 1] - first_place_[id]);
  }

  // The number of events of rank `of` that rank `by` knows to have ended.
  std::uint32_t& heard(std::uint32_t by, std::uint32_t of) { return heard_[std::uint64_t{by} << 32 | of]; }

  void run(std::uint32_t id, std::uint32_t rank) {
    for (const std::uint32_t before : order_.predecessors(EventId(id)))
      for (const Place& place : places(before))
        if (place.rank != rank) heard(rank, place.rank) = std::max(heard(rank, place.rank), place.behind);
    own_[rank].emplace_back(id);
    for (const std::uint32_t next : order_.successors(EventId(id)))
      for (Place& place : places(next)) {
        const auto ended =
            place.rank == rank ? static_cast<std::uint32_t>(own_[rank].size()) : heard(rank, place.rank);
        place.behind = std::max(place.behind, ended);
      }
  }

  // Passes the place on: events that wait for an event beside the computing ones stand after it.
  void hand_on(std::uint32_t id) {
    for (const std::uint32_t next : order_.successors(EventId(id)))
      for (Place& place : places(next))
        for (const Place& own : places(id))
          if (own.rank == place.rank) place.behind = std::max(place.behind, own.behind);
  }

  // At one place receives come first, and events that may occupy the rank last.
  std::uint32_t turn(const Event& event, std::uint32_t rank) const {
    if (!event.transfers()) return 1;
    return event.peer_rank.index() == rank ? 0 : 2;
  }

  std::vector<std::vector<EventId>> merged() const {
    using Entry = std::tuple<std::uint32_t, std::uint32_t, EventId>;  // behind, turn, event
    std::vector<std::vector<Entry>> entries(own_.size());
    for (std::uint32_t id = 0; id < order_.event_count(); ++id)
      for (std::uint32_t i = first_place_[id]; i < first_place_[id + 1]; ++i)
        entries[places_[i].rank].emplace_back(places_[i].behind, turn(event(id), places_[i].rank), id);
    std::vector<std::vector<EventId>> lists(own_.size());
    for (std::size_t rank = 0; rank < own_.size(); ++rank) {
      std::ranges::sort(entries[rank]);
      auto next = entries[rank].begin();
      for (std::uint32_t ended = 0; ended <= own_[rank].size(); ++ended) {
        for (; next != entries[rank].end() && std::get<0>(*next) == ended; ++next)
          lists[rank].push_back(std::get<EventId>(*next));
        if (ended < own_[rank].size()) lists[rank].push_back(own_[rank][ended]);
      }
    }
    return lists;
  }

  const Order& order_;
  std::vector<std::uint32_t> first_place_;  // by event, one more at the end; of non-computing events
  std::vector<Place> places_;
  std::vector<std::vector<EventId>> own_;  // by rank, in order: its computing events, and the barrier
  std::unordered_map<std::uint64_t, std::uint32_t> heard_;
};

}  // namespace

std::vector<std::vector<EventId>> rank_lists(const Order& order) {
  return Listing(order).lists();
}

}  // namespace spillway
