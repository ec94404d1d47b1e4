// Regrouping of samples and images: it loses nothing, never raises the largest load and leaves equal samples.
#include "workload/regroup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/property.h"
#include "workload/least_loaded.h"

namespace spillway {
namespace {

// Makes a draw with `samples` samples a microbatch. A sample has up to 3 images of 1 to `most` + 1 tokens and
// up to `most` tokens of text.
Draw random_draw(std::uint32_t replicas, std::uint32_t microbatches, std::uint32_t samples,
                 std::uint32_t most) {
  const auto upto = [](std::uint32_t n) { return *rc::gen::inRange<std::uint32_t>(0, n + 1); };
  Draw draw;
  for (std::uint32_t r = 0; r < replicas; ++r) {
    auto& loads = draw.emplace_back();
    for (std::uint32_t m = 0; m < microbatches; ++m) {
      MicrobatchLoad& load = loads.emplace_back(MicrobatchLoad{{}, samples, 0, 0, 0});
      load.packing = Packing::Unpacked;
      for (std::uint32_t s = 0; s < samples; ++s) {
        SampleLoad sample{upto(3), 0, upto(most)};
        for (std::uint32_t i = 0; i < sample.images; ++i) {
          const std::uint32_t tokens = 1 + upto(most);
          load.media.push_back(4 * tokens);
          sample.image_tokens += tokens;
        }
        load.image_tokens += sample.image_tokens;
        load.text_tokens += sample.text_tokens;
        load.each.push_back(sample);
        load.documents.push_back(sample.tokens());
      }
      load.sequence_tokens = std::max(load.image_tokens + load.text_tokens, 1U);
    }
  }
  return draw;
}

struct DrawnSizes {
  std::uint32_t replicas, microbatches, samples;
};

Draw random_draw(DrawnSizes& sizes) {
  const auto number = [](std::uint32_t low, std::uint32_t high) {
    return *rc::gen::inRange<std::uint32_t>(low, high + 1);
  };
  sizes = {number(1, 4), number(1, 5), number(1, 4)};
  return random_draw(sizes.replicas, sizes.microbatches, sizes.samples, number(0, 40));
}

std::uint64_t patches_of(const MicrobatchLoad& load) {
  std::uint64_t patches = 0;
  for (const MediaItem& item : load.media) patches += item.patches;
  return patches;
}

// The total contents of a draw, wherever they are.
struct Contents {
  std::map<std::uint32_t, std::size_t> images;
  std::uint64_t image_tokens = 0, text_tokens = 0, samples = 0;

