// Copies streamed rows of durations into a Durations table.
#pragma once

#include "order/duration_rows.h"

namespace spillway::testing {

inline Durations held(DurationRows& rows) {
  Durations all(rows.events(), rows.lanes());
  const std::size_t width = row_width(rows.lanes());
  for (std::uint32_t first = 0; first < rows.events();) {
    const RowStretch stretch = rows.from(first);
    for (std::uint32_t i = 0; i < stretch.count; ++i)
      for (std::uint32_t lane = 0; lane < rows.lanes(); ++lane)
        all.at(EventId(first + i), lane) = Seconds(stretch.rows[stretch.row(i) * width + lane]);
    first += stretch.count;
  }
  return all;
}

}  // namespace spillway::testing
