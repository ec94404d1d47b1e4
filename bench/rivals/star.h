// The rivals' platform: a star of hosts, each with a shared link up and one down. The same shape as the
// replay's.
#pragma once

#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "bench/pipeline.h"
#include "sim/simgrid/zones.h"

namespace spillway::bench {

inline void use_plain_network_model() {
  using simgrid::s4u::Engine;
  xbt_log_control_set("xbt_cfg.thres:warning");
  Engine::set_config("network/model:CM02");
  Engine::set_config("network/TCP-gamma:0");
  Engine::set_config("network/crosstraffic:0");
  Engine::set_config("network/latency-factor:1.0");
  Engine::set_config("network/bandwidth-factor:1.0");
}

inline std::vector<simgrid::s4u::Host*> star_of_hosts(int ranks) {
  namespace sg = simgrid::s4u;
  auto* star = add_star_to(root_zone(*sg::Engine::get_instance()), "star");
  std::vector<sg::Host*> hosts;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string name = std::to_string(rank);
    auto* host = add_host_to(star, "rank" + name);
    auto* up = add_link_to(star, "up" + name, kLinkBytesPerSecond)->set_latency(kLatencySeconds / 2)->seal();
    auto* down =
        add_link_to(star, "down" + name, kLinkBytesPerSecond)->set_latency(kLatencySeconds / 2)->seal();
    add_way_out(star, host, {sg::LinkInRoute(up)});
    add_way_in(star, host, {sg::LinkInRoute(down)});
    host->seal();
    hosts.push_back(host);
  }
  star->seal();
  return hosts;
}

}  // namespace spillway::bench
