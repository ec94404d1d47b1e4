#include "workload/regroup.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "base/error.h"
#include "workload/least_loaded.h"

namespace spillway {
namespace {

// The unit that moves: a sample, or a sequence of several samples.
struct Unit {
  const MicrobatchLoad* from;
  SampleLoad load;
  std::size_t first_image;  // index of its first image in from->media

  std::span<const MediaItem> images() const {
    return std::span(from->media).subspan(first_image, load.images);
  }
  std::uint64_t patches() const {
    return std::accumulate(images().begin(), images().end(), std::uint64_t{0},
                           [](std::uint64_t sum, const MediaItem& item) { return sum + item.patches; });
  }
};

using Units = std::vector<Unit>;

Units units_of(const MicrobatchLoad& load, Packing packing) {
  if (packing != Packing::Unpacked) {
    const auto images = static_cast<std::uint32_t>(load.media.size());
    return {{&load, {images, load.image_tokens, load.text_tokens, load.audio_tokens}, 0}};
  }
  Units units;
  std::size_t image = 0;
  for (const SampleLoad& sample : load.each) {
    units.push_back({&load, sample, image});
    image += sample.images;
  }
  return units;
}

// Returns the backbone's load of these units in the place of the drawn ones.
MicrobatchLoad backbone_load(const Units& units, Packing packing, const MicrobatchLoad& drawn) {
  if (packing != Packing::Unpacked) {
    ensure(units.size() == 1, "a sequence is moved whole");
    MicrobatchLoad load = *units.front().from;
    load.media.clear();
    load.each.clear();
    return load;
  }
  MicrobatchLoad load{{}, 0, 0, 0, 0, 1, drawn.dropped, {}, {}, packing};
  for (const Unit& unit : units) {
    load.samples += 1;
    load.documents.push_back(unit.load.tokens());
    load.image_tokens += unit.load.image_tokens;
    load.text_tokens += unit.load.text_tokens;
    load.audio_tokens += unit.load.audio_tokens;
  }
  load.sequence_tokens = std::max(load.image_tokens + load.text_tokens + load.audio_tokens, 1U);
  return load;
}

void add_images(const Units& units, MicrobatchLoad& to) {
  for (const Unit& unit : units) to.media.insert(to.media.end(), unit.images().begin(), unit.images().end());
}

// Balances some neighbouring replicas of a draw, microbatch by microbatch.
class BalancedPhases {
 public:
  BalancedPhases(const Draw& draw, Packing packing, std::uint32_t first, std::uint32_t together)
      : draw_(draw), packing_(packing), first_(first), together_(together) {
    for (std::uint32_t m = 0; m < draw[first].size(); ++m) {
      turns_.emplace_back();
      images_.emplace_back();
      samples_.emplace_back();
      for (std::uint32_t bin = 0; bin < together; ++bin)
        for (const Unit& unit : units_of(draw[first + bin][m], packing)) add(unit, bin);
    }
  }

  void into(Regrouped& all) const {
    const auto encoded_in = dealt_out_by_turn(images_, together_);
    // All sequences have the same length.
    const auto passed_in = dealt_out_by_turn(samples_, together_);
    for (std::uint32_t m = 0; m < turns_.size(); ++m) {
      pass(m, passed_in[m], all);
      encode(m, encoded_in[m], passed_in[m], all);
    }
  }

 private:
  struct Turn {
    Units units;
    std::vector<std::size_t> unit_of;  // index of the unit of each image
    std::vector<MediaItem> items;      // the images
  };

  void add(const Unit& unit, std::uint32_t bin) {
    Turn& turn = turns_.back();
    for (const MediaItem& item : unit.images()) {
      images_.back().push_back({item.patches, 0, bin});
      turn.items.push_back(item);
      turn.unit_of.push_back(turn.units.size());
    }
    const std::uint64_t tokens = packing_ == Packing::Unpacked ? unit.load.tokens() : 1;
    samples_.back().push_back({tokens, 0, bin});
    turn.units.push_back(unit);
  }

