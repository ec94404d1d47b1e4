// Test: tests/launch/trainer_scripts_test.cpp.
#include "launch/command/images.h"

#include "launch/command/experiment.h"
#include "launch/command/json_members.h"

namespace spillway {

Object image_workload(const LaunchOptions& options, const Object& rule, const ImageSamples& microbatch,
                      Findings& findings) {
  if (options.images.empty())
    findings.add("--images",
                 "a table of the images' sizes, such as coco_val2017, which settings do not state", "none");
  if (!options.text_tokens)
    findings.add("--text-tokens", "the text tokens of a sample, which settings do not state", "none");
  Object workload;
  add_member(workload, "trace", from_anywhere(options.images));
  if (!rule.empty()) add_member(workload, "rule", Node{rule});
  add_member(workload, "images_per_sample", options.images_per_sample);
  add_member(workload, "text_tokens", options.text_tokens.value_or(1));
  add_member(workload, "packing", microbatch.packed_tokens ? "packed" : "unpacked");
  if (microbatch.packed_tokens)
    add_member(workload, "sequence_tokens", *microbatch.packed_tokens);
  else
    add_member(workload, "samples_per_microbatch", microbatch.samples);
  return workload;
}

}  // namespace spillway
