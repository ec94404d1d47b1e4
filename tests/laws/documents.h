// The kinds of documents, drawn inside rc::gen::exec. Private to tests/laws.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace spillway::testing {

using Json = nlohmann::ordered_json;

// Every skeleton, cut, owner map and order, replicas, uneven splits; work that is given, measured or drawn
// from images. Always an experiment.
Json given_document();

// An encoder, a backbone and now and then a generator with given durations: what systems and modules are of.
// Always an experiment.
Json multimodal_document();

// Shipped architectures, platforms and traces in a layout that may be none: one that is refused is drawn
// again.
Json analytic_document();

// The document with more schedules, as many as stand of so many that are tried: systems, modules, and
// neighbours of those it has.
Json with_more_schedules(Json document, std::uint32_t tries);
// The document with what any document may have: what-ifs, fits, a memory limit, words for people.
Json with_extras(Json document);

// Does `run` take it?
bool is_experiment(const Json& document);

// A framework, as part of a document, and a number of one or of a platform.
Json any_framework();
Json figure(double value);

// "encoder", as the block says or its name does.
std::string role_of(const Json& block);

// Images of a trace for the work of a block with a profile.
Json image_work();

std::string shipped(const std::string& path);

// What schedules have beside their text, where it says something.
void draw_options(Json& schedule, bool drawn, std::uint32_t microbatches);

}  // namespace spillway::testing
