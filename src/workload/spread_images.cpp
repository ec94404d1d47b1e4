// Spreads the images of a step over all ranks of some replicas: Kimi K2.5's decoupled encoder (arXiv
// 2602.02276, section 4.5). There each device holds the whole encoder and may encode any image.
//
//   drawn    replica 0  rank 0 [9] [2]   spread   replica 0  rank 0 [9] []
//                       rank 1 [1] [1]                       rank 1 [3] [2]
//            replica 1  rank 0 [3] [3]            replica 1  rank 0 [3] [2]
//                       rank 1 [2] [3]                       rank 1 [3] [1 1]
//
// Test: tests/workload/regroup_test.cpp.
#include <algorithm>
#include <vector>

#include "base/error.h"
#include "workload/least_loaded.h"
#include "workload/regroup.h"

namespace spillway {
namespace {

// Spreads the images of some neighbouring replicas over their ranks.
class SpreadImages {
 public:
  SpreadImages(const Draw& draw, std::uint32_t first, std::uint32_t together, std::uint32_t ranks)
      : first_(first), microbatches_(static_cast<std::uint32_t>(draw[first].size())) {
    encoding_ = std::min(ranks, microbatches_);
    bins_ = together * encoding_;
    for (std::uint32_t replica = 0; replica < together; ++replica)
      for (std::uint32_t m = 0; m < microbatches_; ++m)
        for (const MediaItem& item : draw[first + replica][m].media) {
          images_.push_back({item.patches, 0, replica * encoding_ + m % encoding_});
          items_.push_back(item);
          slot_.push_back(m / encoding_);
        }
    rank_of_ = dealt_out_if_better(images_, bins_);
  }

  void into(Regrouped& all) const {
    std::vector<std::vector<DealtItem>> of_rank(bins_);
    std::vector<std::vector<MediaItem>> items(bins_);
    for (std::size_t i = 0; i < images_.size(); ++i) {
      of_rank[rank_of_[i]].push_back({images_[i].weight, 0, home_on(rank_of_[i], i)});
      items[rank_of_[i]].push_back(items_[i]);
    }
    for (std::uint32_t bin = 0; bin < bins_; ++bin) share(of_rank[bin], items[bin], bin, all);
  }

 private:
  // Returns the image's own microbatch if rank `bin` encodes it anyway, and otherwise the rank's first one.
  std::uint32_t home_on(std::uint32_t bin, std::size_t image) const {
    return bin == images_[image].home ? slot_[image] : 0;
  }
  // Returns the number of microbatches that rank `bin` encodes.
  std::uint32_t slots_of(std::uint32_t bin) const {
    return (microbatches_ - bin % encoding_ + encoding_ - 1) / encoding_;
  }

  void share(const std::vector<DealtItem>& images, const std::vector<MediaItem>& items, std::uint32_t bin,
             Regrouped& all) const {
    auto& replica = all.draw[first_ + bin / encoding_];
    const auto load = [&](std::uint32_t slot) -> MicrobatchLoad& {
      return replica[slot * encoding_ + bin % encoding_];
    };
    for (std::uint32_t slot = 0; slot < slots_of(bin); ++slot) {
      load(slot).media.clear();
      load(slot).each.clear();
    }
    const auto slots = dealt_out_if_better(images, slots_of(bin));
    for (std::size_t i = 0; i < images.size(); ++i) load(slots[i]).media.push_back(items[i]);
  }

  std::uint32_t first_, microbatches_;
  std::uint32_t encoding_ = 1, bins_ = 1;  // encoding ranks of one replica, and of all replicas
  std::vector<DealtItem> images_;          // home: bin replica x ranks + rank
  std::vector<MediaItem> items_;           // the images
  std::vector<std::uint32_t> slot_;        // by image: its microbatch among those of its rank
  std::vector<std::uint32_t> rank_of_;     // by image: the bin that encodes it
};

}  // namespace

Regrouped spread(const Draw& draw, std::uint32_t together, std::uint32_t ranks) {
  ensure(together > 0 && draw.size() % together == 0, "groups of as many replicas");
  Regrouped all{draw, {}};
  for (std::uint32_t first = 0; first < draw.size(); first += together)
    SpreadImages(draw, first, together, ranks).into(all);
  return all;
}

}  // namespace spillway
