// Modules on dedicated devices: random ones that together take all of the job's devices.
#include <algorithm>
#include <optional>

#include "dice.h"
#include "shape.h"

namespace spillway::testing {
namespace {

struct Devices {
  std::uint32_t ranks, replicas, tensor, context;
  std::uint32_t all() const { return ranks * replicas * tensor * context; }
};

std::vector<std::uint32_t> divisors(std::uint32_t n) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t d = 1; d <= n; ++d)
    if (n % d == 0) all.push_back(d);
  return all;
}

// Draws devices for a module of so many layers, with no empty stage.
std::optional<Devices> some_devices(const Shape& shape, std::uint32_t layers, std::uint32_t most) {
  const std::vector<std::uint32_t> sizes =
      shape.analytic ? std::vector<std::uint32_t>{1, 1, 2, 4} : std::vector<std::uint32_t>{1};
  const Devices devices{number(1, std::min(layers, 3U)),
                        any_of(divisors(shape.microbatches * shape.replicas)), any_of(sizes),
                        shape.analytic && one_in(4) ? 2U : 1U};
  return devices.all() <= most ? std::optional(devices) : std::nullopt;
}

Json written(const ModuleShape& module, const Devices& devices, const Shape& shape) {
  Json json = {{"blocks", module.blocks}, {"ranks", devices.ranks}};
  if (devices.replicas != shape.replicas || one_in(2)) json["replicas"] = devices.replicas;
  if (devices.tensor != shape.tensor) json["tensor"] = devices.tensor;
  if (devices.context != shape.context) json["context"] = devices.context;
  return json;
}

std::optional<Json> tried(const Shape& shape) {
  std::uint32_t left = shape.ranks * shape.replicas * shape.tensor * shape.context;
  Json list = Json::array();
  for (std::size_t i = 0; i < shape.modules.size(); ++i) {
    const bool last = i + 1 == shape.modules.size();
    const auto devices = some_devices(shape, shape.modules[i].layers, left);
    if (!devices || (last && devices->all() != left)) return std::nullopt;
    left -= devices->all();
    list.push_back(written(shape.modules[i], *devices, shape));
  }
  return list;
}

}  // namespace

Json module_list(const Shape& shape) {
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i)
    if (auto list = tried(shape)) return *std::move(list);
  return Json::array();
}

}  // namespace spillway::testing
