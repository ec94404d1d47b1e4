// The schemas against the shipped documents and against the readers on mutated documents. Every key has a
// description.
#include "json/schema.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "experiment/experiment.h"
#include "input/experiment/cases.h"
#include "input/platform/platform_reader.h"
#include "mutations.h"
#include "support/schema_check.h"
#include "sweep/grid/file.h"
#include "written.h"

namespace spillway {
namespace {

using testing::SchemaCheck;
using Json = nlohmann::json;

// Finds properties that have no description, neither of their own nor of the definition that they refer to.
void unexplained(const Json& root, const Json& node, const std::string& pointer,
                 std::vector<std::string>& found) {
  if (node.is_object() && node.contains("properties")) {
    for (const auto& [key, property] : node["properties"].items()) {
      const Json& meant = property.contains("$ref")
                              ? root.at(Json::json_pointer(property["$ref"].get<std::string>().substr(1)))
                              : property;
      // An example stands beside the definition that explains its key.
      const bool only_example = meant.size() == 1 && meant.contains("examples");
      if (!meant.contains("description") && !only_example) found.push_back(pointer + "/" + key);
    }
  }
  if (!node.is_structured()) return;
  for (const auto& [key, child] : node.items()) unexplained(root, child, pointer + "/" + key, found);
}

TEST(Schema, EveryKeyIsExplained) {
  for (const char* kind : {"cases",
                           "check",
                           "comparison",
                           "derivation",
                           "execution",
                           "experiment",
                           "framework",
                           "known-errors",
                           "launch",
                           "launches",
                           "layout-explanation",
                           "plan",
                           "plans",
                           "platform",
                           "program",
                           "report",
                           "support",
                           "sweep",
                           "synthesis",
                           "twin",
                           "validation",
                           "validation-cases",
                           "validation-tables"}) {
    std::vector<std::string> found;
    const Json schema = Json::parse(json_schema(kind).value());
    unexplained(schema, schema, "", found);
    EXPECT_EQ(found, std::vector<std::string>{}) << kind;
  }
}

TEST(Schema, OtherKindsHaveNone) {
  EXPECT_FALSE(json_schema("nothing").has_value());
}

void accepts_all(const std::string& folder, std::string_view kind, int at_least = 3) {
  SchemaCheck schema(kind);
  int checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shipped(folder))) {
    if (entry.path().extension() != ".json") continue;
    EXPECT_TRUE(schema.accepts(Json::parse(content_of(entry.path().string())))) << entry.path();
    ++checked;
  }
  EXPECT_GE(checked, at_least);
}

TEST(Schema, AcceptsEveryShippedExperiment) {
  accepts_all("workloads/experiments", "experiment");
}
TEST(Schema, AcceptsEveryShippedPlatform) {
  accepts_all("platforms", "platform");
}

TEST(Schema, AcceptsEveryShippedStudy) {
  accepts_all("workloads/studies", "sweep", 1);
}

TEST(Schema, AcceptsEveryShippedJob) {
  accepts_all("workloads/jobs", "plan", 2);
}

TEST(Schema, AcceptsEveryShippedTable) {
  accepts_all("workloads/published", "cases");
}

TEST(Schema, AcceptsTheKnownErrors) {
  accepts_all("workloads/errors", "known-errors", 1);
}

