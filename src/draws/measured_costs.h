// A cost model whose passes take the times that were measured (measured_layers.h), as far as they were.
//
//   a stage and a content as measured   the mean of its measured times
//   another                             the sum over its layers, each by the fit of its kind; layers that
//                                       were not measured keep their share of the roofline's time
//   another layout of the devices       the fit, times the roofline there over the roofline as measured
//   a backward in two parts             if only whole backwards were measured, they are divided as the
//                                       roofline divides them; if only parts were, a whole is their sum
//
// Collectives and recomputation inside a pass keep their shares of it. Transfers and memory stay the
// roofline's, but for activations that were measured (measured_kept.h). Private to src/draws.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cost/costs_over.h"
#include "draws/measured_layers.h"

namespace spillway {

class MeasuredCosts final : public CostsOver {
 public:
  struct Layers {
    std::shared_ptr<const MeasuredLayers> measured;
    std::unique_ptr<const LayersUnderLoads> here;  // of the job, one by one; null with `elsewhere`
    // The same stages and loads on the devices that the passes were measured on, if the job's are others.
    std::unique_ptr<const MeasuredCosts> elsewhere;
    double time = 1;                    // multiplies measured passes
    double devices = 1;                 // that run a pass of one replica, equal replicas included
    std::vector<Seconds> updates = {};  // by stage: of its optimizer, as measured; 0 where it was not
  };
  // Views `outline`, which outlives it.
  MeasuredCosts(std::unique_ptr<CostModel> roofline, const Outline& outline, Layers layers);
  // Owns the outline.
  MeasuredCosts(std::unique_ptr<const Outline> outline, std::unique_ptr<CostModel> roofline, Layers layers);

  Seconds pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  Seconds overlapped(const Event& event, ReplicaId replica) const override;
  InsidePass inside(const Event& event, ReplicaId replica) const override;
  // Activations as they were measured, if they were.
  Held held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const override;
  // Measured passes are an operator each, by stage and pass, and measured optimizers by stage. They are
  // measured, or extrapolated: sizes beyond the measured ones, and other layouts.
  std::vector<PricedOperator> priced_operators(const Order& order) const override;

 private:
  // A pass by what its time rests on.
  struct Parts {
    Seconds measured, extrapolated, roofline;

    Seconds all() const { return measured + extrapolated + roofline; }
    Parts operator*(double factor) const {
      return {measured * factor, extrapolated * factor, roofline * factor};
    }
    Parts& operator+=(const Parts& other) {
      measured += other.measured;
      extrapolated += other.extrapolated;
      roofline += other.roofline;
      return *this;
    }
  };
  // One pass of a stage.
  struct Asked {
    StageId stage;
    MicrobatchId microbatch;
    ReplicaId replica;
  };
  struct Account;
  using Means = std::array<std::optional<Seconds>, 4>;  // by Pass, as measured
  // Stages with the same kinds of layers share these: the content of each microbatch, and the mean times of
  // passes over it.
  struct MeansByContent {
    std::vector<std::uint32_t> content;  // by replica, then microbatch
    std::vector<Means> means;            // by content
  };

  MeansByContent means_of(const KindCounts& counts) const;
  Account account(const Order& order) const;
  void add_updates(std::vector<PricedOperator>& all) const;
  Parts parts(Pass pass, const Asked& asked) const;
  std::optional<Parts> by_mean(Pass pass, const Asked& asked) const;
  Parts by_layers(Pass pass, const Asked& asked) const;
  std::optional<Parts> layer(std::size_t kind, Pass pass, const Asked& asked) const;
  std::optional<Parts> layer_as_asked(std::size_t kind, Pass pass, const Asked& asked) const;
  Parts from_elsewhere(Pass pass, const Asked& asked) const;
  template <class Direct, class Roofline>
  static std::optional<Parts> by_parts(Pass pass, Direct direct, Roofline roofline);

  std::unique_ptr<const Outline> own_outline_;
  const Outline& outline_;
  Layers layers_;
  std::vector<KindCounts> counts_;                            // by stage
  std::vector<std::shared_ptr<const MeansByContent>> means_;  // by stage; empty with `elsewhere`
};

}  // namespace spillway