  void pass(std::uint32_t m, const std::vector<std::uint32_t>& bin_of, Regrouped& all) const {
    std::vector<Units> kept(together_);
    for (std::size_t unit = 0; unit < bin_of.size(); ++unit)
      kept[bin_of[unit]].push_back(turns_[m].units[unit]);
    for (std::uint32_t bin = 0; bin < together_; ++bin)
      all.draw[first_ + bin][m] = backbone_load(kept[bin], packing_, draw_[first_ + bin][m]);
  }

  void encode(std::uint32_t m, const std::vector<std::uint32_t>& encoded_in,
              const std::vector<std::uint32_t>& passed_in, Regrouped& all) const {
    for (std::size_t image = 0; image < encoded_in.size(); ++image) {
      const std::uint32_t from = first_ + encoded_in[image],
                          to = first_ + passed_in[turns_[m].unit_of[image]];
      const std::uint64_t patches = images_[m][image].weight;
      all.draw[from][m].media.push_back(turns_[m].items[image]);
      if (from == to) continue;
      all.traffic[from][m].sent += patches;
      all.traffic[to][m].received += patches;
    }
  }

  const Draw& draw_;
  Packing packing_;
  std::uint32_t first_, together_;
  std::vector<Turn> turns_;                               // by microbatch
  std::vector<std::vector<DealtItem>> images_, samples_;  // by microbatch
};

std::vector<DealtItem> items_of(const Units& units, const std::vector<std::uint32_t>& home) {
  std::vector<DealtItem> items;
  for (std::size_t i = 0; i < units.size(); ++i)
    items.push_back({units[i].patches(), units[i].load.tokens(), home[i]});
  return items;
}

std::uint64_t tokens_of(const Units& units) {
  return std::accumulate(units.begin(), units.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Unit& unit) { return sum + unit.load.tokens(); });
}

// A microbatch of a replica: the units encoded in it, and the units that pass the backbone in it.
struct Cell {
  Units encoded, passed;
};

// Defers units, largest first, as long as that makes the two more even. Returns whether any was deferred.
bool put_off(Cell& heavy, Cell& light) {
  std::uint64_t gap = tokens_of(heavy.passed) - tokens_of(light.passed);
  Units& from = heavy.passed;
  std::ranges::stable_sort(from,
                           [](const Unit& a, const Unit& b) { return a.load.tokens() > b.load.tokens(); });
  const std::size_t before = from.size();
  for (auto unit = from.begin(); unit != from.end();) {
    if (2 * std::uint64_t{unit->load.tokens()} > gap) {
      ++unit;
      continue;
    }
    gap -= 2 * std::uint64_t{unit->load.tokens()};
    light.passed.push_back(*unit);
    unit = from.erase(unit);
  }
  return from.size() < before;
}

// Returns pairs side by side, the heavier one first, if any unit was deferred. Otherwise keeps the given
// order.
std::vector<Cell> deferred(std::vector<Cell> cells) {
  const std::vector<Cell> dealt = cells;
  std::ranges::stable_sort(
      cells, [](const Cell& a, const Cell& b) { return tokens_of(a.passed) > tokens_of(b.passed); });
  bool any = false;
  std::vector<Cell> paired;
  for (std::size_t heavy = 0, light = cells.size() - 1; heavy <= light; ++heavy, --light) {
    if (heavy < light) any |= put_off(cells[heavy], cells[light]);
    paired.push_back(cells[heavy]);
    if (heavy == light) break;
    paired.push_back(cells[light]);
  }
  return any ? paired : dealt;
}

// Redistributes the samples of some neighbouring replicas of a draw.
class DealtReplicas {
 public:
  DealtReplicas(const Draw& draw, Packing packing, std::uint32_t first, std::uint32_t together)
      : draw_(draw),
        packing_(packing),
        first_(first),
        microbatches_(static_cast<std::uint32_t>(draw[first].size())),
        of_(together) {
    Units all;
    std::vector<std::uint32_t> replica, microbatch;
    for (std::uint32_t bin = 0; bin < together; ++bin)
      for (std::uint32_t m = 0; m < microbatches_; ++m)
        for (const Unit& unit : units_of(draw[first + bin][m], packing)) {
          all.push_back(unit);
          replica.push_back(bin);
          microbatch.push_back(m);
        }
    room_ = static_cast<std::uint32_t>(all.size() / together / microbatches_);
    const auto bins = dealt_out_if_better(items_of(all, replica), together, room_ * microbatches_);
    for (std::size_t i = 0; i < all.size(); ++i) {
      of_[bins[i]].units.push_back(all[i]);
      of_[bins[i]].home.push_back(microbatch[i]);
      of_[bins[i]].joined |= bins[i] != replica[i];
    }
  }

