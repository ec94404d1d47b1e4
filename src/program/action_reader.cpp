#include "program/action_reader.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/nearest.h"
#include "base/number.h"
#include "json/node.h"
#include "json/place.h"

namespace spillway {
namespace {

enum class ActionOp : std::uint8_t {
  Compute,
  PostReceive,
  Send,
  Wait,
  Gather,
  Scatter,
  Broadcast,
  Loss,
  Reduce,
  Update,
  Barrier
};

struct OpForm {
  std::string_view word;
  ActionKeySet needed;
  ActionKeySet optional = 0;
};

constexpr ActionKeySet kMessageKeys = keys_of(
    ActionKey::Pass, ActionKey::StageIndex, ActionKey::ToStageIndex, ActionKey::Microbatch, ActionKey::Peer,
    ActionKey::Tag, ActionKey::ByteCount, ActionKey::Shape, ActionKey::DType, ActionKey::Duration);
// In the order of ActionOp.
constexpr std::array<OpForm, 11> kOps = {
    {{"compute", keys_of(ActionKey::Pass, ActionKey::StageIndex, ActionKey::Microbatch, ActionKey::Duration),
      keys_of(ActionKey::FromStageIndex, ActionKey::Group)},
     {"post_receive", kMessageKeys},
     {"send", kMessageKeys},
     {"wait", keys_of(ActionKey::For)},
     {"gather", keys_of(ActionKey::Pass, ActionKey::StageIndex, ActionKey::Microbatch)},
     {"scatter", keys_of(ActionKey::Pass, ActionKey::StageIndex, ActionKey::Microbatch)},
     {"broadcast", keys_of(ActionKey::Group, ActionKey::Root, ActionKey::StageIndex, ActionKey::ByteCount,
                           ActionKey::Duration)},
     {"loss", keys_of(ActionKey::StageIndex, ActionKey::Microbatch)},
     {"reduce", keys_of(ActionKey::Group, ActionKey::StageIndex, ActionKey::ByteCount, ActionKey::Duration)},
     {"update", keys_of(ActionKey::StageIndex, ActionKey::Duration)},
     {"barrier", keys_of(ActionKey::Duration)}}};
constexpr std::array<std::string_view, 2> kDirections = {"forward", "backward"};

std::string one_of_words(std::span<const std::string_view> words) {
  std::string text = "one of ";
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "\"" : ", \"") + std::string(words[i]) + '"';
  return text;
}

// Reads the values of one action, and reports what is wrong with them.
class ActionValues {
 public:
  ActionValues(const ActionFields& fields, std::size_t program, std::size_t index, Findings& findings)
      : fields_(fields), program_(program), index_(index), findings_(findings) {}

  bool whole() const { return whole_; }

  void report(std::string_view key, const auto& expected, const std::string& found) {
    whole_ = false;
    if (findings_.is_full()) return findings_.count_one_more();
    findings_.add(child(action_pointer(program_, index_), key), expected, found);
  }

  void refuse(ActionKey key, const auto& expected) {
    // A missing key is reported once, by check_keys.
    if (fields_[key].kind == JsonKind::Absent) return;
    report(to_string(key), expected, ActionFields::described(fields_[key]));
  }

  bool has(ActionKey key) const { return fields_[key].kind != JsonKind::Absent; }
  bool is_null(ActionKey key) const { return fields_[key].kind == JsonKind::Null; }

  template <class Number>
  Number whole_number(ActionKey key) {
    const ActionValue& value = fields_[key];
    if (value.kind == JsonKind::Number)
      if (const auto number = number_from<Number>(value.text)) return *number;
    refuse(key, "a whole number of at least 0");
    return 0;
  }
  std::optional<std::uint64_t> id() {
    const ActionValue& value = fields_[ActionKey::Id];
    const auto number =
        value.kind == JsonKind::Number ? number_from<std::uint64_t>(value.text) : std::nullopt;
    if (!number) refuse(ActionKey::Id, "a whole number of at least 0");
    return number;
  }
  template <class AnId>
  AnId index(ActionKey key) {
    return AnId(whole_number<std::uint32_t>(key));
  }

  double not_negative(ActionKey key) { return not_negative(key, kLargestNumber, "a number from 0 to 1e30"); }

