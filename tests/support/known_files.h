// Files as first read, for tests that read many random documents. These name the same platforms, whose tables
// of operators take longer to read and to fit than a small job takes to run.
#pragma once

#include <memory>

#include "json/file_memory.h"

namespace spillway::testing {

// Renewed at times: each change of a platform by a document is kept as one more reading.
inline Files known_files() {
  constexpr int kMostReadings = 200;
  thread_local auto memory = std::make_unique<FileMemory>();
  thread_local int readings = 0;
  if (++readings % kMostReadings == 0) memory = std::make_unique<FileMemory>();
  return Files(*memory);
}

}  // namespace spillway::testing
