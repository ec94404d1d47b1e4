// The bytes that forwards keep for their backwards, as measured: factors on the bytes of the model.
//
//   a stage as measured   the mean of measured over modelled, over its measured microbatches
//   another               the sum over its layers: each keeps what the model says, times the factor of its
//   kind
//
// How the bytes grow with a microbatch is the model's. Private to src/draws.
#pragma once

#include <map>
#include <vector>

#include "draws/measured_updates.h"

namespace spillway {

// One measured forward.
struct KeptBytes {
  KindCounts counts;
  std::vector<Bytes> modelled;  // by kind: of one layer
  Bytes measured;
};

class MeasuredKept {
 public:
  MeasuredKept() = default;
  // `kinds`: how many there are.
  MeasuredKept(const std::vector<KeptBytes>& rows, std::size_t kinds);

  bool empty() const { return largest_.empty(); }
  double factor(const KindCounts& counts) const;

 private:
  void fit(const std::vector<KeptBytes>& rows, std::size_t kinds);

  std::map<KindCounts, double> stages_;  // factors of stages as measured
  std::vector<double> factors_;          // by kind; 1 if it was not measured
  std::vector<Bytes> largest_;           // by kind: the most that the model says of a measured microbatch
};

}  // namespace spillway
