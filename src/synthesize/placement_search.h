// The search for an order of one placement, under the memory of each rank. Private to src/synthesize.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "synthesize/listed_start.h"
#include "synthesize/order_search.h"

namespace spillway {

class PlacementSearch {
 public:
  // `starts` are as_listed() and of one placement. Views `costs`, which outlives it. `limit`: of the memory
  // of each device, in all of these draws and in `only_walked`. `draws`: whose mean step is
  // searched. Contract: at least one start and draw.
  PlacementSearch(const DrawCosts& costs, std::vector<ScheduleSpec> starts, std::optional<Bytes> limit,
                  std::uint64_t seed, std::vector<std::uint32_t> draws,
                  std::vector<std::uint32_t> only_walked = {});
  // The same on the planning draws; those that orders are compared on are walked.
  PlacementSearch(const DrawCosts& costs, std::vector<ScheduleSpec> starts, std::optional<Bytes> limit,
                  std::uint64_t seed);
  PlacementSearch(const PlacementSearch&) = delete;
  PlacementSearch& operator=(const PlacementSearch&) = delete;

  OrderSearch& orders() { return search_; }
  const OrderSearch& orders() const { return search_; }

  const std::vector<ScheduleSpec>& starts() const { return starts_; }
  // The start with the shortest mean step on the searched draws, and that step.
  const ScheduleSpec& nearest() const { return starts_[nearest_]; }
  Seconds named() const { return named_; }

  // No order of the placement that keeps the limit takes less on the searched draws, under these owners.
  Seconds bound() const;
  // The least of the largest peaks of all orders whose memory was walked; nothing if none was.
  std::optional<Bytes> least_memory() const { return least_memory_; }

  // The best order that was found. Contract: orders().found().
  ScheduleSpec found() const { return spec_of(proved_ ? *proved_ : search_.best()); }

  // Tries to prove that no order is faster, with at most `nodes` nodes: for small steps by all active orders
  // under all owners, for others by the bound under the owners that were found. A faster order that is met
  // becomes the best. Returns true if it is proved. Contract: orders().found().
  bool prove(std::uint64_t nodes);

 private:
  std::shared_ptr<const PricedStep> priced(const OwnerMaps& owners);
  OwnedOrder start_of(const ScheduleSpec& spec);
  std::vector<OwnedOrder> all_starts();
  ScheduleSpec spec_of(const OwnedOrder& order) const;
  bool fits(const OwnedOrder& order, OrderSearch::Walked walked);
  const CostModels& other_models();
  std::vector<OwnerMaps> all_owners() const;

  const DrawCosts& costs_;
  const std::vector<ScheduleSpec> starts_;
  const std::optional<Bytes> limit_;
  const std::vector<std::uint32_t> draws_, walked_draws_;
  std::size_t nearest_ = 0;
  Seconds named_;
  std::optional<Bytes> least_memory_;
  std::shared_ptr<const PricedStep> first_;  // whose models price all others
  std::optional<CostModels> other_models_;   // of draws that are walked, and not searched
  OrderSearch search_;
  std::optional<OwnedOrder> proved_;
};

}  // namespace spillway
