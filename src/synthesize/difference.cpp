#include "synthesize/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/text.h"

namespace spillway {
namespace {

using SlotKey = std::tuple<Action, std::uint32_t, MicrobatchId>;

SlotKey key_of(const Slot& slot) {
  return {slot.action, slot.chunk, slot.microbatch};
}

const std::vector<RankOrder>& orders_of(const ScheduleSpec& listed) {
  return (*listed.schedule.skeletons.back().listed)->orders;
}

std::uint32_t inside(const ScheduleSpec& listed, bool backward) {
  if (!listed.encodes) return 0;
  std::uint32_t count = 0;
  for (std::size_t rank = 0; rank < listed.encodes->placed.size(); ++rank)
    for (const PlacedPass& pass : listed.encodes->placed[rank])
      if (pass.backward == backward && pass.before > 0 && pass.before < orders_of(listed)[rank].size())
        ++count;
  return count;
}

// By pass: the one before it on its rank, if there is one.
std::map<SlotKey, std::optional<SlotKey>> before_each(const RankOrder& order) {
  std::map<SlotKey, std::optional<SlotKey>> before;
  std::optional<SlotKey> last;
  for (const Slot& slot : order) {
    before[key_of(slot)] = last;
    last = key_of(slot);
  }
  return before;
}

// Returns how many passes stay if the fewest move: the longest ascending part of their old places. Patience
// sorting, C. Schensted, "Longest increasing and decreasing subsequences" (1961).
std::size_t staying(const RankOrder& named, const RankOrder& found) {
  std::map<SlotKey, std::size_t> place;
  for (const Slot& slot : named) place.emplace(key_of(slot), place.size());
  std::vector<std::size_t> ends;  // of the best part of each length, its last old place
  for (const Slot& slot : found) {
    const auto was = place.find(key_of(slot));
    if (was == place.end()) continue;
    const auto at = std::ranges::lower_bound(ends, was->second);
    if (at == ends.end())
      ends.push_back(was->second);
    else
      *at = was->second;
  }
  return ends.size();
}

std::uint32_t other_owners(const ScheduleSpec& named, const ScheduleSpec& found) {
  std::uint32_t count = 0;
  for (std::size_t input = 0; found.encodes && input < found.encodes->owners.size(); ++input)
    for (std::size_t m = 0; m < found.encodes->owners[input].size(); ++m)
      if (found.encodes->owners[input][m] != named.encodes->owners[input][m]) ++count;
  return count;
}

}  // namespace

OrderDifference difference(const ScheduleSpec& named, const ScheduleSpec& found) {
  OrderDifference all{.owners = other_owners(named, found),
                      .encodes_inside = inside(found, false),
                      .backwards_inside = inside(found, true),
                      .named_encodes_inside = inside(named, false),
                      .named_backwards_inside = inside(named, true)};
  for (std::size_t rank = 0; rank < orders_of(found).size(); ++rank) {
    const RankOrder &was_order = orders_of(named)[rank], &is_order = orders_of(found)[rank];
    all.changed_place += static_cast<std::uint32_t>(is_order.size() - staying(was_order, is_order));
    const auto known = before_each(was_order);
    for (const auto& [slot, before] : before_each(is_order)) {
      ++all.passes;
      const auto was = known.find(slot);
      if (was != known.end() && was->second == before) continue;
      ++all.moved;
      if (std::get<Action>(slot) == Action::BackwardWeight) ++all.moved_weights;
    }
  }
  return all;
}

std::string difference_text(const OrderDifference& one, std::uint32_t encodes) {
  std::vector<std::string> parts;
  if (one.owners > 0)
    parts.push_back(fmt::format("{} of {} encodes run on other ranks", one.owners, encodes));
  if (one.encodes_inside != one.named_encodes_inside)
    parts.push_back(fmt::format("{} encodes run inside the pipeline instead of {}", one.encodes_inside,
                                one.named_encodes_inside));
  if (one.backwards_inside != one.named_backwards_inside)
    parts.push_back(fmt::format("{} of their backwards run inside it instead of {}", one.backwards_inside,
                                one.named_backwards_inside));
  if (one.moved > 0)
    parts.push_back(
        fmt::format("{} of {} pipelined passes follow another pass than before", one.moved, one.passes));
  if (one.moved_weights > 0)
    parts.push_back(fmt::format("{} of these are weight gradients", one.moved_weights));
  return parts.empty() ? "nothing" : joined(parts, "; ");
}

}  // namespace spillway
