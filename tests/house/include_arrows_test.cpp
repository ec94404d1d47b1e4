// The house's arrows against the #include lines of src/ and sim/; CONTRIBUTING.md's map is printed from the
// same table.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

// An inner room, "cost/network", rests on everything that its room rests on, and on the inner rooms that it
// names. Files beside the inner rooms rest on all of them. Rooms stand above those that rest on them.
struct Room {
  std::string name;
  std::string what;
  Names rests_on;
};

const std::vector<Room> kRooms = {
    {"base", "ids, units, errors, text, files", {}},
    {"json", "documents, places in them, findings, settings, schemas", {"base"}},
    {"words", "tables, numbers, durations, files as wholes", {"base"}},
    {"model", "blocks, cut, regions, Lemma 1", {"base"}},
    {"order", "the graph: compressed sparse rows", {"base"}},
    {"platform", "accelerators, ports, tiers", {"base"}},
    {"workload", "image sizes, resize, packing", {"base"}},
    {"goodput", "failures, restarts and checkpoints of a long run", {"workload"}},
    {"schedule", "skeletons, lists, text form", {"model"}},
    {"derive", "placement x collectives x order", {"schedule", "order"}},
    {"timing", "Timeline, longest path, critical path, figures", {"derive"}},
    {"maxplus", "(max,+) transfer functions, steady state", {"timing"}},
    {"cost", "roofline, alpha-beta -> prices", {"derive", "workload", "platform"}},
    {"cost/network", "device groups, collectives on tiers, flows", {}},
    {"cost/layers", "architectures as layers of operators", {"cost/network"}},
    {"cost/operators", "what an operator takes: roofline, tables, surfaces", {"cost/network", "cost/layers"}},
    {"cost/slabs",
     "time, bytes and gradients of a stage and microbatch",
     {"cost/network", "cost/layers", "cost/operators"}},
    {"cost/measured", "measured passes, and what a layer takes by them", {"cost/network", "cost/slabs"}},
    {"memory", "what ranks hold over the step, and its peak", {"cost", "timing"}},
    {"program", "what each rank executes, and whether it can block for ever", {"cost", "json"}},
    {"sim", "order -> replay, in which flows share links", {"cost", "timing"}},
    {"sim/flows", "when and where flows go, and the engine that runs them", {}},
    {"sim/simgrid", "SimGrid as that engine: platform -> zones; a module", {"sim/flows"}},
    {"experiment", "the value: what is run, on what, against what", {"cost"}},
    {"draws", "its sampled batches: what each of them costs", {"experiment"}},
    {"systems", "training systems by name, each as a schedule", {"experiment"}},
    {"input", "JSON <-> types; every violation of an input", {"json", "draws", "systems"}},
    {"input/architecture", "config.json of a model family -> architecture", {}},
    {"input/text", "families of language models alone", {"input/architecture"}},
    {"input/platform", "platform files, tables of operators", {}},
    {"input/images", "image sizes from tables, JSON, folders and archives", {}},
    {"input/experiment",
     "experiments, cases, image traces, keys that change nothing",
     {"input/architecture", "input/platform", "input/images"}},
    {"launch", "launch scripts of frameworks as experiments", {"input"}},
    {"launch/shell", "shell scripts read without a shell", {}},
    {"launch/software", "the shipped frameworks: their devices, models and images", {}},
    {"launch/command",
     "a training program's arguments, devices and stages",
     {"launch/shell", "launch/software"}},
    {"launch/document", "TOML, YAML and JSON as settings, with their lines", {"launch/command"}},
    {"launch/megatron", "arguments of Megatron-LM and what is built on it", {"launch/document"}},
    {"launch/bridge", "recipes of Megatron-Bridge", {"launch/command"}},
    {"launch/nemo", "YAML of NeMo", {"launch/bridge"}},
    {"launch/titan", "settings of torchtitan", {"launch/document"}},
    {"launch/trainer", "the Hugging Face Trainer and what is built on it", {"launch/document"}},
    {"launch/write",
     "experiments as launches of frameworks",
     {"launch/megatron", "launch/bridge", "launch/titan"}},
    {"traces", "importers of traces; a trace as a pipeline", {"input", "timing"}},
    {"traces/files", "bytes, lines, columns, JSON events of large files", {}},
    {"traces/events", "events of a measured job, whoever wrote them", {"traces/files"}},
    {"traces/ascend", "passes from the kernels of Ascend's profiler", {"traces/events"}},
    {"traces/formats", "readers of traces, a file each", {"traces/ascend"}},
    {"traces/pipeline", "a trace as steps of a pipeline, and as an experiment", {"traces/formats"}},
    {"traces/logs", "training logs as steps: warm-up, drift, slow ranks", {"traces/files"}},
    {"traces/profile",
     "profiles without a pipeline: steps, layers, idle time",
     {"traces/formats", "traces/logs"}},
    {"traces/samples", "timings of messages, operators, passes", {"traces/formats"}},
    {"calibrate", "a platform fitted to samples, with intervals", {"traces"}},
    {"validate", "the model held against a trace", {"traces"}},
    {"optimize", "what is chosen before a step is timed: owners, splits, orders", {"draws", "timing"}},
    {"evaluate",
     "one experiment: draws, points, fits, cases",
     {"optimize", "input", "sim", "memory", "maxplus"}},
    {"warn", "what a reader of a result has to know, in sentences", {"evaluate"}},
    {"report",
     "text, JSON, pictures, traces",
     {"warn", "calibrate", "validate", "words", "launch", "program"}},
    {"report/order", "what derive prints", {}},
    {"report/page", "a document as a page for a browser", {}},
    {"report/step", "what run and explain print: text, JSON, pictures", {"report/order"}},
    {"report/trace", "the trace for Perfetto", {"report/step"}},
    {"report/inputs", "what images, import, validate and calibrate print", {}},
    {"report/run",
     "the page of a run: timelines as columns",
     {"report/step", "report/page", "report/inputs"}},
    {"sweep", "a grid of experiments, run, kept and shown", {"evaluate", "words"}},
    {"sweep/grid", "the axes of a sweep and their points", {}},
    {"sweep/store", "results in SQLite", {"sweep/grid"}},
    {"sweep/run", "threads, processes, MPI ranks", {}},
    {"sweep/table", "rows, export, ranking, summary", {"sweep/grid"}},
    {"sweep/plot", "pictures by gnuplot", {"sweep/table"}},
    {"search",
     "the layouts that serve a job best: bounds, search, ranking",
     {"sweep", "warn", "launch", "goodput"}},
    {"search/software", "the frameworks of a cluster: which, what each answers", {"search"}},
    {"search/answer", "what plan prints: choices, the decision, tables, JSON, a picture", {"search"}},
    {"ask", "layouts that users ask about: why not chosen, what would fit", {"search"}},
    {"explain", "where a step goes, and what would help", {"report"}},
    {"synthesize", "orders of passes that nobody wrote, with a bound", {"report"}},
    {"twin", "measured passes of a job: what they cover, and what follows", {"report"}},
    {"compare", "two runs held against each other: what moved, and why", {"report", "search"}},
    {"execute", "a program played with real messages and timed waits", {"report", "sweep"}},
    {"api",
     "each command as a function of documents and options",
     {"search", "ask", "explain", "synthesize", "twin", "compare", "execute"}},
    {"python", "the commands as functions of a Python module", {"api"}},
    {"cli", "one file per command", {"api"}},
};

