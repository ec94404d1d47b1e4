// Measured passes as users write them: rows of a table, in CSV or JSON.
//
//   stage,direction,tokens,patches,milliseconds
//   vit,forward,,1024 784,3.1
//   llm:0-4,backward,2x2048,,41.7
//   llm:0-4,optimizer,,,2.5
//
// stage         consecutive layers: blocks joined by '+', each with layers [first, end) of it or whole
// direction     forward, backward, input_gradient, weight_gradient or optimizer
// tokens        of each sequence of the microbatch, separated by blanks; 2x2048 are two of 2048
// patches       of each image, in the same way; empty where no layer encodes images
//               "784; 1024 784" are two microbatches, of which the other columns are means
// milliseconds  of one pass, or of the optimizer in one step; a repeat is a further row; may be empty beside
//               bytes
// bytes         may be left out: of a forward, what it keeps on the device for its backward, which is the
//               memory allocated after it less that before it
//
// The optimizer goes from reduced gradients to new parameters, without messages.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/findings.h"
#include "cost/analytic_costs.h"
#include "json/file_memory.h"
#include "json/place.h"
#include "model/model.h"

namespace spillway {

inline constexpr std::string_view kOptimizerWord = "optimizer";  // a direction that is no pass
inline constexpr Range kMilliseconds{
    .above = 0, .at_most = 1e9, .expected = "milliseconds above 0 and at most 1e9"};

struct MeasuredRow {
  std::string file, place;  // for violations
  std::string stage;
  std::string direction;
  std::string tokens, patches;       // lists of counts, a list for each microbatch, separated by ';'
  std::vector<double> milliseconds;  // empty if bytes alone are known
  std::vector<double> bytes = {};    // kept by a forward; empty if it is not known
};

inline constexpr std::string_view kMeasuredHeader = "stage,direction,tokens,patches,milliseconds";

// Returns true if the text begins with a header whose first column is "stage".
bool begins_measured(std::string_view text);

// Reads the rows of a CSV file. Columns may be in any order, "bytes" may be among them, and others are
// refused. Throws InputError with
// every line that is none.
std::vector<MeasuredRow> read_measured_csv(const std::string& path, const Files& files);

// "2x2048 1024" for 2048, 2048, 1024.
std::string counts_text(const std::vector<std::uint32_t>& counts);

// Returns the passes of these rows in this model; equal passes are one with several times. Adds what does not
// fit the model to `findings`: a block or layers that it does not have, layers that do not follow each other,
// sizes that are missing, patches where no block encodes images, times beyond kMilliseconds, an optimizer of
// frozen layers, no pass at all. `layout` and recomputation are those
// of `costs`.
std::shared_ptr<const PassTable> measured_passes(const std::vector<MeasuredRow>& rows, const Model& model,
                                                 const AnalyticCosts& costs, Findings& findings);

// Reads "measured" of an experiment with architectures: the path of a CSV file, or rows. Puts the passes into
// the costs, which are whole otherwise.
void read_measured(const Place& place, const Model& model, AnalyticCosts& costs);

}  // namespace spillway
