#include <algorithm>
#include <fstream>
#include <iterator>

#include "input/experiment/experiment.h"
#include "target.h"

namespace spillway::testing {

// Applies "/pointer=value" to a shipped experiment, as --set does.
const Target kSettings("settings", "set.txt", [](const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string value = text.substr(std::min(equals + 1, text.size()));
  read_experiment(SPILLWAY_SOURCE_DIR "/workloads/experiments/small.json", {{text.substr(0, equals), value}});
});

}  // namespace spillway::testing