// Third-party headers, by how their includes begin -> the only rooms that may include them.
const std::map<std::string, Names> kThirdParties = {
    {"nlohmann/",
     {"json", "traces", "calibrate", "report", "sweep", "search", "ask", "explain", "synthesize", "twin",
      "compare", "execute"}},
    {"rapidjson/", {"traces", "program"}},
    {"simgrid/", {"sim"}},
    {"boost/graph/", {"order", "maxplus"}},
    {"Eigen/", {"maxplus", "calibrate", "cost"}},
    {"zlib.h", {"json", "words"}},
    {"archive.h", {"input"}},
    {"archive_entry.h", {"input"}},
    {"protozero/", {"traces", "report"}},
    {"boost/math/", {"base", "evaluate"}},
    {"fmt/",
     {"words", "report", "sweep", "search", "ask", "explain", "synthesize", "twin", "compare", "execute"}},
    {"SQLiteCpp/", {"traces", "sweep"}},
    {"sqlite3.h", {"traces", "sweep"}},
    {"xxhash.h", {"json", "evaluate", "sweep"}},
    {"mpi.h", {"sweep", "execute"}},
    {"toml++/", {"launch"}},
    {"yaml-cpp/", {"launch"}},
    {"CLI/", {"cli"}},
    {"pybind11/", {"python"}},
};

const Room* room_called(const std::string& name) {
  const auto room =
      std::find_if(kRooms.begin(), kRooms.end(), [&](const Room& each) { return each.name == name; });
  return room == kRooms.end() ? nullptr : &*room;
}

// Returns the outer room of a room or of a file in it.
std::string outermost(const std::string& path) {
  return path.substr(0, path.find('/'));
}

