// 1F1B as SimGrid's own graph of activities: everything created at the start, add_successor for every edge.
// usage: eager_dag P M
#include <algorithm>
#include <cstdlib>

#include "base/stopwatch.h"
#include "bench/measurement.h"
#include "bench/rivals/star.h"

namespace sg = simgrid::s4u;
using namespace spillway::bench;

namespace {

class Dag {
 public:
  Dag(std::vector<sg::Host*> hosts, int microbatches)
      : hosts_(std::move(hosts)), ranks_(static_cast<int>(hosts_.size())), microbatches_(microbatches) {
    create_computing();
    create_transfers();
    chain_ranks();
  }

  void start() {
    for (const sg::ActivityPtr& activity : all_)
      if (activity->dependencies_solved()) activity->start();
  }

 private:
  sg::ExecPtr exec(int rank, double seconds) {
    sg::ExecPtr made = sg::Exec::init();
    made->set_flops_amount(seconds)->set_host(hosts_[rank]);
    all_.push_back(made);
    return made;
  }

  void create_computing() {
    for (int p = 0; p < ranks_; ++p) {
      for (int m = 0; m < microbatches_; ++m) {
        forward_.push_back(exec(p, kForwardSeconds));
        backward_.push_back(exec(p, kBackwardSeconds));
      }
    }
  }

  void transfer(const sg::ExecPtr& from, const sg::ExecPtr& to, int source, int destination) {
    sg::CommPtr comm = sg::Comm::sendto_init(hosts_[source], hosts_[destination]);
    comm->set_payload_size(static_cast<uint64_t>(kMessageBytes));
    from->add_successor(comm);
    comm->add_successor(to);
    all_.push_back(comm);
  }

  void create_transfers() {
    for (int m = 0; m < microbatches_; ++m) {
      for (int p = 0; p + 1 < ranks_; ++p) {
        transfer(forward(p, m), forward(p + 1, m), p, p + 1);
        transfer(backward(p + 1, m), backward(p, m), p + 1, p);
      }
    }
  }

  // Chains the events of each rank in order; on the last rank the chain is the turnaround too.
  void chain_ranks() {
    for (int p = 0; p < ranks_; ++p) {
      const int warm_up = std::min(microbatches_, ranks_ - p - 1);
      std::vector<sg::ExecPtr> order;
      for (int m = 0; m < warm_up; ++m) order.push_back(forward(p, m));
      for (int m = warm_up; m < microbatches_; ++m) {
        order.push_back(forward(p, m));
        order.push_back(backward(p, m - warm_up));
      }
      for (int m = microbatches_ - warm_up; m < microbatches_; ++m) order.push_back(backward(p, m));
      for (std::size_t i = 0; i + 1 < order.size(); ++i) order[i]->add_successor(order[i + 1]);
    }
  }

  sg::ExecPtr& forward(int p, int m) { return forward_[p * microbatches_ + m]; }
  sg::ExecPtr& backward(int p, int m) { return backward_[p * microbatches_ + m]; }

  std::vector<sg::Host*> hosts_;
  int ranks_;
  int microbatches_;
  std::vector<sg::ExecPtr> forward_;
  std::vector<sg::ExecPtr> backward_;
  std::vector<sg::ActivityPtr> all_;
};

}  // namespace

int main(int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  use_plain_network_model();
  if (argc != 3) return EXIT_FAILURE;
  const int ranks = std::atoi(argv[1]), microbatches = std::atoi(argv[2]);
  const spillway::Stopwatch watch;
  Dag dag(star_of_hosts(ranks), microbatches);
  dag.start();
  engine.run();
  print(one_f_one_b_activities(ranks, microbatches), watch.seconds(), sg::Engine::get_clock());
}
