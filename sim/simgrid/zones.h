// Names the parts of a platform as SimGrid 3.32 and SimGrid 4 do. SimGrid 4 has a root zone from the start,
// adds parts that 3.32 creates, and deprecates the older names.
// https://simgrid.org/doc/v4.0/Release_Notes.html
#pragma once

#include <simgrid/version.h>

#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/Link.hpp>
#include <simgrid/s4u/NetZone.hpp>
#include <string>
#include <vector>

namespace spillway {

using Links = std::vector<simgrid::s4u::LinkInRoute>;

#if SIMGRID_VERSION >= 40000

inline simgrid::s4u::NetZone* root_zone(const simgrid::s4u::Engine& engine) {
  return engine.get_netzone_root();
}
inline simgrid::s4u::NetZone* add_star_to(simgrid::s4u::NetZone* root, const std::string& name) {
  return root->add_netzone_star(name);
}
inline simgrid::s4u::Host* add_host_to(simgrid::s4u::NetZone* zone, const std::string& name) {
  return zone->add_host(name, 1.0);
}
inline simgrid::s4u::Link* add_link_to(simgrid::s4u::NetZone* zone, const std::string& name,
                                       double bandwidth) {
  return zone->add_link(name, bandwidth);
}
// Routes from a leaf of a star to its centre, and back.
inline void add_way_out(simgrid::s4u::NetZone* star, const simgrid::s4u::Host* leaf, const Links& links) {
  star->add_route(leaf, nullptr, links, false);
}
inline void add_way_in(simgrid::s4u::NetZone* star, const simgrid::s4u::Host* leaf, const Links& links) {
  star->add_route(nullptr, leaf, links, false);
}

#else

// Contract: called once per engine, before any other zone is created.
inline simgrid::s4u::NetZone* root_zone(const simgrid::s4u::Engine&) {
  return simgrid::s4u::create_full_zone("root");
}
inline simgrid::s4u::NetZone* add_star_to(simgrid::s4u::NetZone* root, const std::string& name) {
  return simgrid::s4u::create_star_zone(name)->set_parent(root);
}
inline simgrid::s4u::Host* add_host_to(simgrid::s4u::NetZone* zone, const std::string& name) {
  return zone->create_host(name, 1.0);
}
inline simgrid::s4u::Link* add_link_to(simgrid::s4u::NetZone* zone, const std::string& name,
                                       double bandwidth) {
  return zone->create_link(name, bandwidth);
}
inline void add_way_out(simgrid::s4u::NetZone* star, const simgrid::s4u::Host* leaf, const Links& links) {
  star->add_route(leaf->get_netpoint(), nullptr, nullptr, nullptr, links, false);
}
inline void add_way_in(simgrid::s4u::NetZone* star, const simgrid::s4u::Host* leaf, const Links& links) {
  star->add_route(nullptr, leaf->get_netpoint(), nullptr, nullptr, links, false);
}

#endif

}  // namespace spillway
