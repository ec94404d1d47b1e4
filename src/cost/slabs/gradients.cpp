#include "cost/slabs/gradients.h"

#include "model/model.h"

namespace spillway {

Gradients gradients_of(const Model& model, std::size_t block) {
  return {model.blocks()[block].trainable, model.trainable({0, model.layers_of(block).end})};
}

}  // namespace spillway
