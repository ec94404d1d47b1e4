// What an entry of `schedules` has to know of its document to be one that the document takes. Private to
// tests/laws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "documents.h"

namespace spillway::testing {

// Blocks of one role, which follow one another.
struct ModuleShape {
  std::vector<std::string> blocks;
  std::uint32_t layers = 0;
  bool trained = false;
};

struct Shape {
  std::uint32_t ranks = 1, microbatches = 1, replicas = 1;
  std::uint32_t tensor = 1, context = 1;  // of a rank
  bool analytic = false;
  bool drawn = false;
  std::vector<ModuleShape> modules = {};  // input first
  bool has_encoder = false;               // and something behind it

  std::uint32_t layers() const;
  // Of the encoder that the model begins with.
  std::uint32_t encoder() const { return has_encoder ? modules.front().layers : 0; }
};

Shape shape_of(const Json& document);

// Positive parts that add up to `total`, each boundary anywhere. Contract: count <= total.
std::vector<std::uint32_t> parts_of(std::uint32_t total, std::uint32_t count);

// entries of `schedules`, as often as not ones that the document refuses.
// Modules on devices of their own that share out the job's.
Json module_list(const Shape& shape);
// A system with some of its options.
Json system_entry(const Shape& shape);
// A schedule written down, of modules or of one pipeline.
Json written_entry(const Shape& shape);

}  // namespace spillway::testing
