// How long the passes of a body are expected to take. Private to src/derive.
#pragma once

#include <vector>

#include "derive/assemble.h"

namespace spillway {

// From DeriveOptions::expected; where that is empty, a layer's passes are as long as each other.
class BodyTimes {
 public:
  explicit BodyTimes(const OrderParts& parts);

  Seconds transfer() const { return transfer_; }
  // Of a computing event.
  Seconds of(const Event& event) const;

 private:
  Seconds transfer_;
  std::vector<StageExpectation> stages_;
};

}  // namespace spillway
