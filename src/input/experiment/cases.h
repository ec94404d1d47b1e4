// Measured training steps to hold the model against: spillway/cases/1, see `spillway schema cases`.
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

struct MeasuredCase {
  std::string name;
  std::optional<Seconds> step;   // measured; nothing where a case is a prediction alone
  std::optional<Seconds> blind;  // predicted and published before anybody here knew what was measured
  std::optional<Bytes> memory;   // measured, of the device that holds the most
  bool fitted = false;           // calibration may use it, so it proves nothing
};

// A number of the base experiment that calibration may change, within these bounds.
struct FitRange {
  std::string pointer;
  double from;
  double to;
};

struct CaseTable {
  std::string name;
  std::string source;
  std::vector<std::string> assumptions;  // the table's, then the base experiment's
  std::vector<FitRange> fit;
  std::vector<MeasuredCase> cases;
};

struct Node;

// A table as it was read. Each case is the base experiment with some of its values set.
class CaseFile {
 public:
  // Throws InputError with every violation of the file and of every case.
  explicit CaseFile(const Source& source);

  const CaseTable& table() const { return table_; }
  const std::string& path() const { return path_; }

  // The experiment of case `index`; `base` is set in the base experiment before the case's own values,
  // `changes` after them. Throws InputError where these make it impossible.
  Experiment experiment(std::size_t index, const std::vector<Setting>& base = {},
                        const std::vector<Setting>& changes = {}) const;

 private:
  void check_cases();
  std::vector<Violation> check_fit() const;

  std::string path_;
  std::shared_ptr<FileMemory> memory_;  // every case names the same files
  CaseTable table_;
  std::shared_ptr<const Node> base_;               // the experiment as written
  std::vector<std::shared_ptr<const Node>> sets_;  // of each case, an object
};

}  // namespace spillway