  // Returns the word's index.
  std::optional<std::size_t> word(ActionKey key, std::span<const std::string_view> words) {
    const ActionValue& value = fields_[key];
    const auto found = std::ranges::find(words, value.text);
    if (value.kind == JsonKind::Text && found != words.end())
      return static_cast<std::size_t>(found - words.begin());
    refuse(key, one_of_words(words));
    return {};
  }

  std::optional<Bytes> bytes() {
    if (is_null(ActionKey::ByteCount)) return {};
    return Bytes(not_negative(ActionKey::ByteCount, kMostActionBytes.value(),
                              "null or a number from 0 to 9007199254740992"));
  }

  std::optional<MessageSize::Shape> shape() {
    const ActionValue& value = fields_[ActionKey::Shape];
    if (value.kind == JsonKind::Null) return {};
    const std::size_t second = value.text.find(' ', 1);
    if (value.kind == JsonKind::Array && second != std::string::npos) {
      const std::string_view text = value.text;
      const auto rows = number_from<std::uint64_t>(text.substr(1, second - 1));
      const auto columns = number_from<std::uint64_t>(text.substr(second + 1));
      if (rows && columns) return MessageSize::Shape{*rows, *columns};
    }
    refuse(ActionKey::Shape, "null or a list of 2 whole numbers");
    return {};
  }

 private:
  double not_negative(ActionKey key, double most, const char* expected) {
    const ActionValue& value = fields_[key];
    if (value.kind == JsonKind::Number)
      if (const auto number = number_from<double>(value.text); number && *number >= 0 && *number <= most)
        return *number;
    refuse(key, expected);
    return 0;
  }