// Schema and reader both accept a mutated document, or both refuse it.
template <class Read>
void agree(const std::string& file, const Json& document, std::string_view kind,
           const std::set<std::string>& beyond_schemas, Read read) {
  SchemaCheck schema(kind);
  const std::filesystem::path beside = std::filesystem::path(shipped(file)).parent_path();
  int accepted = 0, refused = 0;
  for (const Mutation& mutation : mutations_of(document)) {
    if (beyond_schemas.contains(mutation.what)) continue;
    const bool by_schema = schema.accepts(mutation.document);
    const bool by_reader = read(mutation.document.dump(), beside.string());
    EXPECT_EQ(by_schema, by_reader) << file << ": " << mutation.what;
    (by_schema ? accepted : refused) += 1;
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(refused, 20);
}

template <class Read>
void agree(const std::string& file, std::string_view kind, const std::set<std::string>& beyond_schemas,
           Read read) {
  agree(file, Json::parse(content_of(shipped(file))), kind, beyond_schemas, read);
}

// Paths inside are relative to the shipped file, so the mutated document names them from there.
bool experiment_reads(const std::string& text, const std::string& beside) {
  Json document = Json::parse(text);
  std::string copy = document.dump();
  for (const std::string prefix : {"../../platforms/", "../models/", "../traces/"}) {
    const std::string whole = (std::filesystem::path(beside) / prefix).lexically_normal().string();
    for (std::size_t at = copy.find('"' + prefix); at != std::string::npos;
         at = copy.find('"' + prefix, at + 1))
      copy.replace(at + 1, prefix.size(), whole);
  }
  return experiment_complaints(copy).empty();
}

bool platform_reads(const std::string& text, const std::string&) {
  const std::string path = written("p.json", text);
  return complaints([&] { read_platform(path); }).empty();
}

// Schemas do not relate one number to another; only readers do. Each test names the mutations of that kind.

TEST(Schema, AgreesWithTheReaderOnGivenDurations) {
  agree("workloads/experiments/small.json", "experiment", {}, experiment_reads);
}

TEST(Schema, AgreesWithTheReaderOnMemory) {
  const std::string file = "workloads/experiments/small.json";
  Json document = Json::parse(content_of(shipped(file)));
  document["memory"] = {{"limit_gb", 64}};
  for (Json& block : document["model"]["blocks"])
    for (const char* key : {"activation_bytes", "parameter_bytes", "gradient_bytes", "optimizer_bytes"})
      block["profile"][key] = 1e9;
  document["model"]["blocks"][1]["profile"]["weight_gradient_activation_bytes"] = 5e8;
  document["model"]["blocks"][1]["profile"]["fused_forward_backward_ms"] = 40;
  const std::string fused = "/model/blocks/1/profile/fused_forward_backward_ms = ";
  agree(file, document, "experiment",
        {fused + "0.5", fused + "7",                          // less than half of its passes
         "/model/blocks/1/profile/activation_bytes = 0.5",    // below weight_gradient_activation_bytes
         "remove /model/blocks/1/profile/activation_bytes"},  // required by a limit
        experiment_reads);
}

TEST(Schema, AgreesWithTheReaderOnMeasuredWork) {
  const std::string file = "workloads/experiments/small.json";
  Json document = Json::parse(content_of(shipped(file)));
  document["network"]["reduction_ms"] = 1.5;
  document["model"]["blocks"][0]["backward_work_per_microbatch"] = {1, 2, 3};
  document["model"]["blocks"][1]["measured_work"] = {{{{1, 1.5}, {2, 2}}}, {{{1, 1}, {0, 0.5}}}};
  document["schedules"][1] = {{"name", "l"},
                              {"schedule", "listed"},
                              {"actions",
                               {"0F0,0F1,0F2,0B0,0B1,0B2", "1F0,1F1,1F2,1B0,1B1,1B2",
                                "2F0,2F1,2F2,2B0,2B1,2B2", "3F0,3F1,3F2,3B0,3B1,3B2"}}};
  document["baseline"] = "l";
  agree(file, document, "experiment",
        {"remove /schedules/1/actions"},  // required by listed, unless there is a file
        experiment_reads);
}

TEST(Schema, AgreesWithTheReaderOnImageWork) {
  const std::string file = "workloads/experiments/image-work.json";
  Json document = Json::parse(content_of(shipped(file)));
  Json& images = document["model"]["blocks"][0]["image_work"];
  images["rule"] = {{"min_pixels", 3136}, {"max_pixels", 100352}};
  images["text_only_share"] = 0.25;
  images["text_tokens"] = 100;
  images["max_patches"] = 9000;
  const std::set<std::string> beyond = {// these files do not exist
                                        "/model/blocks/0/image_work/images_per_sample = \"text\"",
                                        "/model/blocks/0/image_work/text_tokens = \"text\""};
  agree(file, document, "experiment", beyond, experiment_reads);
  images["packing"] = "packed";
  images.erase("samples_per_microbatch");
  images["sequence_tokens"] = 4096;
  agree(file, document, "experiment", beyond, experiment_reads);
}

TEST(Schema, AgreesWithTheReaderOnArchitectures) {
  const std::string file = "workloads/experiments/experiment-a.json";
  Json document = Json::parse(content_of(shipped(file)));
  document["network"] = {{"p2p", "blocking"}, {"collectives", "flows"}};
  agree(file, document, "experiment",
        {"remove /parallel/tensor",
         "remove /pipeline/replicas"},  // 32 experts then do not fit a stage's devices
        experiment_reads);
}

TEST(Schema, AgreesWithTheReaderOnTextModels) {
  Json document = Json::parse(content_of(shipped("workloads/experiments/experiment-b.json")));
  document["model"]["blocks"].erase(0);
  document["workload"] = {{"sequence_tokens", 2048}, {"sequences_per_microbatch", 2}};
  document["platform_set"] = Json::object();
  document["schedules"] = {{{"name", "a"}, {"schedule", "1f1b"}}};
  document.erase("baseline");
  document.erase("fit");
  agree("workloads/experiments/experiment-b.json", document, "experiment", {}, experiment_reads);
}

bool cases_read(const std::string& text, const std::string&) {
  const std::string path = written("cases.json", text);
  return complaints([&] { CaseFile file(path); }).empty();
}

TEST(Schema, AgreesWithTheReaderOnCases) {
  Json experiment = Json::parse(content_of(shipped("workloads/experiments/small.json")));
  experiment["schedules"].erase(1);
  experiment.erase("baseline");
  const Json document = {{"schema", "spillway/cases/1"},
                         {"name", "x"},
                         {"source", "s"},
                         {"note", "n"},
                         {"class", "c"},
                         {"assumptions", {"a"}},
                         {"experiment", experiment},
                         {"fit", {{{"pointer", "/network/p2p_ms"}, {"from", 1}, {"to", 8}}}},
                         {"cases",
                          {{{"name", "one"},
                            {"class", "c"},
                            {"set", {{"/network/p2p_ms", 1}}},
                            {"measured_s", 1},
                            {"measured_memory_gb", 1},
                            {"fitted", true},
                            {"run", "ran"}},
                           {{"name", "two"}, {"set", {{"/network/p2p_ms", 1}}}, {"run", "out-of-memory"}}}}};
  std::set<std::string> beyond = {"/fit/0/to = 0.5"};      // not above `from`
  for (const Mutation& mutation : mutations_of(document))  // the experiment's schema covers the base
    if (mutation.what.find("/experiment/") != std::string::npos ||
        mutation.what.find("/set/") != std::string::npos)
      beyond.insert(mutation.what);
  agree("workloads/experiments/small.json", document, "cases", beyond, cases_read);
}

bool sweep_reads(const std::string& text, const std::string&) {
  const std::string path = written("sweep.json", text);
  return complaints([&] { SweepFile file(path); }).empty();
}

TEST(Schema, AgreesWithTheReaderOnSweeps) {
  const Json document = {
      {"schema", "spillway/sweep/1"},
      {"name", "x"},
      {"note", "n"},
      {"experiment", Json::parse(content_of(shipped("workloads/experiments/small.json")))},
      {"set", {{"/network/p2p", "blocking"}}},
      {"axes",
       {{{"pointer", "/network/p2p_ms"}, {"values", {1, 2.5}}},
        {{"zip",
          {{{"pointer", "/schedules/0/owner"}, {"values", {"greedy", "blocked"}}},
           {{"pointer", "/model/blocks/0/profile/forward_ms"},
            {"range", {{"from", 1}, {"to", 100}, {"count", 2}, {"scale", "log"}}}}}}},
        {{"pointer", "/model/blocks/1/profile/forward_ms"},
         {"range", {{"from", 1}, {"to", 8}, {"step", 3.5}}}},
        {{"pointer", "/model/blocks/1/profile/input_gradient_ms"},
         {"range", {{"from", 1}, {"to", 8}, {"factor", 3.5}}}}}},
      {"constraints",
       Json::array({{{"left", {{"product", {"/network/p2p_ms", 2}}}}, {"is", "<"}, {"right", 100}}})},
      {"draws", 2},
      {"seed", 3},
      {"simgrid", {{"sample", 1}}}};
  std::set<std::string> beyond;
  for (const Mutation& mutation : mutations_of(document)) {
    // The experiment checks pointers and values, and the length of axes; the schema does not.
    for (const char* part :
         {"/experiment/", "/set/", "/axes/", "/constraints/", "experiment = {}", "experiment = \"text\""})
      if (mutation.what.find(part) != std::string::npos) beyond.insert(mutation.what);
  }
  agree("workloads/experiments/small.json", document, "sweep", beyond, sweep_reads);
}

TEST(Schema, AgreesWithTheReaderOnPlatforms) {
  agree("platforms/ideal.json", "platform",
        {"/ports/0/bandwidth_gbps/value = 0.5", "/ports/0/bandwidth_gbps/value = 7"},  // below its tier's
        platform_reads);
}

Json figure(double value) {
  return {{"value", value}, {"kind", "fitted"}, {"source", "a test"}};
}

TEST(Schema, AgreesWithTheReaderOnEveryKeyOfAPlatform) {
  const std::string file = "platforms/ideal.json";
  Json document = Json::parse(content_of(shipped(file)));
  Json& accelerator = document["accelerator"];
  for (const char* kind : {"gemm", "grouped_gemm", "attention", "attention_backward", "memory"})
    accelerator["efficiency"][kind] = figure(0.7);
  accelerator["host_overhead_us"] = figure(8);
  accelerator["slowdown_under_communication"] = figure(0.25);
  accelerator["exposed_accumulation"] = figure(0.5);
  accelerator["sustained"] = figure(0.9);
  accelerator["operators"] = {{{"file", written("gemm.csv", "m,n,k,time_us\n8,16,32,4\n")},
                               {"kind", "measured"},
                               {"source", "a test"}}};
  document["tiers"][0]["collectives"] = {{{"operation", "all-reduce"},
                                          {"devices", 8},
                                          {"neighbours", 1},
                                          {"kind", "measured"},
                                          {"source", "a test"},
                                          {"points", {{1024, 10}, {2048, 12.5}}}}};
  document["tiers"][0]["wiring"] = "mesh";
  document["library"] = "hccl";
  document["price_per_device_hour_usd"] = figure(2.5);
  agree(file, document, "platform",
        {"/ports/0/bandwidth_gbps/value = 0.5", "/ports/0/bandwidth_gbps/value = 7",  // below its tier's
         "/tiers/0/collectives/0/points/1/0 = 0.5",    // below the point before
         "/accelerator/operators/0/file = \"text\""},  // no such file
        platform_reads);
}

TEST(Schema, AgreesWithTheReaderOnAPlatformInside) {
  const std::string file = "workloads/experiments/experiment-a.json";
  Json document = Json::parse(content_of(shipped(file)));
  document["platform"] = Json::parse(content_of(shipped("platforms/ideal.json")));
  SchemaCheck schema("experiment");
  EXPECT_TRUE(schema.accepts(document));
  EXPECT_TRUE(experiment_reads(document.dump(), shipped("workloads/experiments")));
  for (const Json& spoilt : {Json::object(), Json(7), Json::array(), Json("")}) {
    document["platform"] = spoilt;
    EXPECT_FALSE(schema.accepts(document));
    EXPECT_FALSE(experiment_reads(document.dump(), shipped("workloads/experiments")));
  }
}

const char* const kReport = R"({ "schema": "spillway/report/2", "program": "1.0", "experiment": "small",
  "platform": null, "seed": 1, "draws": 1, "parameters": null, "warnings": [],
  "layout": { "ranks": 4, "tensor": null, "context": null, "expert": null, "replicas": 1, "devices": null,
    "microbatches": 8 }, "schedules": [ {
  "name": "mpipe", "schedule": "transpose,1f1b", "makespan_s": 1.5,
  "speedup": { "mean": 1, "p5": 1, "p50": 1, "p95": 1, "p99": 1, "max": 1, "ci95": 0 },
  "engines": { "longest_path_s": 1.5, "max_plus_s": null }, "bubble_fraction": 0.1, "max_spill_s": 0,
  "exposed_encoder_s": 0, "peak_memory_bytes": 921, "memory_limit_bytes": 920, "fits": false,
  "useful_tokens_per_s": null, "fill": null, "usd_per_1e12_useful_tokens": null, "evidence": null,
  "warnings": [ { "code": "does-not-fit", "text": "921 of 920 B" } ],
  "ranks": [ { "replica": 0, "rank": 0, "busy_s": 1, "communication_s": 0, "bubble_s": 0.5, "idle_s": 0.5,
    "first_start_s": 0, "last_end_s": 1.5, "warmup_slack_s": 0, "encoder_s": 0, "spill_s": 0, "peak_activations": 1,
    "peak_memory_bytes": null } ],
  "simulation": { "events": 10, "derive_s": 0.1, "longest_path_s": 0.1, "simgrid_s": null } } ] })";

// The report follows the contract: every figure is a number or a distribution.
TEST(Schema, AReportIsTheContracts) {
  SchemaCheck schema("report");
  const Json report = Json::parse(kReport);
  EXPECT_TRUE(schema.accepts(report));
  for (const char* required :
       {"makespan_s", "speedup", "engines", "bubble_fraction", "max_spill_s", "exposed_encoder_s",
        "peak_memory_bytes", "memory_limit_bytes", "fits", "useful_tokens_per_s", "fill",
        "usd_per_1e12_useful_tokens", "evidence", "warnings", "ranks", "simulation"}) {
    Json without = report;
    without["schedules"][0].erase(required);
    EXPECT_FALSE(schema.accepts(without)) << required;
  }
  for (const char* required : {"program", "platform", "seed", "draws", "layout", "parameters", "warnings"}) {
    Json without = report;
    without.erase(required);
    EXPECT_FALSE(schema.accepts(without)) << required;
  }
  Json partial = report;
  partial["schedules"][0]["makespan_s"] = {{"mean", 1.0}};
  EXPECT_FALSE(schema.accepts(partial));
}

}  // namespace
}  // namespace spillway