// Returns the folder of a file. Its path is from src/, or from the repository if it begins with sim/.
std::string folder_of(const std::string& file) {
  return file.find('/') == std::string::npos ? "" : file.substr(0, file.rfind('/'));
}

void add_reach(const std::string& name, std::set<std::string>& reached) {
  if (!reached.insert(name).second) return;
  for (const std::string& below : room_called(name)->rests_on) add_reach(below, reached);
  if (const std::string outer = outermost(name); outer != name)
    for (const std::string& below : room_called(outer)->rests_on) add_reach(below, reached);
}

// Returns the rooms that files of `room` may include: itself and all it rests on.
std::set<std::string> reach(const std::string& room) {
  std::set<std::string> reached;
  add_reach(room, reached);
  return reached;
}

struct Include {
  std::string file;  // from src/ or, sim/..., from the repository
  std::string path;  // the included file
  bool quoted;       // "ours", not <theirs>
};

bool allowed(const Include& include) {
  const std::string room = folder_of(include.file);
  if (!room_called(room)) return false;
  if (include.quoted) {
    const std::set<std::string> reached = reach(room);
    return reached.contains(folder_of(include.path)) || reached.contains(outermost(include.path));
  }
  for (const auto& [start, owners] : kThirdParties)
    if (include.path.starts_with(start))
      return std::find(owners.begin(), owners.end(), outermost(room)) != owners.end();
  return true;
}

// Returns the includes of one source text, in order.
std::vector<Include> includes_of(const std::string& file, const std::string& text) {
  static const std::regex line_form(R"(\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
  std::vector<Include> found;
  std::istringstream source(text);
  for (std::string line; std::getline(source, line);) {
    std::smatch part;
    if (std::regex_match(line, part, line_form)) found.push_back({file, part[2], part[1] == "\""});
  }
  return found;
}

// Returns who may include a header: "Private to src/derive." or "Private to src/sweep/run/ranks.cpp."; "" if
// the header does not say.
std::string privacy_in(const std::string& text) {
  static const std::regex words(R"(Private\s+(?://\s+)?to\s+(?://\s+)?(?:src/)?([\w/.]*[\w/]))");
  std::smatch part;
  return std::regex_search(text, part, words) ? part[1].str() : "";
}

using Files = std::map<std::string, std::string>;  // path as in Include: text

Names forbidden(const Files& files) {
  Names lines;
  for (const auto& [file, text] : files)
    for (const Include& include : includes_of(file, text)) {
      if (!allowed(include)) lines.push_back(file + " may not include " + include.path);
      const auto header = files.find(include.path);
      if (!include.quoted || header == files.end()) continue;
      const std::string owner = privacy_in(header->second);
      if (!owner.empty() && file != owner && !file.starts_with(owner + "/"))
        lines.push_back(file + " may not include " + include.path + ", which is private to " + owner);
    }
  return lines;
}

Files sources() {
  Files files;
  for (const std::string top : {"src", "sim"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SPILLWAY_SOURCE_DIR) / top)) {
      const fs::path path = entry.path();
      if (path.extension() != ".h" && path.extension() != ".cpp") continue;
      std::ifstream source(path);
      const fs::path base = top == "src" ? fs::path(SPILLWAY_SOURCE_DIR) / top : SPILLWAY_SOURCE_DIR;
      files[fs::relative(path, base).string()] = std::string(std::istreambuf_iterator<char>(source), {});
    }
  return files;
}

std::string joined(const Names& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : " ") + name;
  return all;
}

std::string padded(std::string text, std::size_t columns) {
  text.resize(std::max(columns, text.size()), ' ');
  return text;
}

// Returns the map of CONTRIBUTING.md: a line for each room, inner ones indented, and what it rests on.
std::string map_of_the_house() {
  std::string map;
  for (const Room& room : kRooms) {
    const bool inner = room.name != outermost(room.name);
    const std::string name = inner ? "  " + room.name.substr(room.name.find('/') + 1) : room.name;
    Names below = room.rests_on;
    for (std::string& each : below)
      if (inner && outermost(each) == outermost(room.name)) each = each.substr(each.find('/') + 1);
    const std::string arrows = below.empty() ? "" : "<- " + joined(below);
    map += padded(padded(name, 15) + padded(room.what, 62) + arrows, 0) + "\n";
  }
  std::string trimmed;
  std::istringstream lines(map);
  for (std::string line; std::getline(lines, line);)
    trimmed += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return trimmed;
}

