// What the events of the transposed region that feeds a pipelined one take. Private to src/evaluate.
#pragma once

#include <optional>
#include <vector>

#include "evaluate/evaluation.h"

namespace spillway {

// By rank, ascending, those without left out.
std::vector<EncoderOnCriticalPath> encoder_on_critical_path(const Derived& derived,
                                                            const Durations& durations,
                                                            const Timeline& longest_path);

// Each microbatch's forward, over everything seen.
class EncoderTally {
 public:
  void add(const Derived& derived, const Durations& durations);
  // None where there is no such region.
  std::optional<EncoderTimes> times() const;

 private:
  std::vector<Seconds> all_;
};

}  // namespace spillway
