#include "input/platform/platform_reader.h"

#include <array>

#include "input/platform/accelerator_reader.h"
#include "input/platform/sourced.h"
#include "input/platform/tier_reader.h"
#include "json/changed_document.h"
#include "json/document.h"
#include "json/document_kind.h"

namespace spillway {
namespace {

using LibraryWord = std::pair<std::string_view, CollectiveLibrary>;
constexpr std::array<LibraryWord, 2> kLibraries = {
    {{"nccl", CollectiveLibrary::Nccl}, {"hccl", CollectiveLibrary::Hccl}}};

std::optional<Platform> read_unchecked_platform(const Place& place) {
  const Fields fields(place, {"schema", "name", "note", "accelerator", "ports", "tiers", "library",
                              "price_per_device_hour_usd", "contention"});
  require_schema(fields, "spillway/platform/1");
  fields.get("note", read_text);
  const auto name = fields.need("name", read_text);
  const auto accelerator = fields.need("accelerator", read_accelerator);
  const auto ports = fields.need("ports", [](const Place& p) { return read_each(p, read_port); });
  const auto tiers = fields.need("tiers", [&](const Place& p) {
    return read_each(
        p, [&](const Place& tier) { return read_tier(tier, ports.value_or(std::vector<NetworkPort>{})); });
  });
  const auto library =
      fields.get("library", [](const Place& p) { return read_choice<CollectiveLibrary>(p, kLibraries); });
  const auto price = fields.get("price_per_device_hour_usd", sourced(DollarsPerHour(1)));
  const auto contention = fields.get("contention", read_boolean);
  if (!name || !accelerator || !ports || !tiers) return std::nullopt;
  return Platform{*name,
                  *accelerator,
                  *ports,
                  *tiers,
                  contention.value_or(true),
                  library.value_or(CollectiveLibrary::Nccl),
                  price};
}

}  // namespace

std::optional<Platform> read_platform(const Place& place) {
  std::optional<Platform> platform = read_unchecked_platform(place);
  if (!platform) return std::nullopt;
  std::vector<Violation> violations = check_platform(*platform);
  if (violations.empty()) return platform;
  place.findings->add(located(std::move(violations), place.findings->file(), place.pointer));
  return std::nullopt;
}

Platform read_platform(const std::string& path, const Object& changes, const Files& files) {
  return read_changed_document<Platform>(path, "platform", changes, files, read_platform);
}

Platform read_platform_text(const std::string& text, const std::string& path) {
  Findings findings(path);
  const std::optional<Node> document = parse_json(text, findings);
  if (!document || is_another_kind(*document, "platform", findings)) findings.throw_if_any();
  const Files files;
  const std::optional<Platform> platform = read_platform(Place{&*document, "", &findings, &files});
  findings.throw_if_any();
  return *platform;
}

}  // namespace spillway