  void into(Regrouped& all, Deferral deferral) const {
    for (std::uint32_t bin = 0; bin < of_.size(); ++bin) {
      std::vector<Cell> cells = cells_of(of_[bin]);
      if (deferral == Deferral::Pairwise && packing_ == Packing::Unpacked) cells = deferred(std::move(cells));
      for (std::uint32_t m = 0; m < microbatches_; ++m) {
        MicrobatchLoad& load = all.draw[first_ + bin][m];
        load = backbone_load(cells[m].passed, packing_, draw_[first_ + bin][m]);
        add_images(cells[m].encoded, load);
      }
    }
  }

 private:
  struct Share {
    Units units;
    std::vector<std::uint32_t> home;  // by unit: the microbatch for which it was drawn
    bool joined = false;              // whether it has units of other replicas, which have no place here
  };

  std::vector<Cell> cells_of(const Share& share) const {
    const auto items = items_of(share.units, share.home);
    const std::vector<std::uint32_t> cell_of = share.joined
                                                   ? dealt_out(items, microbatches_, room_)
                                                   : dealt_out_if_better(items, microbatches_, room_);
    std::vector<Cell> cells(microbatches_);
    for (std::size_t i = 0; i < share.units.size(); ++i) cells[cell_of[i]].encoded.push_back(share.units[i]);
    for (Cell& cell : cells) cell.passed = cell.encoded;
    return cells;
  }

  const Draw& draw_;
  Packing packing_;
  std::uint32_t first_, microbatches_;
  std::uint32_t room_ = 1;  // units per microbatch
  std::vector<Share> of_;
};

}  // namespace

Regrouped balanced_by_phase(const Draw& draw, Packing packing, std::uint32_t together) {
  Regrouped all{draw, {}};
  if (packing == Packing::TextOnly) return all;
  ensure(together > 0 && draw.size() % together == 0, "groups of as many replicas");
  for (const auto& replica : draw) all.traffic.emplace_back(replica.size());
  for (std::uint32_t first = 0; first < draw.size(); first += together)
    BalancedPhases(draw, packing, first, together).into(all);
  return all;
}

Regrouped stratified(const Draw& draw, Packing packing, std::uint32_t together, Deferral deferral) {
  Regrouped all{draw, {}};
  if (packing == Packing::TextOnly) return all;
  ensure(together > 0 && draw.size() % together == 0, "groups of as many replicas");
  for (std::uint32_t first = 0; first < draw.size(); first += together)
    DealtReplicas(draw, packing, first, together).into(all, deferral);
  return all;
}

Regrouped pooled(const Draw& draw, std::uint32_t together, std::uint32_t stride) {
  ensure(together > 0 && stride > 0, "microbatches that are encoded at once");
  Regrouped all{draw, {}};
  for (auto& replica : all.draw) {
    const std::size_t block = std::size_t{together} * stride;
    for (std::size_t first = 0; first < replica.size(); ++first) {
      if (first % block >= stride) continue;
      std::vector<MicrobatchLoad*> loads;
      for (std::size_t m = first; loads.size() < together && m < replica.size(); m += stride)
        loads.push_back(&replica[m]);
      std::vector<DealtItem> images;
      std::vector<MediaItem> items;
      for (std::uint32_t bin = 0; bin < loads.size(); ++bin) {
        for (const MediaItem& item : loads[bin]->media) images.push_back({item.patches, 0, bin});
        items.insert(items.end(), loads[bin]->media.begin(), loads[bin]->media.end());
        loads[bin]->media.clear();
        loads[bin]->each.clear();
      }
      const auto bins = dealt_out_if_better(images, static_cast<std::uint32_t>(loads.size()));
      for (std::size_t i = 0; i < images.size(); ++i) loads[bins[i]]->media.push_back(items[i]);
    }
  }
  return all;
}

}  // namespace spillway
