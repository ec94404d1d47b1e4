#include "dice.h"
#include "shape.h"
#include "support/skeletons.h"

namespace spillway::testing {
namespace {

// Returns modules that all run one skeleton.
Json with_modules(const Shape& shape) {
  const std::string skeleton = any_of<std::string>({"1f1b", "1f1b", "gpipe", "zb-h1"});
  std::string text = skeleton;
  for (std::size_t module = 1; module < shape.modules.size(); ++module) text += "," + skeleton;
  return {{"name", "modules"}, {"schedule", text}, {"modules", module_list(shape)}};
}

Json in_one_pipeline(const Shape& shape) {
  std::string body(kPipelined[number(0, kPipelined.size() - 1)]);
  if (one_in(4)) body = "1f1b,1f1b";
  const bool transposed = shape.has_encoder && !one_in(4);
  Json entry = {{"name", "written"}, {"schedule", transposed ? "transpose," + body : body}};
  const bool woven = body == "1f1b,1f1b";
  if (transposed && woven)
    entry["cut"] = {shape.encoder(), shape.encoder() + (shape.layers() - shape.encoder()) / 2};
  if (!transposed && woven) entry["cut"] = {shape.layers() / 2};
  if (transposed && !woven && shape.modules.size() > 2) entry["cut"] = {shape.encoder()};
  return entry;
}

}  // namespace

Json written_entry(const Shape& shape) {
  const bool apart = shape.modules.size() > 1 && one_in(3);
  Json entry = apart ? with_modules(shape) : in_one_pipeline(shape);
  const bool one_region = entry["schedule"].get<std::string>().find(',') == std::string::npos;
  if (apart && one_in(2)) entry["split"] = "balanced";
  if (!apart && one_in(2))
    entry["split"] = one_region ? any_of<std::string>({"balanced", "joint", "disaggregated"}) : "balanced";
  draw_options(entry, shape.drawn, shape.microbatches);
  if (one_in(3)) entry["planning_ms"] = number(0, 400) * 0.5;
  return entry;
}

}  // namespace spillway::testing
