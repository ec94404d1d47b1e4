// The facts of a document that an entry of `schedules` needs to fit it. Private to tests/laws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "documents.h"

namespace spillway::testing {

// Consecutive blocks of one role.
struct ModuleShape {
  std::vector<std::string> blocks;
  std::uint32_t layers = 0;
  bool trained = false;
};

struct Shape {
  std::uint32_t ranks = 1, microbatches = 1, replicas = 1;
  std::uint32_t tensor = 1, context = 1;  // sizes of a rank
  bool analytic = false;
  bool drawn = false;
  std::vector<ModuleShape> modules = {};  // input first
  bool has_encoder = false;               // followed by another module

  std::uint32_t layers() const;
  // Returns the layers of the encoder at the model's input.
  std::uint32_t encoder() const { return has_encoder ? modules.front().layers : 0; }
};

Shape shape_of(const Json& document);

// Returns positive parts that add up to `total`, with boundaries anywhere. Contract: count <= total.
std::vector<std::uint32_t> parts_of(std::uint32_t total, std::uint32_t count);

// These functions return entries of `schedules`; the document refuses about half of them.
// Returns modules on dedicated devices, which together take the job's devices.
Json module_list(const Shape& shape);
// Returns a system with some of its options.
Json system_entry(const Shape& shape);
// Returns a schedule in text form, of modules or of one pipeline.
Json written_entry(const Shape& shape);

}  // namespace spillway::testing
