#include "sweep/store/heading_differences.h"

#include "base/text.h"

namespace spillway {
namespace {

// Where two headings of one field differ.
class Differences {
 public:
  explicit Differences(const std::string& path) : path_(path) {}

  void add(const std::string& field, const std::string& expected, const std::string& found) {
    if (expected != found) found_.push_back({path_, "/heading/" + field, expected, found});
  }
  const std::vector<Violation>& found() const { return found_; }

 private:
  std::string path_;
  std::vector<Violation> found_;
};

std::string axes_text(const SweepHeading& heading) {
  return heading.axes.empty() ? "none" : joined(heading.axes);
}

std::string engine(const SweepHeading& heading) {
  return heading.reports_replays ? "simgrid" : "longest-path";
}

}  // namespace

// The plain fields first: where one of them differs, the content of the sweep says nothing more.
std::vector<Violation> differences(const std::string& path, const SweepHeading& expected,
                                   const SweepHeading& found) {
  Differences all(path);
  all.add("sweep", "results of sweep " + expected.name, "results of sweep " + found.name);
  all.add("draws", counted(expected.draws, "draw"), counted(found.draws, "draw"));
  all.add("seed", "seed " + std::to_string(expected.seed), "seed " + std::to_string(found.seed));
  all.add("engine", engine(expected), engine(found));
  all.add("axes", axes_text(expected), axes_text(found));
  if (all.found().empty() && expected.identity != found.identity)
    all.add("identity", "results of this sweep (" + expected.identity + ")",
            "results of one of the same name (" + found.identity +
                "): the sweep, its experiment or a file that they name has changed; choose another --out");
  if (all.found().empty() && expected.document != found.document)
    all.add("document", "the sweep as it is",
            "the same points with other names or notes: restore these, or choose another --out");
  all.add("program", "results of version " + expected.program, "results of version " + found.program);
  return all.found();
}

}  // namespace spillway
