// Causes that are numbers. Their published values and sources are in docs/explain.md.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "explain/gap_kinds.h"
#include "explain/solve_gap.h"
#include "explain/would_help.h"

namespace spillway {
namespace {

// A thread of Grace over one of the x86 hosts for which frameworks state their times: 0.364 and 0.406. A
// kernel's launch by PyTorch takes 5 to 25 us in public, and 8.0 are stated: 0.32 to 1.6.
constexpr double kHost = 0.4, kSlowestHost = 0.32, kFastestHost = 1.6;
// The least that a platform keeps of its rates in a long run, and the most: a peak that keeps everything.
constexpr double kCompute = 0.8, kFastestCompute = 1.25;
// What collectives keep of their rate on Ascend 910B, and a link of half its speed.
constexpr double kLinks = 0.6, kHalfLinks = 0.5, kFastestLinks = 1.25;
// Jobs on 10,000 GPUs that had slow devices took 1.34 times as long in the mean (arXiv 2410.12588).
constexpr double kStraggler = 1.34, kSlowestStraggler = 2;
constexpr std::uint32_t kMostStragglers = 8;  // ranks that are tried, beside the busiest
// The longest time between steps of a framework that does not state it (cost/unknowns.cpp).
constexpr double kBetweenMs = 60;
// The busiest device of a group of experts, over the mean (arXiv 2606.04101).
constexpr double kUneven = 1.3, kMostUneven = 4;

void add_factor(const GapJob& job, GapCauses& causes, std::string words, const std::string& pointer,
                GapScale scale, double plausibility = kOpenPlausibility) {
  const std::string statement = job.states(pointer) ? pointer : "";
  causes.push_back({std::move(words),
                    statement,
                    job.unless_stated(pointer, plausibility),
                    {},
                    std::move(scale),
                    [pointer](double value) {
                      return std::vector<Setting>{{pointer, number_in_words(value)}};
                    }});
}

// The experiment states the rates that a long run keeps where it changes its platform.
void add_compute(const GapJob& job, GapCauses& causes) {
  const std::string pointer = "/what_if/compute_speed", sustained = "/accelerator/sustained";
  const bool stated = job.states(child("/platform_set", sustained)) || job.states("/platform" + sustained);
  add_factor(job, causes, "devices compute at {} times their speed", pointer,
             {1, kCompute, kFastestCompute, {kCompute}, true},
             stated ? kStatedPlausibility : kOpenPlausibility);
}

void add_hosts(const GapJob& job, GapCauses& causes) {
  if (job.costs())
    add_factor(job, causes, "hosts run at {} times their speed", "/what_if/host_speed",
               {1, kSlowestHost, kFastestHost, {kHost}, true});
}

void add_links(const GapJob& job, GapCauses& causes) {
  const GapScale scale{1, kHalfLinks, kFastestLinks, {kLinks, kHalfLinks}, true};
  if (!job.costs())
    return add_factor(job, causes, "links run at {} times their speed", "/what_if/link_speed", scale);
  const Platform& platform = job.costs()->platform;
  for (const NetworkPort& port : platform.ports)
    add_factor(job, causes, words_for_links(platform, port) + " run at {} times their speed",
               child("/what_if/port_speed", port.name), scale);
}

// The busiest rank, and others that lie evenly.
std::vector<std::uint32_t> ranks_of_stragglers(const GapJob& job) {
  const auto busiest = static_cast<std::uint32_t>(job.busiest.index());
  const std::uint32_t ranks = job.experiment.pipeline.ranks, step = (ranks - 1) / kMostStragglers + 1;
  std::vector<std::uint32_t> all = {busiest};
  for (std::uint32_t rank = 0; rank < ranks; rank += step)
    if (rank != busiest) all.push_back(rank);
  return all;
}

void add_straggler(const GapJob& job, std::uint32_t on, GapCauses& causes) {
  const std::string pointer = "/what_if/straggler", rank = std::to_string(on);
  causes.push_back({"a straggler: passes of rank " + rank + " take {} times as long",
                    job.states(pointer) ? pointer : "",
                    job.unless_stated(pointer),
                    {},
                    GapScale{1, kSlowestStraggler, 1, {kStraggler}, false},
                    [pointer, rank](double time) {
                      return std::vector<Setting>{
                          {pointer, fmt::format(R"({{"rank":{},"time":{}}})", rank, number_in_words(time))}};
                    }});
}

void add_late_data(const GapJob& job, GapCauses& causes) {
  add_factor(job, causes, "the data loader, or what else is between steps, takes {} ms",
             "/what_if/between_steps_ms", {0, kBetweenMs, 0, {kBetweenMs}, false});
}

void add_routing(const GapJob& job, GapCauses& causes) {
  if (!job.costs() || job.costs()->parallelism.expert <= 1) return;
  const Parallelism& by = job.costs()->parallelism;
  const double most = std::min<double>(kMostUneven, by.expert);
  add_factor(job, causes, "the busiest device of experts gets {} times the mean",
             "/parallel/expert_imbalance",
             {by.expert_imbalance, std::max(most, by.expert_imbalance), 1, {kUneven, most}, false});
}

}  // namespace

void add_scales(const GapJob& job, GapCauses& causes) {
  add_compute(job, causes);
  add_hosts(job, causes);
  add_links(job, causes);
  // One rank that is slow is a job that computes slower.
  if (job.experiment.pipeline.ranks > 1)
    for (const std::uint32_t rank : ranks_of_stragglers(job)) add_straggler(job, rank, causes);
  add_late_data(job, causes);
  add_routing(job, causes);
}

}  // namespace spillway
