// List schedules by the times of another order: changes that reach the whole order at once.
//
//   shifted    passes are listed by their starts, each earlier by up to some times its own time
//   grouped    the same, but one group of passes goes together: those of one stage and kind, of one kind, of
//   one
//              microbatch or of one rank. So weight gradients of all ranks go later, or a stage's forwards
//              earlier
//   justified  passes are listed from the end of the step back, by their ends, and then from its beginning,
//   in
//              the order found: each goes as late, then as early as it can. This closes gaps in warm-up and
//              drain
//
// Cost: one or two list schedules, O((passes + needs) log passes). Sources: R. Kolisch, Serial and parallel
// resource-constrained project scheduling methods revisited (1996); V. Valls, F. Ballestin, S. Quintanilla,
// Justification and RCPSP (2005). Private to src/synthesize.
#pragma once

#include "synthesize/list_orders.h"
#include "synthesize/priced_step.h"
#include "workload/random_stream.h"

namespace spillway {

// An order, its ends, the lane whose times are looked at, and the share of room that lists use. Views.
struct TimedOrder {
  const OwnedOrder& order;
  const SequencedStep& ends;
  std::uint32_t lane;
  double room;

  Seconds end(std::uint32_t event) const { return ends.ends.at(EventId(event), lane); }
};

PassSequences shifted_order(const TimedOrder& timed, double wide, RandomStream& random);
PassSequences grouped_order(const TimedOrder& timed, RandomStream& random);
PassSequences justified_order(const TimedOrder& timed, double wide, RandomStream& random);

}  // namespace spillway
