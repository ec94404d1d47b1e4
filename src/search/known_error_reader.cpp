#include "json/changed_document.h"
#include "json/shipped_files.h"
#include "search/cluster_reader.h"
#include "search/known_error.h"

namespace spillway {
namespace {

std::optional<KnownError> read_known_error(const Fields& fields) {
  const auto table = fields.need("table", read_text), accelerator = fields.need("accelerator", read_text);
  const auto share = fields.need("share", [](const Place& p) { return read_number(p, kPositive); });
  const auto rows = fields.need("rows", [](const Place& p) { return read_count(p); });
  if (!table || !accelerator || !share || !rows) return std::nullopt;
  return KnownError{*table, *accelerator, *share, *rows};
}

std::optional<KnownError> read_error_of_layouts(const Place& place) {
  return read_known_error(Fields(place, {"table", "accelerator", "share", "rows"}));
}

std::optional<KnownError> read_error_of_clusters(const Place& place) {
  const Fields fields(place, {"table", "accelerator", "images", "experts", "share", "rows"});
  std::optional<KnownError> known = read_known_error(fields);
  const auto images = fields.need("images", read_boolean), experts = fields.need("experts", read_boolean);
  if (!known || !images || !experts) return std::nullopt;
  known->images = *images;
  known->experts = *experts;
  return known;
}

std::optional<KnownErrors> read_both_lists(const Place& place) {
  const Fields fields(place, {"schema", "note", "between_layouts", "between_clusters"});
  require_schema(fields, "spillway/known-errors/1");
  fields.get("note", read_text);
  auto layouts = fields.need("between_layouts", some(read_error_of_layouts));
  auto clusters = fields.need("between_clusters", some(read_error_of_clusters));
  if (!layouts || !clusters) return std::nullopt;
  return KnownErrors{*std::move(layouts), *std::move(clusters)};
}

}  // namespace

KnownErrors read_known_errors(const std::string& path, const Files& files) {
  return read_changed_document<KnownErrors>(path, "known-errors", Object(), files, read_both_lists);
}

KnownErrors shipped_known_errors(const Files& files) {
  return files.read(read_known_errors, shipped_or("workloads/errors/known-errors", "known_errors"));
}

}  // namespace spillway
