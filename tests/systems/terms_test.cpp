// The terms that systems run on: stated terms are used, and the authors' terms are the default.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "draws/schedule_facts.h"
#include "evaluate/evaluate.h"
#include "evaluate/steps.h"
#include "random_job.h"
#include "support/engines.h"
#include "support/long_property.h"

namespace spillway {

std::ostream& operator<<(std::ostream& out, const System& system) {
  return out << system.name;
}

namespace {

using testing::kLongestPath;
using testing::SystemTestJob;

// Returns a job with layers for segments of both modules, and replicas that samples can move among.
SystemTestJob moving_job() {
  SystemTestJob job = *testing::random_two_module_job();
  job.work.clear();
  job.draws = 2;
  job.replicas = 2;
  job.chunks = std::max(job.chunks, 2U);
  job.encoder = job.ranks + *rc::gen::inRange<std::uint32_t>(0, 3);
  job.backbone = job.ranks * job.chunks + *rc::gen::inRange<std::uint32_t>(0, 5);
  return job;
}

std::string stated(const System& system, bool moves, bool knows, std::uint32_t chunks) {
  const auto word = [](bool value) { return std::string(value ? "true" : "false"); };
  return R"({ "name": "s", "system": ")" + std::string(system.name) + R"(", "moves_samples": )" +
         word(moves) + R"(, "knows_draw": )" + word(knows) + R"(, "chunks": )" + std::to_string(chunks) +
         " }";
}

std::string refused(const SystemTestJob& job, const std::string& entry) {
  try {
    job.under(entry);
    return "";
  } catch (const InputError& error) {
    return error.violations().front().pointer;
  }
}

const std::pair<bool, bool> kPairs[] = {{false, false}, {false, true}, {true, true}};

SPILLWAY_LONG_PROP(Terms, AreWhatIsStated, 100) {
  const SystemTestJob job = moving_job();
  const System system = *rc::gen::elementOf(std::vector<System>(systems().begin(), systems().end()));
  for (const auto& [moves, knows] : kPairs) {
    const std::string entry = stated(system, moves, knows, job.chunks);
    if (knows && !moves && !system.plans_by_sizes) {
      RC_ASSERT(refused(job, entry) == "/schedules/0/knows_draw");
      continue;
    }
    const Experiment experiment = job.under(entry);
    const Terms terms = terms_of(experiment.schedules.front(), experiment.pipeline, experiment.costs);
    RC_ASSERT(terms == (Terms{moves, knows, job.chunks}));
  }
}

std::vector<Seconds> played_steps(const SystemTestJob& job, const std::string& entry) {
  std::vector<Seconds> all;
  const Evaluation evaluation = evaluate(job.under(entry), kLongestPath);
  for (const DrawResult& draw : evaluation.schedules.front().draws) all.push_back(draw.step.makespan);
  return all;
}

// Returns the computing time of all ranks and replicas together, by draw.
std::vector<double> computed(const SystemTestJob& job, const std::string& entry) {
  std::vector<double> all;
  const Evaluation evaluation = evaluate(job.under(entry), kLongestPath);
  for (const DrawResult& draw : evaluation.schedules.front().draws) {
    all.push_back(0);
    for (const RankFigures& rank : draw.ranks) all.back() += rank.busy.value();
  }
  return all;
}

// If the exchange takes no time, samples take the same computing time on any replica.
SPILLWAY_LONG_PROP(Terms, MoveWorkAndLoseNone, 100) {
  SystemTestJob job = moving_job();
  job.p2p_ms = 0;
  const System system = *rc::gen::elementOf(std::vector<System>(systems().begin(), systems().end()));
  RC_PRE(system.plans_by_sizes);
  const auto still = computed(job, stated(system, false, true, job.chunks)),
             moved = computed(job, stated(system, true, true, job.chunks));
  for (std::size_t draw = 0; draw < still.size(); ++draw)
    RC_ASSERT(std::abs(moved[draw] - still[draw]) <= 1e-9 * still[draw]);
}

std::string plain(const System& system, std::uint32_t chunks) {
  return R"({ "name": "s", "system": ")" + std::string(system.name) + R"(", "chunks": )" +
         std::to_string(chunks) + " }";
}

SPILLWAY_LONG_PROP(Terms, AreByDefaultWhatAuthorsHave, 100) {
  const SystemTestJob job = moving_job();
  const System system = *rc::gen::elementOf(std::vector<System>(systems().begin(), systems().end()));
  RC_ASSERT(played_steps(job, plain(system, job.chunks)) ==
            played_steps(job, stated(system, system.moves_samples, system.knows_draw, job.chunks)));
}

// DistTrain is left out: its balance_samples also reassigns samples among one replica's microbatches.
SPILLWAY_LONG_PROP(Terms, NothingMovesWhereThereIsOneReplica, 100) {
  SystemTestJob job = moving_job();
  job.replicas = 1;
  const System system = *rc::gen::elementOf(std::vector<System>(systems().begin(), systems().end()));
  RC_PRE(system.name != "disttrain");
  const std::string still = stated(system, false, system.plans_by_sizes, job.chunks);
  RC_ASSERT(played_steps(job, stated(system, true, true, job.chunks)) == played_steps(job, still));
}

// Nothing moves if nothing is drawn: no column, assumption or equal terms say that anything does.
RC_GTEST_PROP(Terms, NothingMovesWhereNothingIsDrawn, ()) {
  SystemTestJob job = moving_job();
  job.draws = 0;
  const Experiment experiment =
      parse_experiment(job.document(job.every_system()), "job.json", {{"/equal_terms", "{}"}});
  RC_ASSERT(!experiment.equal_terms->moves_samples);
  for (const ScheduleSpec& schedule : experiment.schedules) {
    RC_ASSERT(!terms_of(schedule, experiment.pipeline, experiment.costs).moves_samples);
    for (const std::string& line : schedule.assumptions) RC_ASSERT(line.find("dealt out") == line.npos);
  }
}

// DIP with one segment has no order to search, so nothing depends on sizes.
TEST(EqualTerms, ThatOneSegmentLeavesNoRoomForAreSaid) {
  const SystemTestJob job{
      .ranks = 2, .microbatches = 4, .replicas = 2, .encoder = 2, .backbone = 8, .draws = 2};
  const Experiment experiment = parse_experiment(
      job.document(R"({ "name": "dip", "system": "dip" }, { "name": "mpipe", "system": "mpipe" })"),
      "job.json", {{"/equal_terms", R"({ "moves_samples": false, "knows_draw": true, "chunks": 1 })"}});
  EXPECT_EQ(experiment.schedules[0].kept_terms,
            std::vector<std::string>{"knows_draw false: nothing in its layout depends on sizes"});
  EXPECT_TRUE(experiment.schedules[1].kept_terms.empty());
}

// "equal_terms" equals stating its three terms in every entry by hand; the balanced reference runs on them.
SPILLWAY_LONG_PROP(EqualTerms, AreTheSameThreeOfEverySystem, 60) {
  const SystemTestJob job = moving_job();
  const std::string document = job.document(job.every_system());
  const Experiment experiment = parse_experiment(document, "job.json", {{"/equal_terms", "{}"}});
  RC_ASSERT(experiment.equal_terms.has_value());
  const Terms equal = *experiment.equal_terms;
  RC_ASSERT(equal.moves_samples && equal.knows_draw && equal.chunks > 0 && equal.chunks <= 8);
  const Evaluation all = evaluate(experiment, kLongestPath);
  for (std::size_t s = 0; s < all.schedules.size(); ++s) {
    RC_ASSERT(all.schedules[s].terms == equal && all.schedules[s].kept_terms.empty());
    const auto system =
        std::ranges::find(systems(), std::string_view(all.schedules[s].system), &System::name);
    if (system->name == "dip") continue;  // its entry states its parts
    std::vector<Seconds> steps;
    for (const DrawResult& draw : all.schedules[s].draws) steps.push_back(draw.step.makespan);
    RC_ASSERT(steps == played_steps(job, stated(*system, true, true, equal.chunks)));
  }
}

// A system that cannot take one of the terms keeps its own, and says why.
RC_GTEST_PROP(EqualTerms, ThatCannotBeHadAreKept, ()) {
  const SystemTestJob job = moving_job();
  const Experiment experiment =
      parse_experiment(job.document(job.every_system()), "job.json",
                       {{"/equal_terms", R"({ "moves_samples": false, "knows_draw": true, "chunks": 2 })"}});
  for (const ScheduleSpec& schedule : experiment.schedules) {
    const auto system = std::ranges::find(systems(), std::string_view(schedule.system), &System::name);
    const Terms terms = terms_of(schedule, experiment.pipeline, experiment.costs);
    RC_ASSERT(!terms.moves_samples && terms.chunks == 2U);
    RC_ASSERT(terms.knows_draw == system->plans_by_sizes);
    RC_ASSERT(schedule.kept_terms.empty() == system->plans_by_sizes);
  }
}

// Otherwise the reference would wait for replicas that are not evened out.
TEST(EqualTerms, HoldAllAgainstAPipelineOnThem) {
  const SystemTestJob job{
      .ranks = 2, .microbatches = 4, .replicas = 2, .encoder = 2, .backbone = 8, .draws = 2};
  const std::string entries =
      R"({ "name": "entrain", "system": "entrain" }, { "name": "mpipe", "system": "mpipe" },
                                 { "name": "balanced", "system": "megatron-balanced" })";
  Engines engines = kLongestPath;
  engines.references = true;
  const Evaluation evaluation =
      evaluate(parse_experiment(job.document(entries), "job.json", {{"/equal_terms", "{}"}}), engines);
  EXPECT_TRUE(evaluation.references.empty());
  for (const ScheduleResult& schedule : evaluation.schedules) {
    ASSERT_TRUE(schedule.beside);
    EXPECT_EQ(evaluation.at(*schedule.beside).name, "balanced");
  }
  EXPECT_EQ(fastest_plain(evaluation)->name, "balanced");
}

// MegaScale-Omni is the only unranked system: its rule is not its authors'. It is still evaluated.
TEST(Ranked, AreAllButMegaScaleOmni) {
  const SystemTestJob job{
      .ranks = 4, .microbatches = 4, .replicas = 2, .encoder = 4, .backbone = 8, .draws = 2};
  for (const ScheduleSpec& schedule : job.under(job.every_system()).schedules)
    EXPECT_EQ(schedule.unranked.empty(), schedule.system != "megascale-omni") << schedule.system;
  const Evaluation evaluation =
      evaluate(job.under(R"({ "name": "slow", "schedule": "gpipe", "layers_per_rank": [9, 1, 1, 1] },
                            { "name": "quick", "system": "megascale-omni" })"),
               kLongestPath);
  EXPECT_LT(mean_makespan(evaluation.schedules[1]), mean_makespan(evaluation.schedules[0]));
  EXPECT_EQ(headline(evaluation).winner->name, "slow");
}

TEST(EqualTerms, AreRefusedAtTheirKey) {
  const SystemTestJob job{
      .ranks = 2, .microbatches = 4, .replicas = 2, .encoder = 2, .backbone = 8, .draws = 1};
  const auto said = [&](const std::string& terms) {
    try {
      parse_experiment(job.document(job.every_system()), "job.json", {{"/equal_terms", terms}});
      return std::string();
    } catch (const InputError& error) {
      return error.violations().front().pointer;
    }
  };
  EXPECT_EQ(said(R"({ "moves_samples": true, "knows_draw": false })"), "/equal_terms/moves_samples");
  EXPECT_EQ(said(R"({ "chunks": 1000 })"), "/equal_terms/chunks");
  EXPECT_EQ(said(R"({ "chunk": 2 })"), "/equal_terms/chunk");
  EXPECT_EQ(said("{}"), "");
}

// A plan made from sizes that the experiment states knows them, and says so.
TEST(StatedSizes, AreKnownToPlansAndSaid) {
  SystemTestJob job{.ranks = 2, .microbatches = 2, .encoder = 2, .backbone = 4, .work = {1, 3}};
  const auto first = [](const Experiment& experiment) {
    return terms_of(experiment.schedules.front(), experiment.pipeline, experiment.costs).knows_draw;
  };
  const Experiment mpipe = job.under(R"({ "name": "s", "system": "mpipe" })");
  EXPECT_TRUE(first(mpipe));
  EXPECT_NE(mpipe.schedules.front().assumptions.back().find("work_per_microbatch states it"),
            std::string::npos);
  EXPECT_FALSE(first(job.under(R"({ "name": "s", "system": "megatron" })")));
  job.work = {2, 2};
  EXPECT_FALSE(first(job.under(R"({ "name": "s", "system": "mpipe" })")));
}

}  // namespace
}  // namespace spillway
