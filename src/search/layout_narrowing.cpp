#include "search/layout_narrowing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>

#include "base/error.h"
#include "cost/network/parallelism.h"
#include "cost/slabs/recomputation.h"
#include "json/word_of.h"

namespace spillway {
namespace {

// In the order of LayoutTally.
constexpr std::array<const char*, 8> kLists{
    "ranks", "tensor", "context", "expert", "microbatch_sequences", "schedules", "recompute", "data"};

}  // namespace

void LayoutTally::add(const PlanLayout& layout, const std::vector<Recompute>& recompute,
                      const std::vector<DataParallel>& data) {
  const std::size_t count = recompute.size() * data.size();
  layouts_ += count;
  const std::array<std::size_t, 6> values{layout.ranks,  layout.tensor,     layout.context,
                                          layout.expert, layout.microbatch, layout.schedule};
  for (std::size_t list = 0; list < values.size(); ++list) by_value_[list][values[list]] += count;
  for (const Recompute one : recompute) by_value_[6][static_cast<std::size_t>(one)] += data.size();
  for (const DataParallel one : data) by_value_[7][static_cast<std::size_t>(one)] += recompute.size();
}

class Narrowing {
 public:
  Narrowing(const PlanJob& job, const LayoutTally& tally, std::size_t most)
      : job_(job), tally_(tally), most_(most) {}

  Violation violation() const {
    const std::size_t list = best_list();
    const Kept kept = kept_of(list);
    std::string expected =
        fmt::format("fewer values, since the lists make {} layouts, more than {}: ", tally_.layouts(), most_);
    if (kept.layouts <= most_)
      expected += fmt::format("with {} they make {}", fmt::join(kept.words, ", "), kept.layouts);
    else
      expected += fmt::format("{} alone makes {}, so another list must be narrowed, too", kept.words.front(),
                              kept.layouts);
    return {job_.path, std::string("/search/") + kLists[list], expected, found(list)};
  }

 private:
  struct Kept {
    std::vector<std::string> words;
    std::size_t layouts = 0;
  };

  // The first values, as many as leave at most `most_` layouts; at least one.
  Kept kept_of(std::size_t list) const {
    Kept kept;
    for (const auto& [value, layouts] : tally_.by_value_[list]) {
      if (!kept.words.empty() && kept.layouts + layouts > most_) break;
      kept.words.push_back(word(list, value));
      kept.layouts += layouts;
    }
    return kept;
  }

  // The most layouts within the limit, or else the fewest beyond it.
  std::size_t best_list() const {
    std::size_t best = 0;
    const auto rank = [&](std::size_t list) {
      const std::size_t layouts = kept_of(list).layouts;
      return std::pair(layouts > most_, layouts > most_ ? layouts : most_ - layouts);
    };
    for (std::size_t list = 1; list < kLists.size(); ++list)
      if (rank(list) < rank(best)) best = list;
    return best;
  }

  std::string word(std::size_t list, std::size_t value) const {
    if (list == 5) return job_.search.schedules[value].name;
    if (list == 6) return std::string(word_of(kRecomputes, static_cast<Recompute>(value)));
    if (list == 7) return std::string(word_of(kDataParallels, static_cast<DataParallel>(value)));
    return std::to_string(value);
  }

  std::string found(std::size_t list) const {
    const JobSearch& search = job_.search;
    const std::array<bool, 8> stated{search.ranks.has_value(),      search.tensor.has_value(),
                                     search.context.has_value(),    search.expert.has_value(),
                                     search.microbatch.has_value(), true,
                                     search.recompute.has_value(),  search.data.has_value()};
    std::vector<std::string> words;
    for (const auto& [value, layouts] : tally_.by_value_[list]) words.push_back(word(list, value));
    return fmt::format("{}{}", stated[list] ? "" : "no list, so ", fmt::join(words, ", "));
  }

  const PlanJob& job_;
  const LayoutTally& tally_;
  const std::size_t most_;
};

void refuse_so_many(const PlanJob& job, const LayoutTally& tally, std::size_t most) {
  throw InputError({Narrowing(job, tally, most).violation()});
}

}  // namespace spillway
