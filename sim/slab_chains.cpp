#include "sim/slab_chains.h"

#include <algorithm>

namespace spillway {

SlabChains::SlabChains(const std::vector<SlabSteps>& steps, Cluster& cluster, Activities& activities,
                       const SlowMotion& time, std::function<void(Token)> done)
    : cluster_(cluster),
      activities_(activities),
      time_(time),
      done_(std::move(done)),
      steps_(steps),
      own_(static_cast<Token>(steps.size())) {}

Bytes SlabChains::largest_flow() const {
  Bytes most;
  for (const SlabSteps& steps : steps_)
    for (const auto* chain : {&steps.exposed, &steps.hidden})
      for (const SlabStep& step : *chain)
        for (const StepFlow& flow : step.flows) most = std::max(most, flow.bytes);
  return most;
}

void SlabChains::start(Activities::Device& device, Seconds length, Token event) {
  const SlabSteps& steps = steps_[event];
  const Token exposed = open(event, steps.exposed);
  chain(exposed).flowing = 1;
  if (!steps.hidden.empty()) proceed(open(event, steps.hidden));
  const Seconds computing = length - steps.exposed_time;
  if (computing <= Seconds(0)) return part_done(exposed);
  activities_.compute(device, time_.engine(computing), exposed);
}

SlabChains::Token SlabChains::open(Token event, const std::vector<SlabStep>& steps) {
  const Chain opened{event, &steps, 0, 0};
  if (free_.empty()) {
    chains_.push_back(opened);
    return own_ + static_cast<Token>(chains_.size() - 1);
  }
  const Token token = free_.back();
  free_.pop_back();
  chain(token) = opened;
  return token;
}

void SlabChains::part_done(Token token) {
  if (--chain(token).flowing == 0) proceed(token);
}

void SlabChains::proceed(Token token) {
  Chain& running = chain(token);
  if (running.next == running.steps->size()) {
    free_.push_back(token);
    return done_(running.event);
  }
  const SlabStep& step = (*running.steps)[running.next++];
  const double delay = time_.engine(step.latency) - kFlowLatency;
  if (delay <= 0) return send(token, step);
  after(delay, [this, token, &step] { send(token, step); });
}

void SlabChains::send(Token token, const SlabStep& step) {
  chain(token).flowing = static_cast<std::uint32_t>(step.flows.size());
  const auto carries = step.whole_port ? Cluster::Carries::Port : Cluster::Carries::Message;
  for (const StepFlow& flow : step.flows) {
    const std::uint64_t units = std::max<std::uint64_t>(1, cluster_.network().units(flow.bytes));
    activities_.flow(cluster_.route({flow.from, flow.to}, carries), units, token);
  }
}

}  // namespace spillway
