// The two kinds of documents, drawn inside rc::gen::exec. Private to tests/laws.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace spillway::testing {

using Json = nlohmann::ordered_json;

// Every skeleton, cut, owner map and order, replicas, uneven splits; work that is given, measured or drawn
// from images. Always an experiment.
Json given_document();

// Shipped architectures, platforms and traces in a layout that may be none: one that is refused is drawn
// again.
Json analytic_document();

std::string shipped(const std::string& path);

// What schedules have beside their text, where it says something.
void draw_options(Json& schedule, bool drawn, std::uint32_t microbatches);

}  // namespace spillway::testing
