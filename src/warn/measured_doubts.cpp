#include "warn/measured_doubts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "cost/slabs/pass_flops.h"
#include "draws/measured_layers.h"
#include "memory/memory_text.h"
#include "warn/warnings.h"

namespace spillway {
namespace {

constexpr double kFarFromRoofline = 100;
constexpr double kPeakRounding = 1.05;  // measured peaks are not exact
constexpr double kHalves = 1.5;
constexpr double kLeastFall = 0.05;  // a share of the smaller value
constexpr double kSpreads = 3;

// "320", without digits that say nothing.
std::string factor_text(double factor) {
  return std::to_string(std::llround(factor));
}

// What grows with the content of a microbatch.
using ContentSize = std::array<double, 4>;  // tokens, pairs of them, patches, pairs of them

// The mean of several microbatches.
ContentSize size_of(const std::vector<ReadContent>& contents) {
  ContentSize size{};
  for (const ReadContent& content : contents) {
    for (const auto& [length, count] : content.sequences) {
      size[0] += length * count;
      size[1] += length * length * count;
    }
    for (const auto& [length, count] : content.images) {
      size[2] += length * count;
      size[3] += length * length * count;
    }
  }
  for (double& sum : size) sum /= static_cast<double>(contents.size());
  return size;
}

// "passes.csv: line 3: the forward of 2048 tokens"
std::string described(const MeasuredGroup& group) {
  constexpr std::array<const char*, 4> names = {"forward", "backward", "input_gradient", "weight_gradient"};
  const auto [tokens, token_pairs, patches, patch_pairs] = size_of(group.contents);
  std::string text = group.where + ": the " + names[static_cast<std::size_t>(group.pass)] + " of";
  if (tokens > 0) text += ' ' + std::to_string(std::llround(tokens)) + " tokens";
  if (patches > 0) text += (tokens > 0 ? " and " : " ") + std::to_string(std::llround(patches)) + " patches";
  return text;
}

// The worst doubt of one kind, and how many there are.
struct Worst {
  double badness = 0;
  std::string text;
  std::size_t count = 0;

  void add(double bad, std::string sentence) {
    ++count;
    if (bad <= badness) return;
    badness = bad;
    text = std::move(sentence);
  }
  void append_to(std::vector<Warning>& all) const {
    if (count == 0) return;
    const std::string others = count > 1 ? " (and " + std::to_string(count - 1) + " more like it)" : "";
    all.push_back({kMeasuredDoubt, text + others});
  }
};

bool is_less(const ContentSize& a, const ContentSize& b) {
  return a != b && std::ranges::equal(a, b, std::less_equal());
}

DeviceLoad load_of(const LayerCost& cost, const std::vector<std::pair<double, double>>& lengths) {
  DeviceLoad load{0, 0, 0.0};
  for (const auto& [length, count] : lengths) {
    load.tokens += length * count;
    load.pairs += length * length * count;
    *load.windowed += count * cost.windowed_pairs(length);
  }
  return load;
}

class Doubts {
 public:
  Doubts(const Experiment& experiment, const MeasuredLayers& measured)
      : experiment_(experiment),
        costs_(measured.costs()),
        groups_(measured.groups()),
        spread_(spread_of_repeats(*on_platform(experiment.costs)->measured)) {}

  std::vector<Warning> all() const {
    std::vector<Warning> warnings;
    beyond_peak().append_to(warnings);
    far_from_roofline().append_to(warnings);
    halves().append_to(warnings);
    falling_times().append_to(warnings);
    return warnings;
  }

 private:
  // The time that the products of a pass take on one device at its peak; what devices share is divided.
  Seconds at_peak(const MeasuredGroup& group) const {
    Flops flops;
    const auto count = static_cast<double>(group.contents.size());
    for (std::size_t block = 0; block < costs_.blocks.size(); ++block) {
      const LayerRange part = experiment_.model.part_of(block, group.layers);
      if (part.size() == 0) continue;
      const SharedStack stack = costs_.stacks->trained(costs_.blocks[block].trained());
      const std::uint32_t first = part.first - experiment_.model.layers_of(block).first;
      const LayerCost cost = cost_of(std::span(stack->layers).subspan(first, part.size()));
      const Gradients wanted = gradients_of(experiment_.model, block);
      for (const ReadContent& content : group.contents) {
        const auto& lengths = stack->unit == LoadUnit::Patch ? content.images : content.sequences;
        flops += pass_flops(cost, wanted, group.pass, load_of(cost, lengths)) / count;
      }
    }
    return flops / peak() / costs_.parallelism.members();
  }

  // The highest of the formats that the job multiplies in.
  FlopsPerSecond peak() const {
    const Accelerator& device = costs_.platform.accelerator;
    FlopsPerSecond peak = device.peak.value;
    const bool narrow = std::ranges::any_of(
        costs_.blocks, [](const BlockCosts& block) { return block.precision.narrow_products(); });
    if (narrow && device.fp8_peak) peak = std::max(peak, device.fp8_peak->value);
    if (narrow && device.fp4_peak) peak = std::max(peak, device.fp4_peak->value);
    return peak;
  }

