// Reads image sizes from JSON: a document or one object per line. Private to src/input.
//
// An object is a sample. Its images are
//   {"width": 800, "height": 600}                          one (COCO's images, Visual Genome, InternVL)
//   {"width_list": [800, 640], "height_list": [600, 480]}  several
//   {"image": {"width": ...}}, {"images": [{...}]}         in objects (SA-1B)
//   {"resolution": {"height": ...}}                        its own, beside its path (Open-Sora Plan)
//   {"image_wh": [[800, 600]]}                             in pairs (XTuner)
//   {"metadata": "[{\"original_width\": ...}, null]"}      in a text of JSON (OBELICS)
//   {"image": "a.jpg"}, {"images": ["a.jpg", "b.jpg"]}     without sizes (LLaVA, ShareGPT4V, ms-swift)
// or none: a sample of text, or of a video.
//
// A document is a list of samples, a sample, an object that has the list as its "images" (COCO) or "data"
// (TextVQA), or an object that names every sample (GQA).
#pragma once

#include <optional>
#include <string_view>

#include "base/findings.h"
#include "input/images/image_rows.h"
#include "workload/images.h"

namespace spillway {

// Every bad sample is a finding.
void read_image_json(std::string_view text, ImageRows& rows, Findings& findings);

// Returns the size that a sample of one image states; nothing if the text is no such sample.
std::optional<ImageSize> stated_image_size(std::string_view text);

}  // namespace spillway
