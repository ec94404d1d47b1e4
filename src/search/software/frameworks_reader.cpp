// Reads which frameworks a cluster states. Test: tests/search/frameworks_test.cpp.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "json/place.h"
#include "search/cluster_reader.h"

namespace spillway {
namespace {

// "nemo" for nemo, platforms/frameworks/nemo.json, and a framework of that name.
std::string name_of_framework(const Node& node) {
  if (const auto* path = std::get_if<std::string>(&node.value)) return std::filesystem::path(*path).stem();
  const auto* members = std::get_if<Object>(&node.value);
  const Node* name = members ? find(*members, "name") : nullptr;
  const auto* text = name ? std::get_if<std::string>(&name->value) : nullptr;
  return text ? *text : "";
}

std::optional<StatedFrameworks::One> read_one_framework(const Place& place) {
  const bool written = std::holds_alternative<Object>(place.node->value);
  const auto* text = std::get_if<std::string>(&place.node->value);
  if (!written && (!text || text->empty())) {
    place.refuse("the name of a framework, the path of its file, or a framework");
    return std::nullopt;
  }
  return StatedFrameworks::One{name_of_framework(*place.node), *place.node, place.pointer};
}

std::optional<StatedFrameworks> read_list_of_frameworks(const Place& place) {
  if (const auto* word = std::get_if<std::string>(&place.node->value)) {
    if (*word == "any") return StatedFrameworks{};
    if (*word == "none") return StatedFrameworks{StatedFrameworks::How::None};
    place.refuse("\"any\", \"none\", or a list of frameworks");
    return std::nullopt;
  }
  auto listed = some(read_one_framework)(place);
  if (!listed) return std::nullopt;
  bool twice = false;
  for (auto one = listed->begin(); one != listed->end(); ++one) {
    if (std::none_of(listed->begin(), one, [&](const auto& other) { return other.name == one->name; }))
      continue;
    place.findings->add(one->pointer, "each framework once", describe(one->node));
    twice = true;
  }
  if (twice) return std::nullopt;
  return StatedFrameworks{StatedFrameworks::How::Listed, *std::move(listed)};
}

}  // namespace

std::optional<StatedFrameworks> read_frameworks(const Fields& cluster) {
  const auto single = cluster.at("framework"), several = cluster.at("frameworks");
  if (single && several) {
    cluster.forbid("framework", "no such key beside frameworks, which lists all of them");
    return std::nullopt;
  }
  std::optional<StatedFrameworks> stated = StatedFrameworks{};
  if (several) stated = read_list_of_frameworks(*several);
  if (single) {
    auto one = read_one_framework(*single);
    if (!one) return std::nullopt;
    stated = StatedFrameworks{StatedFrameworks::How::Listed, {*std::move(one)}};
  }
  if (stated && stated->listed.size() != 1)
    cluster.forbid("framework_set", "no such key without exactly one framework");
  return stated;
}

}  // namespace spillway
