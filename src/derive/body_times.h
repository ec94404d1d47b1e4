// Expected durations of the passes of a body. Private to src/derive.
#pragma once

#include <vector>

#include "derive/assemble.h"

namespace spillway {

// The durations are those of DeriveOptions::expected. If that is empty, all passes of a layer take equally
// long.
class BodyTimes {
 public:
  explicit BodyTimes(const OrderParts& parts);

  Seconds transfer() const { return transfer_; }
  // The duration of a computing event.
  Seconds of(const Event& event) const;

 private:
  Seconds transfer_;
  std::vector<StageExpectation> stages_;
};

}  // namespace spillway
