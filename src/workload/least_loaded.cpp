#include "workload/least_loaded.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/error.h"

namespace spillway {
namespace {

// Sorts items by descending weight; of equal items, those that come first at their homes are first.
std::vector<std::size_t> largest_first(const std::vector<DealtItem>& items, std::uint32_t bins) {
  std::vector<std::uint32_t> place(items.size()), seen(bins, 0);
  for (std::size_t i = 0; i < items.size(); ++i) place[i] = seen[items[i].home]++;
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::tuple(items[b].weight, items[b].second, place[a], items[a].home) <
           std::tuple(items[a].weight, items[a].second, place[b], items[b].home);
  });
  return order;
}

struct Bin {
  std::uint64_t weight = 0, second = 0;
  std::uint32_t items = 0;

  auto load() const { return std::pair(weight, second); }
};

// Returns the home if no bin with room is emptier.
std::uint32_t least_loaded(const std::vector<Bin>& bins, std::uint32_t home, std::uint32_t room) {
  const auto open = [&](std::uint32_t bin) { return room == 0 || bins[bin].items < room; };
  std::uint32_t least = home;
  for (std::uint32_t bin = 0; bin < bins.size(); ++bin)
    if (open(bin) && (!open(least) || bins[bin].load() < bins[least].load())) least = bin;
  ensure(open(least), "there is room for every item");
  return least;
}

std::vector<std::uint64_t> weights(const std::vector<DealtItem>& items,
                                   const std::vector<std::uint32_t>& bin_of, std::uint32_t bins) {
  std::vector<std::uint64_t> sums(bins, 0);
  for (std::size_t i = 0; i < items.size(); ++i) sums[bin_of[i]] += items[i].weight;
  return sums;
}

// Returns the bin that each bin of this turn becomes: the fullest becomes the one with the least before.
std::vector<std::uint32_t> evened_out(const std::vector<std::uint64_t>& now,
                                      const std::vector<std::uint64_t>& before) {
  std::vector<std::uint32_t> fullest(now.size()), emptiest(now.size()), becomes(now.size());
  std::iota(fullest.begin(), fullest.end(), 0U);
  std::iota(emptiest.begin(), emptiest.end(), 0U);
  std::ranges::stable_sort(fullest, [&](std::uint32_t a, std::uint32_t b) { return now[a] > now[b]; });
  std::ranges::stable_sort(emptiest, [&](std::uint32_t a, std::uint32_t b) { return before[a] < before[b]; });
  for (std::size_t i = 0; i < fullest.size(); ++i) becomes[fullest[i]] = emptiest[i];
  const auto most = [&](const auto& bin_after) {
    std::uint64_t largest = 0;
    for (std::uint32_t bin = 0; bin < now.size(); ++bin)
      largest = std::max(largest, before[bin_after(bin)] + now[bin]);
    return largest;
  };
  const auto stays = [](std::uint32_t bin) { return bin; };
  if (most([&](std::uint32_t bin) { return becomes[bin]; }) >= most(stays))
    std::iota(becomes.begin(), becomes.end(), 0U);
  return becomes;
}

}  // namespace

std::vector<std::uint32_t> dealt_out(const std::vector<DealtItem>& items, std::uint32_t bins,
                                     std::uint32_t room) {
  std::vector<Bin> loads(bins);
  std::vector<std::uint32_t> bin_of(items.size());
  for (const std::size_t item : largest_first(items, bins)) {
    Bin& bin = loads[bin_of[item] = least_loaded(loads, items[item].home, room)];
    bin.weight += items[item].weight;
    bin.second += items[item].second;
    ++bin.items;
  }
  return bin_of;
}

FullestBin fullest(const std::vector<DealtItem>& items, const std::vector<std::uint32_t>& bin_of,
                   std::uint32_t bins) {
  std::vector<FullestBin> loads(bins);
  FullestBin most;
  for (std::size_t i = 0; i < items.size(); ++i) {
    FullestBin& bin = loads[bin_of[i]];
    most.weight = std::max(most.weight, bin.weight += items[i].weight);
    most.second = std::max(most.second, bin.second += items[i].second);
  }
  return most;
}

std::vector<std::uint32_t> homes(const std::vector<DealtItem>& items) {
  std::vector<std::uint32_t> all;
  for (const DealtItem& item : items) all.push_back(item.home);
  return all;
}

std::vector<std::uint32_t> dealt_out_if_better(const std::vector<DealtItem>& items, std::uint32_t bins,
                                               std::uint32_t room) {
  std::vector<std::uint32_t> dealt = dealt_out(items, bins, room), drawn = homes(items);
  const FullestBin now = fullest(items, dealt, bins), before = fullest(items, drawn, bins);
  return now.weight < before.weight || (now.weight == before.weight && now.second < before.second) ? dealt
                                                                                                   : drawn;
}

std::vector<std::vector<std::uint32_t>> dealt_out_by_turn(const std::vector<std::vector<DealtItem>>& turns,
                                                          std::uint32_t bins) {
  std::vector<std::vector<std::uint32_t>> dealt, drawn;
  std::vector<std::uint64_t> dealt_sums(bins, 0), drawn_sums(bins, 0);
  for (const std::vector<DealtItem>& items : turns) {
    std::vector<std::uint32_t>& bin_of = dealt.emplace_back(dealt_out_if_better(items, bins));
    const auto becomes = evened_out(weights(items, bin_of, bins), dealt_sums);
    for (std::uint32_t& bin : bin_of) bin = becomes[bin];
    drawn.push_back(homes(items));
    const auto now = weights(items, bin_of, bins), at_home = weights(items, drawn.back(), bins);
    for (std::uint32_t bin = 0; bin < bins; ++bin) {
      dealt_sums[bin] += now[bin];
      drawn_sums[bin] += at_home[bin];
    }
  }
  return std::ranges::max(dealt_sums) < std::ranges::max(drawn_sums) ? dealt : drawn;
}

}  // namespace spillway
