#include "input/architecture/architecture_reader.h"
#include "target.h"

namespace spillway::testing {

const Target kConfig("config", "config.json", [](const std::string& path) {
  for (const Role role : {Role::Encoder, Role::Backbone, Role::Generator}) read_architecture(path, role, {});
});

}  // namespace spillway::testing
