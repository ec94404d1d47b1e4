// Test: tests/launch/software_test.cpp.
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "cost/layers/layer_stacks.h"
#include "launch/software/software.h"
#include "platform/framework_figures.h"

namespace spillway {
namespace {

// The values of a framework, without names and sources, except those of its operators. A value that is not
// stated differs from every stated one.
class FrameworkValues {
 public:
  using Value = std::variant<std::monostate, double, std::string>;

  explicit FrameworkValues(const Framework& of) {
    each_host_time(of, *this);
    each_other_figure(of, *this);
    add_choices(of);
    add_sharding(of.sharding);
  }

  template <class Unit, class Figure>
  void operator()(const FigureForm<Unit>& form, const Sourced<Figure>& figure) {
    values_.emplace_back(static_cast<double>(figure.value / form.unit));
  }
  template <class Unit, class Figure>
  void operator()(const FigureForm<Unit>& form, const std::optional<Sourced<Figure>>& figure) {
    if (figure)
      (*this)(form, *figure);
    else
      values_.emplace_back();
  }

  friend bool operator==(const FrameworkValues&, const FrameworkValues&) = default;

 private:
  template <class Enum>
  void add(const std::optional<Sourced<Enum>>& choice) {
    if (choice)
      values_.emplace_back(static_cast<double>(choice->value));
    else
      values_.emplace_back();
  }

  void add_choices(const Framework& of) {
    values_.emplace_back(of.attention ? Value(of.attention->value) : Value());
    values_.emplace_back(of.own_attention_otherwise ? 1.0 : 0.0);
    values_.emplace_back(of.scatter_gather ? 1.0 : 0.0);
    values_.emplace_back(of.attends_across_documents.value ? 1.0 : 0.0);
    values_.emplace_back(static_cast<double>(of.pads_to.value));
    values_.emplace_back(of.graphs && of.graphs->value.whole_step() ? 1.0 : 0.0);
    add(of.reductions);
    add(of.gradient_sum);
    add(of.parameters);
  }

  void add_sharding(const Sharding& sharding) {
    add(sharding.weights);
    add(sharding.reduces);
    add(sharding.waits);
  }

  std::vector<Value> values_;
};

// The layers of a block as the framework runs them: with its statements about the operators that they have.
std::vector<Layer> layers_of_block(const AnalyticCosts& costs, const BlockCosts& block) {
  return run_stack({block.architecture, block.adapters},
                   {costs.framework, costs.parallelism, block.precision})
      .layers;
}

}  // namespace

bool price_alike(const AnalyticCosts& one, const AnalyticCosts& other) {
  if (!(FrameworkValues(one.framework) == FrameworkValues(other.framework))) return false;
  for (std::size_t block = 0; block < one.blocks.size(); ++block)
    if (layers_of_block(one, one.blocks[block]) != layers_of_block(other, other.blocks[block])) return false;
  return true;
}

}  // namespace spillway
