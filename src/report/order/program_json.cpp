#include "report/order/program_json.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "json/dumped.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

// Writes the actions of one rank, each as a JSON object. The members of an action follow its id and its op.
class ActionWriter {
 public:
  ActionWriter(const Program& program, const RankProgram& of, fmt::memory_buffer& text)
      : program_(program), of_(of), text_(text) {}

  void write(std::size_t index) {
    put("{{ \"id\": {}, ", of_.id(index));
    std::visit([&](const auto& action) { members(action); }, of_.actions[index]);
    put(" }}");
  }

 private:
  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  void stage(std::string_view key, const std::optional<StageId>& stage) {
    if (stage) put(", \"{}\": {}", key, stage->index());
  }

  void members(const ComputeAction& action) {
    put("\"op\": \"compute\", \"pass\": \"{}\", \"stage_index\": {}, \"microbatch\": {}",
        to_string(action.pass), action.at.stage.index(), action.at.microbatch.index());
    stage("from_stage_index", action.at.from);
    if (action.with) {
      put(", \"backward_stage_index\": {}, \"backward_microbatch\": {}", action.with->stage.index(),
          action.with->microbatch.index());
      stage("backward_from_stage_index", action.with->from);
    }
    if (action.group) put(", \"group\": {}", *action.group);
    if (action.pass != ActionPass::Recompute) put(", \"seconds\": {}", action.time.value());
  }

  void message(std::string_view op, const MessageAction& action) {
    put("\"op\": \"{}\", \"pass\": \"{}\", \"stage_index\": {}, \"to_stage_index\": {}, \"microbatch\": {}, ",
        op, action.backward ? "backward" : "forward", action.from.index(), action.to.index(),
        action.microbatch.index());
    put("\"peer\": {}, \"tag\": {}, ", action.peer.index(), action.tag);
    size(program_.sizes[action.size]);
    put(", \"seconds\": {}", action.time.value());
  }
  void members(const PostReceive& action) { message("post_receive", action); }
  void members(const Send& action) { message("send", action); }

  void size(const MessageSize& size) {
    bytes(size.bytes);
    if (size.shape)
      put(", \"shape\": [{}, {}], \"dtype\": \"bfloat16\"", size.shape->rows, size.shape->columns);
    else
      put(", \"shape\": null, \"dtype\": null");
  }

  void bytes(const std::optional<Bytes>& bytes) {
    if (bytes)
      put("\"bytes\": {}", bytes->value());
    else
      put("\"bytes\": null");
  }

  void members(const Wait& action) { put("\"op\": \"wait\", \"for\": {}", of_.id(action.of)); }

  void members(const SeamAction& action) {
    put("\"op\": \"{}\", \"pass\": \"{}\", \"stage_index\": {}, \"microbatch\": {}",
        action.gathers ? "gather" : "scatter", action.backward ? "backward" : "forward", action.stage.index(),
        action.microbatch.index());
  }

  void members(const BroadcastAction& action) {
    put("\"op\": \"broadcast\", \"group\": {}, \"root\": {}, \"stage_index\": {}, ", action.group,
        program_.groups[action.group].front().rank.index(), action.stage.index());
    bytes(action.bytes);
    put(", \"seconds\": {}", action.time.value());
  }

  void members(const LossAction& action) {
    put("\"op\": \"loss\", \"stage_index\": {}, \"microbatch\": {}", action.stage.index(),
        action.microbatch.index());
  }

  void members(const ReduceAction& action) {
    put("\"op\": \"reduce\", \"group\": {}, \"stage_index\": {}, ", action.group, action.stage.index());
    bytes(action.bytes);
    put(", \"seconds\": {}", action.time.value());
  }

  void members(const UpdateAction& action) {
    put("\"op\": \"update\", \"stage_index\": {}, \"seconds\": {}", action.stage.index(),
        action.time.value());
  }

  void members(const BarrierAction& action) {
    put("\"op\": \"barrier\", \"seconds\": {}", action.time.value());
  }

