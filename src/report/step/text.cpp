#include "report/step/text.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <ostream>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evaluate/steps.h"
#include "report/step/baselines.h"
#include "report/step/critical_path_table.h"
#include "report/step/drawn_figures.h"
#include "report/step/evidence_text.h"
#include "report/step/explain_spill.h"
#include "report/step/memory_table.h"
#include "report/step/rank_table.h"
#include "report/step/schedule_table.h"
#include "report/step/verdict.h"
#include "words/duration_text.h"
#include "words/spread.h"
#include "words/table.h"
#include "words/with_commas.h"
#include "words/wording.h"

namespace spillway {
namespace {

// From this share above the bound on, half of the gap is closed in the median (docs/synthesize.md).
constexpr double kWorthASearch = 0.05;

std::string speedup_text(const Evaluation& evaluation, const ScheduleResult& schedule) {
  const ScheduleResult& baseline = evaluation.schedules[evaluation.baseline];
  if (&schedule == &baseline || !baseline.interval) return {};
  const double mean = spread(speedups_over(baseline, schedule)).mean;
  const StepInterval over = speedup_interval(*baseline.interval, *schedule.interval);
  return fmt::format(" ({:.3f}x to {:.3f}x)", mean * over.low, mean * over.high);
}

// Returns "; the interval of mpipe rests on hosts (60 %), matrix products (20 %)": the unknowns with the
// largest shares.
std::string rests_on_text(const Evaluation& evaluation) {
  constexpr std::size_t kMost = 3;
  constexpr double kLeast = 0.1;
  std::string text;
  for (const ScheduleResult& schedule : evaluation.schedules) {
    if (!schedule.interval || schedule.interval->rests_on.empty()) continue;
    const std::string whose = evaluation.schedules.size() > 1 ? " of " + schedule.name : "";
    for (const IntervalPart& part : schedule.interval->rests_on | std::views::take(kMost))
      if (part.share >= kLeast)
        text += fmt::format("{}{} ({})", text.empty() ? "; the width" + whose + " rests on " : ", ",
                            word_for(part.unknown).name, percent(part.share, 0));
  }
  return text;
}

// Returns "  how sure: mpipe 12.1 s to 15.3 s, ...: 90 % prediction interval from 100 samples of ...",
// wrapped at `columns`. Empty if no schedule has an interval.
std::string interval_lines(const Evaluation& evaluation, std::size_t columns) {
  std::string steps;
  std::uint32_t draws = 0;
  for (const ScheduleResult& schedule : evaluation.schedules) {
    if (!schedule.interval) continue;
    const Seconds mean = mean_makespan(schedule);
    steps += fmt::format("{}{} {} to {}{}", steps.empty() ? "" : ", ", schedule.name,
                         duration_text(mean * schedule.interval->low),
                         duration_text(mean * schedule.interval->high), speedup_text(evaluation, schedule));
    draws = schedule.interval->draws;
  }
  if (steps.empty()) return {};
  return wrapped(
      "  how sure: ",
      fmt::format(
          "{}: {} prediction interval from {} samples of the uncertain figures of machine and "
          "software{}{} (docs/accuracy.md)",
          steps, percent(kIntervalHolds, 0), draws,
          evaluation.schedules.size() > 1 ? "; for a speedup both schedules see the same figures" : "",
          rests_on_text(evaluation)),
      columns);
}

std::string on_average(std::size_t draws) {
  return draws > 1 ? fmt::format(" on average over {} draws", draws) : "";
}

// Returns "  bound: no order of optimus' passes on these ranks takes less than 1.384 s; its step is 2.3 %
// above", wrapped at `columns`, and from kWorthASearch on what looks for a faster order. Its subject is the
// schedule that the answer names. Empty if its order is streamed.
std::string bound_line(const Evaluation& evaluation, std::size_t columns) {
  const ScheduleResult& winner = *headline(evaluation).winner;
  const std::optional<Seconds> bound = mean_bound(winner);
  if (!bound) return {};
  const double gap = gap_to_bound(mean_makespan(winner), *bound);
  std::string above = gap == 0 ? "its step is as fast" : "its step is " + percent(gap, 1) + " above";
  if (gap >= kWorthASearch) above += "; spillway synthesize looks for an order between the two";
  return wrapped("  bound: ",
                 fmt::format("no order of the passes of {} on the same ranks takes less than {}{}; {}",
                             winner.name, duration_text(*bound), on_average(winner.draws.size()), above),
                 columns);
}

double mean_flops(const ScheduleResult& schedule) {
  return spread(by_draw(schedule, [](const DrawResult& d) { return d.account->model_flops.value(); })).mean;
}

std::vector<std::string> line(const ScheduleResult& schedule, bool priced) {
  const auto of = [&](auto value_of) { return spread(throughput_by_draw(schedule, value_of)).mean; };
  const double devices = schedule.draws.front().account->devices;
  std::vector<std::string> cells = {
      schedule.name,
      percent(of([](const Throughput& t) { return t.mfu; }), 2),
      fmt::format("{:.0f}", of([](const Throughput& t) { return t.useful_tokens_per_second; })),
      fmt::format("{:.1f}", of([&](const Throughput& t) { return t.useful_tokens_per_second / devices; })),
      percent(of([](const Throughput& t) { return t.fill; }), 1),
      fmt::format("{:.3e}", mean_flops(schedule))};
  if (!priced) return cells;
  cells.push_back(fmt::format("{:.2f}", of([](const Throughput& t) { return t.cost->step.value(); })));
  cells.push_back(usd_cell(of([](const Throughput& t) { return t.cost->trillion_useful_tokens.value(); })));
  return cells;
}

std::string price_line(const StepAccount& account, std::size_t columns) {
  if (!account.price) return {};
  return wrapped("  USD: ",
                 fmt::format("{:.4g} per device hour, the platform's price (spillway explain prints its "
                             "source), times all devices and the step time",
                             account.price->value()),
                 columns);
}

std::string conventions(const StepAccount& account) {
  return fmt::format(
      "model FLOPs of the step, with padding / ({} devices x {:.4g} TFLOP/s x makespan); model FLOPs: {}; "
      "useful tokens: text and image tokens of the samples, without padding; fill: useful tokens / all "
      "tokens that the backbone computes",
      account.devices, account.peak.value() / 1e12, kFlopsConvention);
}

// Returns a line for each schedule with means over the draws, and how model FLOPs and tokens are counted,
// wrapped at `columns`. Empty if durations are given.
std::string throughput_table(const Evaluation& evaluation, std::size_t columns) {
  const std::optional<StepAccount>& account = evaluation.schedules.front().draws.front().account;
  if (!account) return {};
  const bool priced = account->price.has_value();
  std::vector<std::vector<std::string>> rows = {
      {"throughput", "MFU", "useful tokens/s", "per device", "fill", "model FLOPs"}};
  if (priced) rows.front().insert(rows.front().end(), {"USD/step", "USD/1e12 useful"});
  for (const ScheduleResult& schedule : evaluation.schedules) rows.push_back(line(schedule, priced));
  return '\n' + table_text(rows) + wrapped("  MFU: ", conventions(*account), columns) +
         price_line(*account, columns);
}

std::string title(const Evaluation& evaluation, TimeUnit unit, std::size_t columns) {
  return wrapped("",
                 fmt::format("{}: {}, {}; baseline: {}; times in {}", evaluation.experiment,
                             counted(evaluation.schedules.size(), "schedule"),
                             counted(evaluation.schedules.front().draws.size(), "draw"),
                             evaluation.schedules[evaluation.baseline].name, unit.name),
                 columns);
}

// Returns the longest makespan of any first draw. It is the scale of every picture.
Seconds longest_step(const Evaluation& evaluation) {
  Seconds longest;
  for (const ScheduleResult& schedule : evaluation.schedules)
    longest = std::max(longest, schedule.draws.front().step.makespan);
  return longest;
}

// Returns "owner map greedy", or "owner maps of vision and audio greedy" if there are several.
std::string owner_maps(const ScheduleResult& schedule) {
  const Outline& derived = *schedule.derived;
  if (derived.inputs() < 2) return "owner map " + schedule.owner;
  std::vector<std::string> names;
  for (std::size_t input = 0; input < derived.inputs(); ++input) names.push_back(derived.regions[input].name);
  return "owner maps of " + joined(names, " and ") + ' ' + schedule.owner;
}

std::string owner_note(const ScheduleResult& schedule) {
  if (schedule.owner.empty()) return {};
  std::string note = "; " + owner_maps(schedule);
  if (schedule.owner != to_string(OwnerPolicy::MinMax)) return note;
  const std::string sizes = schedule.owner_from_draw ? "each draw's own sizes" : "the expected sizes";
  if (schedule.owner_gap == Seconds()) return note + ", proved least for " + sizes;
  return note + ", at most " + duration_text(schedule.owner_gap) + " above the least spill for " + sizes;
}

std::string order_note(const ScheduleResult& schedule) {
  return schedule.first.sampled_as.empty() ? "" : "; microbatch order " + to_string(schedule.order);
}

std::string reduction_note(const ScheduleResult& schedule) {
  const std::size_t reduced = schedule.derived->reductions.size();
  if (reduced == 0) return {};
  return fmt::format("; {} merged into the preceding transpose", counted(reduced, "transpose"));
}

std::string schedule_title(const ScheduleResult& schedule, std::size_t columns) {
  const Pipeline& pipeline = schedule.derived->pipeline;
  const bool units = !schedule.derived->modules.empty();
  return wrapped(schedule.name + ": ",
                 fmt::format("{} over {}, {}, {}{}{}{}", to_string(schedule.derived->schedule),
                             counted(pipeline.ranks, "rank"), counted(pipeline.microbatches, "microbatch"),
                             counted(std::size_t{pipeline.replicas} * schedule.equal_replicas,
                                     units ? "unit" : "replica"),
                             owner_note(schedule), order_note(schedule), reduction_note(schedule)),
                 columns);
}

bool overlaps(const Order& order) {
  const auto events = order.events();
  return std::any_of(events.begin(), events.end(),
                     [](const Event& event) { return event.kind == EventKind::ForwardBackward; });
}

// States the parts of the step that the picture and the table omit.
std::string what_is_shown(const ScheduleResult& schedule) {
  const std::uint32_t ranks = schedule.derived->order.rank_count();
  const std::uint32_t replicas = schedule.derived->pipeline.replicas;
  const std::size_t draws = schedule.draws.size();
  std::string text;
  if (schedule.equal_replicas > 1) text = "  all replicas have the same costs, so one is simulated for all\n";
  if (!schedule.first.sampled_as.empty())
    text +=
        "  microbatches are numbered in the order in which they run; traces and --json also give their "
        "sampled numbers\n";
  if (overlaps(schedule.derived->order))
    text +=
        "  a forward and backward together: with an architecture, the longer of their computing, slowed "
        "down,\n"
        "  and the communication hidden under it; with given durations, fused_forward_backward_ms\n";
  if (replicas > 1 || draws > 1)
    text += fmt::format("  picture: replica 0, first draw; table: means over {} and {}\n",
                        counted(replicas, "replica"), counted(draws, "draw"));
  if (ranks > kShownRanks)
    text += fmt::format("  {} of {} ranks shown; --json has all\n", kShownRanks, ranks);
  return text;
}

std::string encoder_line(const std::optional<EncoderTimes>& encoder) {
  if (!encoder) return {};
  return fmt::format("  encoding one microbatch takes {} to {}, mean {}\n", duration_text(encoder->least),
                     duration_text(encoder->most), duration_text(encoder->mean));
}

std::string section(const Evaluation& evaluation, const ScheduleResult& schedule, Seconds span,
                    const TextStyle& style) {
  return schedule_title(schedule, style.columns) + what_is_shown(schedule) +
         picture(schedule, ReplicaId(0), span, style) + '\n' + rank_table(schedule, unit_for(span)) +
         encoder_line(schedule.encoder) + wrapped("  ", explain_spill(schedule), style.columns) +
         memory_line(evaluation, schedule, style.columns) + evidence_lines(schedule, style.columns);
}

std::string simulation_line(const ScheduleResult& schedule, std::size_t columns) {
  const SimulationCost& cost = schedule.simulation;
  std::string text = fmt::format("simulated {}: {} events per draw; derived in {}, longest path {}",
                                 schedule.name, cost.events, duration_text(Seconds(cost.derive_s)),
                                 duration_text(Seconds(cost.longest_path_s)));
  if (cost.plan_s) text += ", each draw planned in " + duration_text(Seconds(*cost.plan_s));
  for (const EngineEntry& entry : engine_list())
    if (const std::optional<double> host_s = cost.one_run_s[entry.engine]; entry.replays && host_s)
      text += std::string(", ") + entry.called + ' ' + duration_text(Seconds(*host_s));
  return wrapped("", text, columns);
}

std::string simulation_lines(const Evaluation& evaluation, std::size_t columns) {
  std::string text;
  for (const ScheduleResult& schedule : evaluation.schedules) text += simulation_line(schedule, columns);
  return text;
}

// The verdict is bold on a terminal.
std::string verdict_lines(const Evaluation& evaluation, const TextStyle& style) {
  const std::string lines = wrapped("", verdict(evaluation), style.columns);
  return style.colour ? "\033[1m" + lines + "\033[0m" : lines;
}

// States the parameters of each block and of its parts.
std::string parameter_lines(const Evaluation& evaluation, std::size_t columns) {
  std::string text;
  for (const BlockParameters& block : evaluation.job.parameters) {
    std::string parts;
    for (const ParameterPart& part : block.parts)
      parts +=
          fmt::format("{}{} {:.4g}", parts.empty() ? "" : ", ", part.name, double(part.parameters) * 1e-9);
    text += wrapped("parameters of " + block.block + ": ",
                    fmt::format("{:.4g} billion: {}", double(block.parameters) * 1e-9, parts), columns);
  }
  return text.empty() ? text : '\n' + text;
}

// Colours sizes red on a terminal if the table marks them as too large, "106.8 GB !".
std::string with_red_marks(const std::string& table, const TextStyle& style) {
  constexpr std::string_view mark = "B !";
  if (!style.colour) return table;
  std::string shown;
  std::size_t done = 0;
  for (std::size_t at = table.find(mark); at != std::string::npos; at = table.find(mark, done)) {
    const std::size_t number = table.rfind(' ', table.rfind(' ', at) - 1) + 1, end = at + mark.size();
    shown +=
        table.substr(done, number - done) + "\033[1;31m" + table.substr(number, end - number) + "\033[0m";
    done = end;
  }
  return shown + table.substr(done);
}

void write_details(std::ostream& out, const Evaluation& evaluation, Seconds span, const TextStyle& style) {
  out << throughput_table(evaluation, style.columns) << '\n'
      << critical_path_table(evaluation, unit_for(span));
  for (const ScheduleResult& schedule : evaluation.schedules)
    out << '\n' << section(evaluation, schedule, span, style);
  out << parameter_lines(evaluation, style.columns);
}

std::string what_is_left_out(const TextStyle& style) {
  std::string more;
  if (!style.verbose) more = "--verbose adds pictures, ranks, critical paths and throughput";
  if (!style.legend) more += (more.empty() ? "" : "; ") + std::string("--legend explains the columns");
  return more.empty() ? "" : '\n' + wrapped("", more, style.columns);
}

constexpr const char* kFirstWords =
    "makespan     time from the first start to the last end; by SimGrid if it ran, else by the longest path\n"
    "speedup      the baseline's makespan divided by this one, on the same draws\n";
constexpr const char* kLastWords =
    "slack w_r    a rank's idle time before its first event of the pipelined region that a transposed\n"
    "             region feeds, if encodes and the transfers of their outputs took no time\n"
    "encoder E_r  time of that transposed region's forwards on the rank, whatever its blocks' roles\n"
    "spill        max(0, E_r - w_r); max spill: the worst rank's; -: no transposed region feeds a pipeline\n"
    "critical path  the chain of events that determines the longest path, first draw; F forward,\n"
    "               B backward\n"
    "exposed enc  longest path minus the longest path with an encoder that takes no time\n"
    "moves samples  yes if samples are computed in another replica than the one that drew them\n"
    "knows draw   yes if each step is planned from its own sizes, no if one plan serves all\n"
    "chunks       virtual pipeline stages of a rank\n"
    "comm         the rank's sends and reductions, whether hidden behind computing or not\n"
    "peak act.    most activations alive at once, in units of the rank's slab of one microbatch\n"
    "peak mem.    most memory at once on a device of the rank, over replicas and draws: parameters,\n"
    "             gradients, optimizer state, activations, and workspace if blocks have\n"
    "             architectures; without fragmentation; !: above the limit or the accelerator's memory;\n"
    "             ?: unknown\n";

std::string figure_words() {
  std::string words = kFirstWords;
  for (const StepFigure& figure : kStepFigures)
    if (figure.table) words += fmt::format("{:11}  {}\n", figure.table->heading, figure.table->legend);
  return words + kLastWords;
}

}  // namespace

void write_text_report(std::ostream& out, const Evaluation& evaluation, const TextStyle& style) {
  const Seconds span = longest_step(evaluation);
  out << verdict_lines(evaluation, style) << '\n'
      << title(evaluation, unit_for(span), style.columns) << '\n'
      << with_red_marks(schedule_table(evaluation, unit_for(span), style.verbose), style)
      << baselines_text(evaluation, style.columns) << system_lines(evaluation, unit_for(span), style)
      << warning_lines(evaluation, style.columns) << interval_lines(evaluation, style.columns)
      << bound_line(evaluation, style.columns);
  if (style.verbose) write_details(out, evaluation, span, style);
  if (style.legend) out << '\n' << picture_legend(style.columns) << figure_words();
  out << provenance(evaluation, style.columns);
  if (style.verbose) out << '\n' << simulation_lines(evaluation, style.columns);
  out << what_is_left_out(style);
}

TextStyle terminal_style() {
  TextStyle style;
  if (!isatty(STDOUT_FILENO)) return style;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.columns = size.ws_col;
  style.colour = std::getenv("NO_COLOR") == nullptr;
  return style;
}

}  // namespace spillway
