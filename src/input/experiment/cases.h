// Reads measured training steps, which validate the model: spillway/cases/1, see `spillway schema cases`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "experiment/experiment.h"
#include "json/file_memory.h"
#include "json/settings.h"
#include "json/source.h"

namespace spillway {

// The end of a measured run, as far as its source says.
enum class RunEnd { Unknown, Ran, OutOfMemory };

struct MeasuredCase {
  std::string name;
  std::optional<Seconds> step;   // measured; absent if a case is only a prediction
  std::optional<Seconds> blind;  // predicted and published before the measurement was known here
  std::optional<Bytes> memory;   // measured, on the device with the most
  bool fitted = false;           // calibration may use it, so it proves nothing
  std::string of_class = {};     // the kind of job whose errors it counts to; empty: none is stated
  RunEnd end = RunEnd::Unknown;
};

// A number of the base experiment that calibration may change, within bounds.
struct FitRange {
  std::string pointer;
  double from;
  double to;
};

struct CaseTable {
  std::string name;
  std::string source;
  std::vector<std::string> assumptions;  // those of the table, then those of the base experiment
  std::vector<FitRange> fit;
  std::vector<MeasuredCase> cases;
};

struct Node;

// A table that was read. Each case is the base experiment with some values set.
class CaseFile {
 public:
  // Throws InputError with every violation of the file and of every case.
  explicit CaseFile(const Source& source);

  const CaseTable& table() const { return table_; }
  const std::string& path() const { return path_; }

  // Returns the experiment of case `index`. `base` is set in the base experiment before the case's own
  // values, `changes` after them. Throws InputError if they make the experiment invalid.
  Experiment experiment(std::size_t index, const std::vector<Setting>& base = {},
                        const std::vector<Setting>& changes = {}) const;
  // Returns the document of that experiment. Contract: experiment() accepts it.
  Node document(std::size_t index, const std::vector<Setting>& base = {}) const;

 private:
  void check_cases();
  std::vector<Violation> check_fit() const;

  std::string path_;
  std::shared_ptr<FileMemory> memory_;  // shared, since every case names the same files
  CaseTable table_;
  std::shared_ptr<const Node> base_;               // the experiment as written
  std::vector<std::shared_ptr<const Node>> sets_;  // by case, each an object
};

}  // namespace spillway
