// The kinds of documents, drawn inside rc::gen::exec. Private to tests/laws.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace spillway::testing {

using Json = nlohmann::ordered_json;

// Draws every skeleton, cut, owner map and order, replicas, uneven splits, and work that is given, measured
// or drawn from images. The result is always an experiment.
Json given_document();

// Draws an encoder, a backbone and at times a generator with given durations, for systems and modules. The
// result is always an experiment.
Json multimodal_document();

// Draws shipped architectures, platforms and traces in a layout; a layout that is refused is drawn again.
Json analytic_document();

// Tries to add schedules to the document: systems, modules, and neighbours of those it has. An entry stays if
// the document is an experiment with it.
Json with_more_schedules(Json document, std::uint32_t tries);
// Adds optional parts to the document: what-ifs, fits, a memory limit, words for people.
Json with_extras(Json document);

// Returns whether `run` accepts the document.
bool is_experiment(const Json& document);

// Return a framework as part of a document, and a number of a framework or a platform.
Json any_framework();
Json figure(double value);

// Returns the role, such as "encoder", that the block states or its name implies.
std::string role_of(const Json& block);
// CUDA graphs over the step are refused with an encoder; they become graphs over layers.
void graphs_without_images(Json& document);

// Returns images of a trace as the work of a block with a profile.
Json image_work();

std::string shipped(const std::string& path);

// Adds those keys of a schedule, beside its text, that have an effect.
void draw_options(Json& schedule, bool drawn, std::uint32_t microbatches);

}  // namespace spillway::testing
