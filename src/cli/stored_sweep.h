// A store's content as the reports take it.
#pragma once

#include <cstddef>
#include <optional>

#include "sweep/store/result_store.h"
#include "sweep/table/column.h"

namespace spillway {

SweepHeading heading_of(const ResultStore& store);

// For reports that are given points one by one, null where a point has no outcome yet.
inline const PointOutcome* pointer_to(const std::optional<PointOutcome>& outcome) {
  return outcome ? &*outcome : nullptr;
}

}  // namespace spillway
