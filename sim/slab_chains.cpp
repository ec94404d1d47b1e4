#include "sim/slab_chains.h"

#include <algorithm>

namespace spillway {

SlabChains::SlabChains(const std::vector<SlabSteps>& steps, Routes& routes, Agenda& agenda, Traffic& traffic,
                       std::function<void(Token)> done)
    : routes_(routes),
      agenda_(agenda),
      traffic_(traffic),
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

void SlabChains::start(Seconds length, Token event) {
  const SlabSteps& steps = steps_[event];
  const Token exposed = open(event, steps.exposed);
  chain(exposed).flowing = 1;
  if (!steps.hidden.empty()) proceed(open(event, steps.hidden));
  const Seconds computing = length - steps.exposed_time;
  if (computing <= Seconds(0)) return parts_done(exposed, 1);
  agenda_.add(agenda_.now() + computing, Agenda::What::WaitEnds, exposed);
}

Token SlabChains::open(Token event, const std::vector<SlabStep>& steps) {
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

void SlabChains::parts_done(Token token, std::uint32_t parts) {
  if ((chain(token).flowing -= parts) == 0) proceed(token);
}

void SlabChains::proceed(Token token) {
  Chain& running = chain(token);
  if (running.next == running.steps->size()) {
    free_.push_back(token);
    return done_(running.event);
  }
  const SlabStep& step = (*running.steps)[running.next++];
  if (step.latency <= Seconds(0)) return send(token);
  agenda_.add(agenda_.now() + step.latency, Agenda::What::FlowsStart, token);
}

void SlabChains::send(Token token) {
  const SlabStep& step = (*chain(token).steps)[chain(token).next - 1];
  chain(token).flowing = static_cast<std::uint32_t>(step.flows.size());
  const auto carries = step.whole_port ? Routes::Carries::Port : Routes::Carries::Message;
  for (const StepFlow& flow : step.flows)
    traffic_.add(routes_.between({flow.from, flow.to}, carries), flow.bytes);
  traffic_.start(token);
}

}  // namespace spillway