  Worst beyond_peak() const {
    Worst worst;
    for (const MeasuredGroup& group : groups_) {
      const Seconds least = at_peak(group);
      if (group.mean() * kPeakRounding >= least) continue;
      worst.add(
          least / group.mean(),
          described(group) + " takes " + seconds_text(group.mean()) + ", and its products alone " +
              seconds_text(least) + " at the peak of " + costs_.platform.name +
              ": the times are in another unit than milliseconds, of other layers or sizes, or the peak "
              "is stated too low");
    }
    return worst;
  }

  Worst far_from_roofline() const {
    Worst worst;
    for (const MeasuredGroup& group : groups_) {
      if (group.roofline == Seconds() || group.mean() < group.roofline * kFarFromRoofline) continue;
      const double factor = group.mean() / group.roofline;
      worst.add(factor, described(group) + " takes " + seconds_text(group.mean()) + ", " +
                            factor_text(factor) + " times the " + seconds_text(group.roofline) +
                            " of the roofline: the times are in another unit than milliseconds, or of other "
                            "layers or sizes");
    }
    return worst;
  }

  const MeasuredGroup* same(const MeasuredGroup& group, Pass pass) const {
    const auto found = std::ranges::find_if(groups_, [&](const MeasuredGroup& one) {
      return one.pass == pass && one.counts == group.counts && one.contents == group.contents;
    });
    return found == groups_.end() ? nullptr : &*found;
  }

  Worst halves() const {
    Worst worst;
    for (const MeasuredGroup& whole : groups_) {
      if (whole.pass != Pass::Backward) continue;
      const MeasuredGroup *input = same(whole, Pass::InputGradient),
                          *weight = same(whole, Pass::WeightGradient);
      if (!input || !weight) continue;
      const Seconds sum = input->mean() + weight->mean();
      const double factor = sum / whole.mean(), badness = std::max(factor, 1 / factor);
      if (badness <= kHalves) continue;
      worst.add(badness, described(whole) + " takes " + seconds_text(whole.mean()) +
                             ", and its input_gradient and weight_gradient, measured apart, " +
                             seconds_text(sum) + " together: they contradict each other");
    }
    return worst;
  }

  Worst falling_times() const {
    const double fall = std::max(kLeastFall, kSpreads * spread_);
    Worst worst;
    for (const MeasuredGroup& small : groups_)
      for (const MeasuredGroup& large : groups_) {
        if (small.pass != large.pass || small.counts != large.counts) continue;
        if (!is_less(size_of(small.contents), size_of(large.contents))) continue;
        if (small.mean() <= large.mean() * (1 + fall)) continue;
        worst.add(small.mean() / large.mean(), described(large) + " takes " + seconds_text(large.mean()) +
                                                   ", less than the " + seconds_text(small.mean()) +
                                                   " of a smaller microbatch (" + small.where + ")");
      }
    return worst;
  }

  const Experiment& experiment_;
  const AnalyticCosts& costs_;
  std::vector<MeasuredGroup> groups_;
  double spread_;
};

// One forward whose kept bytes were measured.
struct KeptForward {
  const MeasuredPass* pass;
  ContentSize size;
  Bytes mean;
};

KeptForward kept_forward(const MeasuredPass& pass) {
  std::vector<ReadContent> contents(pass.sizes.size());
  for (std::size_t i = 0; i < contents.size(); ++i) {
    for (const std::uint32_t tokens : pass.sizes[i].sequences) contents[i].sequences.emplace_back(tokens, 1);
    for (const std::uint32_t patches : pass.sizes[i].patches) contents[i].images.emplace_back(patches, 1);
  }
  Bytes sum;
  for (const Bytes bytes : pass.kept) sum += bytes;
  return {&pass, size_of(contents), sum / static_cast<double>(pass.kept.size())};
}

Worst falling_bytes(const PassTable& measured) {
  std::vector<KeptForward> all;
  for (const MeasuredPass& pass : measured.passes)
    if (!pass.kept.empty()) all.push_back(kept_forward(pass));
  Worst worst;
  for (const KeptForward& small : all)
    for (const KeptForward& large : all) {
      if (small.pass->layers != large.pass->layers || !is_less(small.size, large.size)) continue;
      if (small.mean <= large.mean * (1 + kLeastFall)) continue;
      worst.add(small.mean / large.mean, large.pass->where + ": the forward keeps " + bytes_text(large.mean) +
                                             ", less than the " + bytes_text(small.mean) +
                                             " of a smaller microbatch (" + small.pass->where + ")");
    }
  return worst;
}

}  // namespace

std::vector<Warning> measured_doubts(const Experiment& experiment) {
  const AnalyticCosts* costs = on_platform(experiment.costs);
  if (!costs || !costs->measured) return {};
  const MeasuredLayers measured(*costs, experiment.model, experiment.pipeline);
  std::vector<Warning> warnings = Doubts(experiment, measured).all();
  falling_bytes(*costs->measured).append_to(warnings);
  return warnings;
}

}  // namespace spillway