TEST(IncludeArrows, HoldInSrcAndSim) {
  const Files files = sources();
  EXPECT_GT(files.size(), 300u);  // the sources were found and read
  EXPECT_EQ(forbidden(files), Names{});
}

// Rooms stand above those that rest on them: if every arrow points up the page there is no circle.
TEST(IncludeArrows, PointUpTheTable) {
  std::set<std::string> above;
  for (const Room& room : kRooms) {
    for (const std::string& below : room.rests_on)
      EXPECT_TRUE(above.contains(below)) << room.name << " on " << below;
    above.insert(room.name);
  }
}

TEST(IncludeArrows, AreTheMap) {
  std::ifstream file(fs::path(SPILLWAY_SOURCE_DIR) / "CONTRIBUTING.md");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(text.find("```\n" + map_of_the_house() + "```\n"), std::string::npos)
      << "CONTRIBUTING.md is to hold, between two lines of ```:\n"
      << map_of_the_house();
}

TEST(Rooms, SayInTheirReadmeWhatTheyRestOn) {
  for (const Room& room : kRooms) {
    if (room.name != outermost(room.name) || room.name == "maxplus") continue;
    std::string below;
    for (const std::string& each : room.rests_on) below += (below.empty() ? "" : ", ") + each;
    const std::string folder = room.name == "sim" ? "sim" : "src/" + room.name;
    std::ifstream file(fs::path(SPILLWAY_SOURCE_DIR) / folder / "README.md");
    const std::string readme(std::istreambuf_iterator<char>(file), {});
    EXPECT_NE(readme.find("\nRests on " + (below.empty() ? "nothing but" : below + ".\n")), std::string::npos)
        << folder << "/README.md is to say: Rests on " << below;
  }
}

// A folder is small enough to remember.
TEST(Rooms, AreOfAFewFilesAndLines) {
  std::map<std::string, std::size_t> count, lines;
  for (const auto& [file, text] : sources()) {
    ++count[folder_of(file)];
    lines[folder_of(file)] += std::count(text.begin(), text.end(), '\n');
  }
  for (const auto& [folder, files] : count) EXPECT_LE(files, 45u) << folder;
  for (const auto& [folder, size] : lines) EXPECT_LE(size, 5000u) << folder;
}

// A property with its own seed would fail in one run of a hundred, and for nobody else.
TEST(Properties, AreDrawnFromTheFixedSeed) {
  std::size_t properties = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(SPILLWAY_SOURCE_DIR) / "tests")) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    std::ifstream source(entry.path());
    for (const Include& include :
         includes_of(entry.path().string(), {std::istreambuf_iterator<char>(source), {}})) {
      if (include.path == "support/property.h") ++properties;
      const bool seeded =
          include.path != "rapidcheck/gtest.h" || include.file.ends_with("support/property.h");
      EXPECT_TRUE(seeded) << include.file;
    }
  }
  EXPECT_GT(properties, 20u);
}

TEST(IncludeArrows, AnArrowBackIsSeen) {
  EXPECT_EQ(forbidden({{"order/a.h", "#include \"derive/derive.h\"\n"}}),
            Names{"order/a.h may not include derive/derive.h"});
  EXPECT_EQ(forbidden({{"cli/a.cpp", "#include \"base/id.h\"\n"}}), Names{});
}

TEST(IncludeArrows, AThirdPartyOutsideItsHomeIsSeen) {
  EXPECT_EQ(forbidden({{"derive/a.h", "#include <nlohmann/json.hpp>\n"}}).size(), 1u);
  EXPECT_EQ(forbidden({{"timing/a.h", "  # include <simgrid/s4u.hpp>\n"}}).size(), 1u);
  EXPECT_EQ(forbidden({{"json/a.h", "#include <nlohmann/json.hpp>\n#include <vector>\n"}}).size(), 0u);
}

TEST(IncludeArrows, AFolderOutsideTheTableIsSeen) {
  EXPECT_EQ(forbidden({{"helpers/a.h", "#include <vector>\n"}}).size(), 1u);
  EXPECT_EQ(forbidden({{"cost/helpers/a.h", "#include <vector>\n"}}).size(), 1u);
}

TEST(IncludeArrows, APrivateHeaderOutsideItsHomeIsSeen) {
  const Files files = {{"derive/a.h", "// Turns. Private\n// to src/derive.\n"},
                       {"derive/b.cpp", "#include \"derive/a.h\"\n"},
                       {"timing/c.cpp", "#include \"derive/a.h\"\n"}};
  EXPECT_EQ(forbidden(files), Names{"timing/c.cpp may not include derive/a.h, which is private to derive"});
}

}  // namespace
