#include "input/experiment/order_file.h"
#include "target.h"

namespace spillway::testing {

const Target kOrder("order", "o.csv", [](const std::string& path) { read_order_file(path, {4, 8}); });

}  // namespace spillway::testing
