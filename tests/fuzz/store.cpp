#include "sweep/store/result_store.h"
#include "target.h"

namespace spillway::testing {

const Target kStore("store", "s.sqlite", [](const std::string& path) {
  const ResultStore store = ResultStore::open_to_read(path, {});
  store.for_each([](const GridPoint&, const std::optional<PointOutcome>&) {});
});

}  // namespace spillway::testing
