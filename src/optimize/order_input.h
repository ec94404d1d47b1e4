// What an order follows from, as one value.
#pragma once

#include <cstddef>

#include "derive/derive.h"

namespace spillway {

// All that derive() reads. Compared field by field, so that a field added to any of them tells orders apart
// without being listed anywhere; listed orders are compared by content.
struct OrderInput {
  Model model;
  Schedule schedule;
  Cut cut;
  DeriveOptions options;

  friend bool operator==(const OrderInput&, const OrderInput&) = default;
};

// Equal for equal inputs. It reads what mostly differs between the orders of a process: a field that it does
// not read costs a comparison, never a wrong answer.
struct HashOfOrderInput {
  std::size_t operator()(const OrderInput& input) const;
};

}  // namespace spillway
