// Reads the model and the costs of its blocks, as an experiment states them: by profile or by architecture.
// Private to src/input.
#pragma once

#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

#include "experiment/experiment.h"
#include "json/place.h"

namespace spillway {

struct ReadModel {
  Model model;
  JobCosts costs;
};

// The most layers of one block: more than any model has, and few enough to sum up.
inline constexpr std::uint32_t kMostLayersOfABlock = 100'000;

// Reads name, role and trainability. The reader of the form fills in `layers`.
std::optional<Block> read_block(const Fields& fields);

// Returns true if the experiment, an object, is of the analytic form: it names a platform, a workload or an
// architecture.
bool is_analytic(const Fields& experiment);

// Reads the blocks at /model/blocks with `read`, whose result has a member `block`. Reports equal names.
template <class Read>
auto read_blocks(const Fields& experiment, Read read) -> decltype(read_each(std::declval<Place>(), read));

// `pipeline` is absent if it could not be read; its sizes are then not compared with the rest.
std::optional<ReadModel> read_given(const Fields& experiment, const std::optional<Pipeline>& pipeline,
                                    Seconds p2p, std::optional<Seconds> reduction);
std::optional<ReadModel> read_analytic(const Fields& experiment, const std::optional<Pipeline>& pipeline);

void refuse_equal_names(const std::vector<Place>& blocks);

// Reads "feeds" of blocks with these roles: a tower that feeds a block behind the next one stands beside the
// next. Returns Block::beside_next of each.
std::vector<bool> read_towers_beside(const std::vector<Place>& blocks, const std::vector<Role>& roles);

template <class Read>
auto read_blocks(const Fields& experiment, Read read) -> decltype(read_each(std::declval<Place>(), read)) {
  return experiment.need("model", [&](const Place& model) {
    return Fields(model, {"blocks"}).need("blocks", [&](const Place& place) {
      const auto blocks = read_list(place);
      if (blocks && blocks->empty()) place.refuse("at least one block");
      if (blocks) refuse_equal_names(*blocks);
      auto read_all = read_each(place, read);
      if (!read_all || read_all->empty() || !blocks) return decltype(read_all)();
      std::vector<Role> roles;
      for (const auto& each : *read_all) roles.push_back(each.block.role);
      const std::vector<bool> beside = read_towers_beside(*blocks, roles);
      for (std::size_t i = 0; i < beside.size(); ++i) (*read_all)[i].block.beside_next = beside[i];
      return read_all;
    });
  });
}

}  // namespace spillway
