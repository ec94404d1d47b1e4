// The tokens of a microbatch as the backbone computes them: the sequences in which tokens attend to each
// other, padding included.
//
//   packed     T tokens; each document (sample) attends within itself, and so does the padding behind them.
//              A framework may attend across documents: one sequence of T
//   unpacked   each sample is a sequence, not padded, or padded to the longest of the microbatch or of the
//              step. A framework that attends across documents and does not pad has one sequence of them all
//   text only  sequences of one length
//
// No source says whether kernels skip the padding of a packed sequence. NeMo joins it to the last document,
// data collators that flatten have none.
#pragma once

#include <span>
#include <vector>

#include "cost/operators/operator_times.h"
#include "platform/framework.h"
#include "workload/workload.h"

namespace spillway {

struct TokenLoad {
  double sequence;                   // tokens that the backbone runs over, in all sequences of the microbatch
  std::vector<Sequences> sequences;  // tokens attend within these; by length, descending
  double pairs = pairs_of(sequences);

  friend bool operator==(const TokenLoad&, const TokenLoad&) = default;
};

// A framework's statements about documents.
struct DocumentRule {
  bool across = false;
  PadsTo pads = PadsTo::None;

  static DocumentRule of(const Framework& framework) {
    return {framework.attends_across_documents.value, framework.pads_to.value};
  }
};

// Reads microbatches of one step. Cost of a call: n log n for n documents.
class TokenLoads {
 public:
  // `step`: all microbatches of the step, of all replicas.
  TokenLoads(const Draw& step, DocumentRule rule);

  TokenLoad operator()(const MicrobatchLoad& load) const;

 private:
  DocumentRule rule_;
  double longest_ = 0;  // unpacked sample of the step
};

}  // namespace spillway
