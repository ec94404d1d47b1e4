#include "cost/slabs/gradients.h"

#include "model/model.h"

namespace spillway {

Gradients gradients_of(const Model& model, std::size_t block) {
  return {model.blocks()[block].trainable, passes_gradient(model, block)};
}

std::vector<Pass> gradients_in(Pass pass, Gradients gradients) {
  std::vector<Pass> computed;
  const bool whole = pass == Pass::Backward;
  if (pass == Pass::Forward) computed.push_back(pass);
  if ((whole || pass == Pass::InputGradient) && gradients.input) computed.push_back(Pass::InputGradient);
  if ((whole || pass == Pass::WeightGradient) && gradients.weight) computed.push_back(Pass::WeightGradient);
  return computed;
}

}  // namespace spillway