  const ActionFields& fields_;
  std::size_t program_, index_;
  Findings& findings_;
  bool whole_ = true;
};

void check_unknown(const ActionFields& fields, ActionValues& values) {
  for (std::size_t key = 0; key < kActionKeys.size(); ++key)
    if (fields.repeated() >> key & 1) values.report(kActionKeys[key], "this key once", "it more than once");
  for (const std::string& key : fields.unknown()) {
    const auto near = near_word(key, kActionKeys);
    const std::string known(kKnownKey);
    values.report(key, near ? known + ", such as \"" + std::string(*near) + '"' : known + " of an action",
                  describe({key}));
  }
}

void check_keys(const ActionFields& fields, const OpForm& form, ActionValues& values) {
  const ActionKeySet both = keys_of(ActionKey::Id, ActionKey::Op);
  const ActionKeySet missing = (form.needed | both) & ~fields.present();
  const ActionKeySet beyond = fields.present() & ~(form.needed | form.optional | both);
  for (std::size_t key = 0; key < kActionKeys.size(); ++key) {
    if (missing >> key & 1) values.report(kActionKeys[key], "a value", "nothing");
    if (beyond >> key & 1)
      values.report(kActionKeys[key], "a key of this \"" + std::string(form.word) + '"',
                    "one that does not apply");
  }
}

// A fused pass has a second visit. A recomputation has no time of its own.
OpForm form_of_compute(ActionPass pass) {
  OpForm form = kOps[0];
  if (pass == ActionPass::Fused) {
    form.needed |= keys_of(ActionKey::BackwardStageIndex, ActionKey::BackwardMicrobatch);
    form.optional |= keys_of(ActionKey::BackwardFromStageIndex);
  }
  if (pass == ActionPass::Recompute) {
    form.needed &= ~keys_of(ActionKey::Duration);
    form.optional &= ~keys_of(ActionKey::Group);
  }
  return form;
}

ComputeAction::Visit visit_of(ActionValues& values, ActionKey stage, ActionKey microbatch, ActionKey from) {
  ComputeAction::Visit visit{values.index<StageId>(stage), values.index<MicrobatchId>(microbatch), {}};
  if (values.has(from)) visit.from = values.index<StageId>(from);
  return visit;
}

ComputeAction compute_of(const ActionFields& fields, ActionValues& values) {
  ComputeAction action{
      static_cast<ActionPass>(values.word(ActionKey::Pass, kActionPasses).value_or(0)),
      visit_of(values, ActionKey::StageIndex, ActionKey::Microbatch, ActionKey::FromStageIndex)};
  check_keys(fields, form_of_compute(action.pass), values);
  if (action.pass == ActionPass::Fused)
    action.with = visit_of(values, ActionKey::BackwardStageIndex, ActionKey::BackwardMicrobatch,
                           ActionKey::BackwardFromStageIndex);
  if (values.has(ActionKey::Group)) action.group = values.whole_number<std::uint32_t>(ActionKey::Group);
  if (action.pass != ActionPass::Recompute) action.time = Seconds(values.not_negative(ActionKey::Duration));
  return action;
}

MessageAction message_of(ActionValues& values, Numbered<MessageSize>& sizes) {
  MessageSize size{values.bytes(), values.shape()};
  if (values.is_null(ActionKey::Shape) != values.is_null(ActionKey::DType))
    values.refuse(ActionKey::DType, size.shape ? "\"bfloat16\"" : "null, since \"shape\" is null");
  else if (size.shape)
    values.word(ActionKey::DType, std::array<std::string_view, 1>{"bfloat16"});
  return {values.index<RankId>(ActionKey::Peer),
          values.whole_number<std::uint32_t>(ActionKey::Tag),
          values.index<StageId>(ActionKey::StageIndex),
          values.index<StageId>(ActionKey::ToStageIndex),
          values.index<MicrobatchId>(ActionKey::Microbatch),
          values.word(ActionKey::Pass, kDirections) == 1,
          values.whole() ? sizes.number(size) : 0,
          Seconds(values.not_negative(ActionKey::Duration))};
}

RankAction action_of(ActionOp op, const ActionFields& fields, ActionValues& values,
                     Numbered<MessageSize>& sizes) {
  if (op != ActionOp::Compute) check_keys(fields, kOps[static_cast<std::size_t>(op)], values);
  const auto group = [&] { return values.whole_number<std::uint32_t>(ActionKey::Group); };
  const auto stage = [&] { return values.index<StageId>(ActionKey::StageIndex); };
  const auto seconds = [&] { return Seconds(values.not_negative(ActionKey::Duration)); };
  switch (op) {
    case ActionOp::Compute:
      return compute_of(fields, values);
    case ActionOp::PostReceive:
      return PostReceive{message_of(values, sizes)};
    case ActionOp::Send:
      return Send{message_of(values, sizes)};
    case ActionOp::Wait:
      return Wait{0};
    case ActionOp::Gather:
    case ActionOp::Scatter:
      return SeamAction{op == ActionOp::Gather, values.word(ActionKey::Pass, kDirections) == 1, stage(),
                        values.index<MicrobatchId>(ActionKey::Microbatch)};
    case ActionOp::Broadcast:
      return BroadcastAction{group(), stage(), values.bytes(), seconds()};
    case ActionOp::Loss:
      return LossAction{stage(), values.index<MicrobatchId>(ActionKey::Microbatch)};
    case ActionOp::Reduce:
      return ReduceAction{group(), stage(), values.bytes(), seconds()};
    case ActionOp::Update:
      return UpdateAction{stage(), seconds()};
    case ActionOp::Barrier:
      return BarrierAction{seconds()};
  }
  throw ContractBreach("an op of the table");
}

std::vector<std::string_view> op_words() {
  std::vector<std::string_view> words;
  for (const OpForm& form : kOps) words.push_back(form.word);
  return words;
}

}  // namespace

std::string action_pointer(std::size_t program, std::size_t action) {
  return "/programs/" + std::to_string(program) + "/actions/" + std::to_string(action);
}

ReadAction read_action(const ActionFields& fields, std::size_t program, std::size_t index,
                       Numbered<MessageSize>& sizes, Findings& findings) {
  static const std::vector<std::string_view> words = op_words();
  ActionValues values(fields, program, index, findings);
  check_unknown(fields, values);
  ReadAction read;
  read.id = values.id();
  if (!values.has(ActionKey::Op)) values.report("op", "a value", "nothing");
  const std::optional<std::size_t> word = values.word(ActionKey::Op, words);
  if (!word) return read;
  RankAction action = action_of(static_cast<ActionOp>(*word), fields, values, sizes);
  if (std::holds_alternative<Wait>(action))
    read.waits_for = values.whole_number<std::uint64_t>(ActionKey::For);
  if (std::holds_alternative<BroadcastAction>(action))
    read.root = values.whole_number<std::uint32_t>(ActionKey::Root);
  if (values.whole()) read.action = std::move(action);
  return read;
}

}  // namespace spillway