  friend bool operator==(const Contents&, const Contents&) = default;
};

Contents contents(const Draw& draw) {
  Contents all;
  for (const auto& replica : draw)
    for (const MicrobatchLoad& load : replica) {
      for (const MediaItem& item : load.media) ++all.images[item.patches];
      all.image_tokens += load.image_tokens;
      all.text_tokens += load.text_tokens;
      all.samples += load.samples;
    }
  return all;
}

void hold_contents(const Draw& before, const Draw& after) {
  RC_ASSERT(before.size() == after.size());
  for (std::size_t r = 0; r < before.size(); ++r) RC_ASSERT(before[r].size() == after[r].size());
  RC_ASSERT(contents(before) == contents(after));
  for (const auto& replica : after)
    for (const MicrobatchLoad& load : replica)
      RC_ASSERT(load.sequence_tokens == std::max(load.image_tokens + load.text_tokens, 1U));
}

Draw without_samples(Draw draw) {
  for (auto& replica : draw)
    for (MicrobatchLoad& load : replica) load.each.clear();
  return draw;
}

// Returns the largest `of` over replicas in one microbatch.
template <class Of>
auto most(const Draw& draw, std::size_t microbatch, const Of& of) {
  auto largest = of(draw.front()[microbatch]);
  for (const auto& replica : draw) largest = std::max(largest, of(replica[microbatch]));
  return largest;
}

RC_GTEST_PROP(BalancedByPhase, LosesNothingAndIsNeverLessEven, ()) {
  DrawnSizes sizes{};
  const Draw draw = random_draw(sizes);
  const Regrouped all = balanced_by_phase(draw, Packing::Unpacked, sizes.replicas);
  hold_contents(draw, all.draw);
  for (std::uint32_t m = 0; m < sizes.microbatches; ++m) {
    RC_ASSERT(most(all.draw, m, patches_of) <= most(draw, m, patches_of));
    const auto tokens = [](const MicrobatchLoad& load) { return load.sequence_tokens; };
    RC_ASSERT(most(all.draw, m, tokens) <= most(draw, m, tokens));
  }
}

// As much is sent as received. A replica needs the patches that it encodes, less those that it sends, plus
// those that it receives.
RC_GTEST_PROP(BalancedByPhase, SendsWhatIsEncodedElsewhere, ()) {
  DrawnSizes sizes{};
  const Draw draw = random_draw(sizes);
  const Regrouped all = balanced_by_phase(draw, Packing::Unpacked, sizes.replicas);
  for (std::uint32_t m = 0; m < sizes.microbatches; ++m) {
    std::uint64_t sent = 0, received = 0;
    for (std::uint32_t r = 0; r < sizes.replicas; ++r) {
      const SeamTraffic& traffic = all.traffic[r][m];
      sent += traffic.sent;
      received += traffic.received;
      const MicrobatchLoad& load = all.draw[r][m];
      RC_ASSERT(patches_of(load) + traffic.received == 4 * std::uint64_t{load.image_tokens} + traffic.sent);
    }
    RC_ASSERT(sent == received);
  }
}

RC_GTEST_PROP(BalancedByPhase, LeavesSequencesAndOtherGroupsAlone, ()) {
  DrawnSizes sizes{};
  const Draw draw = random_draw(sizes);
  RC_ASSERT(balanced_by_phase(draw, Packing::Unpacked, 1).draw == without_samples(draw));
  const Draw packed = balanced_by_phase(draw, Packing::Packed, sizes.replicas).draw;
  for (std::uint32_t r = 0; r < sizes.replicas; ++r)
    for (std::uint32_t m = 0; m < sizes.microbatches; ++m) {
      RC_ASSERT(packed[r][m].sequence_tokens == draw[r][m].sequence_tokens);
      RC_ASSERT(packed[r][m].image_tokens == draw[r][m].image_tokens);
    }
}

// Every sample has one image of the same size and the same amount of text.
RC_GTEST_PROP(Regrouping, LeavesEqualSamplesWhereTheyWere, ()) {
  const auto number = [](std::uint32_t low, std::uint32_t high) {
    return *rc::gen::inRange<std::uint32_t>(low, high + 1);
  };
  const std::uint32_t samples = number(1, 4);
  const MicrobatchLoad load{std::vector<MediaItem>(samples, 16),
                            samples,
                            4 * samples,
                            3 * samples,
                            7 * samples,
                            1,
                            {},
                            std::vector<SampleLoad>(samples, {1, 4, 3}),
                            std::vector<std::uint32_t>(samples, 7),
                            Packing::Unpacked};
  const Draw draw(number(1, 4), std::vector<MicrobatchLoad>(number(1, 5), load));
  const auto replicas = static_cast<std::uint32_t>(draw.size());
  const Regrouped phases = balanced_by_phase(draw, Packing::Unpacked, replicas);
  RC_ASSERT(phases.draw == without_samples(draw));
  for (const auto& replica : phases.traffic)
    for (const SeamTraffic& traffic : replica) RC_ASSERT(traffic == SeamTraffic{});
  RC_ASSERT(stratified(draw, Packing::Unpacked, replicas, Deferral::Pairwise).draw == without_samples(draw));
  RC_ASSERT(pooled(draw, number(1, 3), number(1, 3)).draw == without_samples(draw));
}

RC_GTEST_PROP(Stratified, LosesNothingAndIsNeverLessEven, ()) {
  DrawnSizes sizes{};
  const Draw draw = random_draw(sizes);
  const auto all = [](const auto& replica) {
    std::uint64_t sum = 0;
    for (const MicrobatchLoad& load : replica) sum += patches_of(load);
    return sum;
  };
  for (const Deferral deferral : {Deferral::None, Deferral::Pairwise}) {
    const Regrouped dealt = stratified(draw, Packing::Unpacked, sizes.replicas, deferral);
    hold_contents(draw, dealt.draw);
    std::uint64_t before = 0, after = 0;
    for (std::uint32_t r = 0; r < sizes.replicas; ++r) {
      before = std::max(before, all(draw[r]));
      after = std::max(after, all(dealt.draw[r]));
      if (deferral == Deferral::None)
        for (const MicrobatchLoad& load : dealt.draw[r]) RC_ASSERT(load.samples == sizes.samples);
    }
    RC_ASSERT(after <= before);
  }
}

// Deferral never makes the microbatch with most tokens heavier, and never moves an image.
RC_GTEST_PROP(Stratified, DefersTokensAlone, ()) {
  DrawnSizes sizes{};
  const Draw draw = random_draw(sizes);
  const Draw dealt = stratified(draw, Packing::Unpacked, 1, Deferral::None).draw;
  const Draw put_off = stratified(draw, Packing::Unpacked, 1, Deferral::Pairwise).draw;
  for (std::uint32_t r = 0; r < sizes.replicas; ++r) {
    const auto encoded = [](const auto& replica) {
      std::multiset<std::uint64_t> sums;
      for (const MicrobatchLoad& load : replica) sums.insert(patches_of(load));
      return sums;
    };
    RC_ASSERT(encoded(dealt[r]) == encoded(put_off[r]));
    const auto longest = [](const auto& replica) {
      std::uint32_t tokens = 0;
      for (const MicrobatchLoad& load : replica) tokens = std::max(tokens, load.sequence_tokens);
      return tokens;
    };
    RC_ASSERT(longest(put_off[r]) <= longest(dealt[r]));
  }
}

// By hand: patches are as even as they can be, and the microbatches have 38 and 70 tokens. Deferral moves 10
// of the 70 to the other microbatch, which then comes right after the one that encodes them.
TEST(Stratified, PutsOffWhatMakesTwoMicrobatchesMoreEven) {
  const MicrobatchLoad light{{32, 8}, 2, 10, 28, 38, 1, {}, {{1, 8, 0}, {1, 2, 28}}};
  const MicrobatchLoad heavy{{40, 4}, 2, 11, 59, 70, 1, {}, {{1, 10, 0}, {1, 1, 59}}};
  const Draw put_off = stratified({{light, heavy}}, Packing::Unpacked, 1, Deferral::Pairwise).draw;
  EXPECT_EQ(put_off[0][0].media, (std::vector<MediaItem>{40, 4}));
  EXPECT_EQ(put_off[0][0].sequence_tokens, 60u);
  EXPECT_EQ(put_off[0][1].media, (std::vector<MediaItem>{32, 8}));
  EXPECT_EQ(put_off[0][1].sequence_tokens, 48u);
  EXPECT_EQ(put_off[0][0].documents, (std::vector<std::uint32_t>{60}));
  EXPECT_EQ(put_off[0][1].documents, (std::vector<std::uint32_t>{8, 30, 10}));
}

// Two replicas have images of 9 and 1, and of 3 and 3 tokens. The 9 stays, and the 1 goes to the threes.
TEST(BalancedByPhase, SpreadsImagesLargestFirst) {
  const auto load = [](std::uint32_t a, std::uint32_t b) {
    return MicrobatchLoad{{4 * a, 4 * b}, 1, a + b, 0, a + b, 1, {}, {{2, a + b, 0}}};
  };
  const Regrouped all = balanced_by_phase({{load(9, 1)}, {load(3, 3)}}, Packing::Unpacked, 2);
  EXPECT_EQ(all.draw[0][0].media, (std::vector<MediaItem>{36}));
  EXPECT_EQ(all.draw[1][0].media, (std::vector<MediaItem>{4, 12, 12}));
  EXPECT_EQ(all.traffic[0][0], (SeamTraffic{0, 4}));
  EXPECT_EQ(all.traffic[1][0], (SeamTraffic{4, 0}));
  EXPECT_EQ(all.draw[0][0].sequence_tokens, 10u);
}

// Microbatches 0 and 2 form one batch, 1 and 3 the other.
TEST(Pooled, EvensOutWhatIsEncodedAtOnce) {
  const auto load = [](std::vector<MediaItem> patches) {
    return MicrobatchLoad{std::move(patches), 1, 1, 1, 2};
  };
  const Draw draw = {{load({6, 6}), load({1}), load({}), load({2})}};
  const Draw all = pooled(draw, 2, 2).draw;
  EXPECT_EQ(all[0][0].media, (std::vector<MediaItem>{6}));
  EXPECT_EQ(all[0][2].media, (std::vector<MediaItem>{6}));
  EXPECT_EQ(all[0][1].media, (std::vector<MediaItem>{1}));
  EXPECT_EQ(all[0][3].media, (std::vector<MediaItem>{2}));
}

// Graham's bound, against the best of all assignments.
RC_GTEST_PROP(DealtOut, IsWithinFourThirdsOfTheLeast, ()) {
  const auto bins = *rc::gen::inRange<std::uint32_t>(1, 4);
  const auto count = *rc::gen::inRange<std::uint32_t>(1, 8);
  std::vector<DealtItem> items;
  for (std::uint32_t i = 0; i < count; ++i)
    items.push_back({*rc::gen::inRange<std::uint64_t>(0, 30), 0, *rc::gen::inRange<std::uint32_t>(0, bins)});
  std::uint64_t least = UINT64_MAX;
  std::vector<std::uint32_t> tried(count, 0);
  for (bool more = true; more;) {
    least = std::min(least, fullest(items, tried, bins).weight);
    std::size_t i = 0;
    while (i < count && ++tried[i] == bins) tried[i++] = 0;
    more = i < count;
  }
  const std::uint64_t found = fullest(items, dealt_out(items, bins), bins).weight;
  RC_ASSERT(found >= least && 3 * found <= 4 * least);
}

// Returns the patches that each rank encodes, by replica and rank. Rank m mod P encodes microbatch m.
std::vector<std::vector<std::uint64_t>> by_rank(const Draw& draw, std::uint32_t ranks) {
  std::vector<std::vector<std::uint64_t>> all;
  for (const auto& replica : draw) {
    auto& sums = all.emplace_back(ranks);
    for (std::size_t m = 0; m < replica.size(); ++m) sums[m % ranks] += patches_of(replica[m]);
  }
  return all;
}

std::uint64_t fullest_rank(const std::vector<std::vector<std::uint64_t>>& sums, std::size_t first,
                           std::size_t count) {
  std::uint64_t most = 0;
  for (std::size_t r = first; r < first + count; ++r)
    most = std::max(most, *std::max_element(sums[r].begin(), sums[r].end()));
  return most;
}

// No rank has more than the mean plus the largest image. Images stay in their group, and the backbone's
// microbatches stay as drawn.
RC_GTEST_PROP(Spread, EvensOutRanksAndMovesImagesAlone, ()) {
  DrawnSizes sizes;
  const Draw drawn = random_draw(sizes);
  const std::uint32_t ranks = *rc::gen::inRange<std::uint32_t>(1, 5);
  const std::uint32_t together = *rc::gen::element(1U, sizes.replicas);
  const Draw made = spread(drawn, together, ranks).draw;
  RC_ASSERT(contents(made) == contents(drawn));
  for (std::size_t r = 0; r < drawn.size(); ++r)
    for (std::size_t m = 0; m < drawn[r].size(); ++m) {
      RC_ASSERT(made[r][m].image_tokens == drawn[r][m].image_tokens);
      RC_ASSERT(made[r][m].text_tokens == drawn[r][m].text_tokens);
      RC_ASSERT(made[r][m].sequence_tokens == drawn[r][m].sequence_tokens);
    }
  const std::uint32_t encoding = std::min(ranks, sizes.microbatches);
  const auto before = by_rank(drawn, ranks), after = by_rank(made, ranks);
  for (std::size_t first = 0; first < drawn.size(); first += together) {
    const auto begin = static_cast<std::ptrdiff_t>(first);
    const Draw group(drawn.begin() + begin, drawn.begin() + begin + together),
        moved(made.begin() + begin, made.begin() + begin + together);
    RC_ASSERT(contents(group) == contents(moved));
    std::uint64_t all = 0, largest = 0;
    for (const auto& [patches, count] : contents(group).images) {
      all += std::uint64_t{patches} * count;
      largest = std::max<std::uint64_t>(largest, patches);
    }
    const std::uint64_t most = fullest_rank(after, first, together);
    RC_ASSERT(most <= fullest_rank(before, first, together));
    RC_ASSERT(most * together * encoding <= all + largest * together * encoding);
  }
}

// Images of 36, 12, 12 and 4 patches are spread over two ranks with two microbatches each.
TEST(Spread, PutsTheLargestWhereThereIsLeast) {
  const auto load = [](std::vector<MediaItem> patches) {
    return MicrobatchLoad{std::move(patches), 1, 0, 0, 1};
  };
  const Draw made = spread({{load({4, 12}), load({}), load({36}), load({12})}}, 1, 2).draw;
  EXPECT_EQ(by_rank(made, 2), (std::vector<std::vector<std::uint64_t>>{{36, 28}}));
}

}  // namespace
}  // namespace spillway
