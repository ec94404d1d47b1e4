// 1F1B as most users of SimGrid would write it: one actor per rank, blocking receives, detached eager sends.
// usage: actor_per_rank P M
#include <algorithm>
#include <cstdlib>

#include "base/stopwatch.h"
#include "bench/measurement.h"
#include "bench/rivals/star.h"

namespace sg = simgrid::s4u;
using namespace spillway::bench;

namespace {

// The mailboxes where a rank's messages arrive; null where the rank has no neighbour.
struct Mailboxes {
  sg::Mailbox* activations = nullptr;
  sg::Mailbox* gradients = nullptr;
};

class Rank {
 public:
  Rank(Mailboxes in, sg::Mailbox* next, sg::Mailbox* previous, int warm_up, int microbatches)
      : in_(in), next_(next), previous_(previous), warm_up_(warm_up), microbatches_(microbatches) {}

  void operator()() const {
    for (sg::Mailbox* box : {in_.activations, in_.gradients}) {
      if (box != nullptr) box->set_receiver(sg::Actor::self());
    }
    for (int i = 0; i < warm_up_; ++i) forward();
    for (int i = warm_up_; i < microbatches_; ++i) {
      forward();
      backward();
    }
    for (int i = 0; i < warm_up_; ++i) backward();
  }

 private:
  static void step(sg::Mailbox* from, double seconds, sg::Mailbox* to) {
    static int token = 1;
    if (from != nullptr) from->get<int>();
    sg::this_actor::execute(seconds);
    if (to != nullptr) to->put_init(&token, static_cast<uint64_t>(kMessageBytes))->detach();
  }
  void forward() const { step(in_.activations, kForwardSeconds, next_); }
  void backward() const { step(in_.gradients, kBackwardSeconds, previous_); }

  Mailboxes in_;
  sg::Mailbox* next_;
  sg::Mailbox* previous_;
  int warm_up_;
  int microbatches_;
};

void create_ranks(const std::vector<sg::Host*>& hosts, int microbatches) {
  const int ranks = static_cast<int>(hosts.size());
  std::vector<Mailboxes> in(hosts.size());
  for (int p = 0; p < ranks; ++p) {
    if (p > 0) in[p].activations = sg::Mailbox::by_name("f" + std::to_string(p));
    if (p + 1 < ranks) in[p].gradients = sg::Mailbox::by_name("b" + std::to_string(p));
  }
  for (int p = 0; p < ranks; ++p) {
    sg::Mailbox* const next = p + 1 < ranks ? in[p + 1].activations : nullptr;
    sg::Mailbox* const previous = p > 0 ? in[p - 1].gradients : nullptr;
    const Rank rank(in[p], next, previous, std::min(microbatches, ranks - p - 1), microbatches);
    sg::Actor::init("rank" + std::to_string(p), hosts[p])->start(rank);
  }
}

}  // namespace

int main(int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  use_plain_network_model();
  if (argc != 3) return EXIT_FAILURE;
  const int ranks = std::atoi(argv[1]), microbatches = std::atoi(argv[2]);
  const spillway::Stopwatch watch;
  create_ranks(star_of_hosts(ranks), microbatches);
  engine.run();
  print(one_f_one_b_activities(ranks, microbatches), watch.seconds(), sg::Engine::get_clock());
}