  const Program& program_;
  const RankProgram& of_;
  fmt::memory_buffer& text_;
};

Json blocks_json(const Program& program) {
  Json blocks = Json::array();
  for (const ProgramRegion& block : program.blocks)
    blocks.push_back({{"name", block.name},
                      {"role", to_string(block.role)},
                      {"first_layer", block.first_layer},
                      {"end_layer", block.end_layer},
                      {"trainable", block.trainable}});
  return blocks;
}

Json program_stages_json(const Program& program) {
  Json stages = Json::array();
  for (std::size_t index = 0; index < program.stages.size(); ++index) {
    const ProgramStage& stage = program.stages[index];
    stages.push_back({{"stage_index", index},
                      {"region", stage.region},
                      {"rank", stage.rank.index()},
                      {"first_layer", stage.first_layer},
                      {"end_layer", stage.end_layer},
                      {"trained", stage.trained}});
  }
  return stages;
}

Json sample_json(const ProgramSample& sample) {
  Json media = Json::array();
  for (const ProgramSample::Media& item : sample.media)
    media.push_back({{"kind", item.kind}, {"patches", item.patches}, {"tokens", item.tokens}});
  return {{"tokens", sample.tokens}, {"text_tokens", sample.text_tokens}, {"media", media}};
}

Json samples_json(const Program& program) {
  if (program.samples.empty()) return nullptr;
  Json replicas = Json::array();
  for (const std::vector<ProgramSample>& replica : program.samples) {
    Json microbatches = Json::array();
    for (const ProgramSample& sample : replica) microbatches.push_back(sample_json(sample));
    replicas.push_back(microbatches);
  }
  return replicas;
}

Json program_groups_json(const Program& program) {
  Json groups = Json::array();
  for (std::size_t index = 0; index < program.groups.size(); ++index) {
    Json members = Json::array();
    for (const GroupMember& member : program.groups[index])
      members.push_back({{"replica", member.replica.index()}, {"rank", member.rank.index()}});
    groups.push_back({{"group", index}, {"members", members}});
  }
  return groups;
}

void write_rank(std::ostream& out, const Program& program, const RankProgram& of, fmt::memory_buffer& text) {
  out << "    { \"replica\": " << of.replica.index() << ", \"rank\": " << of.rank.index()
      << ", \"actions\": [";
  ActionWriter writer(program, of, text);
  for (std::size_t index = 0; index < of.actions.size(); ++index) {
    text.clear();
    writer.write(index);
    out << (index == 0 ? "\n      " : ",\n      ");
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
  }
  out << "\n    ] }";
}

}  // namespace

void write_program(std::ostream& out, const Program& program) {
  const Json head = {{"experiment", program.experiment}, {"schedule", program.schedule}};
  out << "{\n  \"schema\": \"spillway/program/1\",\n  \"experiment\": " << dumped(head["experiment"])
      << ",\n  \"schedule\": " << dumped(head["schedule"]) << ",\n  \"draw\": " << program.draw
      << ",\n  \"ranks\": " << program.ranks << ",\n  \"microbatches\": " << program.microbatches
      << ",\n  \"replicas\": " << program.replicas << ",\n  \"point_to_point\": \""
      << (program.blocking ? "blocking" : "overlapped")
      << "\",\n  \"makespan_s\": " << dumped(Json(program.makespan.value()))
      << ",\n  \"blocks\": " << dumped(blocks_json(program))
      << ",\n  \"stages\": " << dumped(program_stages_json(program))
      << ",\n  \"samples\": " << dumped(samples_json(program))
      << ",\n  \"groups\": " << dumped(program_groups_json(program)) << ",\n  \"programs\": [\n";
  fmt::memory_buffer text;
  const char* separator = "";
  for (const RankProgram& of : program.programs) {
    out << separator;
    write_rank(out, program, of, text);
    separator = ",\n";
  }
  out << "\n  ]\n}\n";
}

}  // namespace spillway
