// The names by which a framework states its operators, against the names in every shipped model.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "base/findings.h"
#include "cost/layers/architecture.h"
#include "cost/layers/context_parallel.h"
#include "input/architecture/architecture_reader.h"
#include "platform/framework.h"
#include "written.h"

namespace spillway {
namespace {

using Names = std::set<std::string>;

struct FoundNames {
  Names of_memory, others;
};

// Adds nothing if the file has no such part.
void add_names(const std::string& config, Role role, bool fused, FoundNames& names) {
  std::vector<Layer> layers;
  try {
    layers = layer_stack(read_architecture(config, role, {.fused_attention = fused})).layers;
  } catch (const InputError&) {
    return;
  }
  for (const Layer& layer : layers)
    for (const Operator& op : layer.operators)
      if (op.kind != OperatorKind::Memory)
        names.others.emplace(op.name);
      else if (op.traffic_per_token + op.traffic_per_pair > Bytes())
        names.of_memory.emplace(op.name);
}

FoundNames of_shipped_models() {
  FoundNames names;
  for (const auto& entry : std::filesystem::directory_iterator(shipped("workloads/models")))
    for (const Role role : {Role::Encoder, Role::Backbone, Role::Generator})
      for (const bool fused : {true, false})
        add_names((entry.path() / "config.json").string(), role, fused, names);
  return names;
}

TEST(OperatorNames, AreThoseOfTheShippedModels) {
  const std::set<std::string> kinds{"gemm", "grouped_gemm", "attention", "scan"};
  Names listed{"memory"}, products;
  std::istringstream all(operator_names());
  for (std::string name; std::getline(all >> std::ws, name, ',');)
    if (is_bound_by_memory(name) && !name.starts_with("adapter "))
      listed.insert(name);
    else if (!kinds.contains(name))
      products.insert(name);
  const FoundNames all_found = of_shipped_models();
  Names found = all_found.of_memory;
  found.insert({"memory", std::string(kRingMerge)});  // the kind, and an operator that a layout adds
  EXPECT_EQ(found, listed);
  // A framework may state these products apart. Adapters are not part of a model.
  for (const std::string& name : products)
    EXPECT_TRUE(name.starts_with("adapter ") || all_found.others.contains(name)) << name;
}

}  // namespace
}  // namespace spillway
