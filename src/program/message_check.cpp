// Messages and operations of groups, whose parts are on several ranks.
//
// Idea: the messages of an ordered pair of ranks are numbered by their tags, from 0 in the order in which
// both ends start them. So the end number k of one side belongs to the end number k of the other. Operations
// of a group belong together in the same way.
//
// Cost: linear in the actions. Tests: tests/program/read_program_test.cpp.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "json/node.h"
#include "program/action_reader.h"
#include "program/group_operation.h"
#include "program/program_check.h"

namespace spillway {
namespace {

struct MessageEnd {
  std::size_t program, action;
};
struct BothEnds {
  std::vector<MessageEnd> sends, receives;
};
using Ends =
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, BothEnds>;  // replica, from, to

std::string described(const MessageSize& size) {
  std::string text = size.bytes ? describe({size.bytes->value()}) + " bytes" : "unknown bytes";
  if (size.shape)
    text += ", shape [" + std::to_string(size.shape->rows) + ", " + std::to_string(size.shape->columns) + ']';
  return text;
}

class MessageCheck {
 public:
  MessageCheck(const Program& program, Findings& findings) : program_(program), findings_(findings) {}

  void check() {
    collect();
    for (const auto& [pair, ends] : ends_) {
      const std::size_t both = std::min(ends.sends.size(), ends.receives.size());
      for (std::size_t i = 0; i < both; ++i) compare(ends.sends[i], ends.receives[i]);
      for (std::size_t i = both; i < ends.sends.size(); ++i) alone(ends.sends[i], "post_receive");
      for (std::size_t i = both; i < ends.receives.size(); ++i) alone(ends.receives[i], "send");
    }
  }

 private:
  void report(const MessageEnd& end, const char* key, const std::string& expected, const std::string& found) {
    if (findings_.is_full()) return findings_.count_one_more();
    findings_.add(action_pointer(end.program, end.action) + key, expected, found);
  }

  const MessageAction& message(const MessageEnd& end) const {
    const RankAction& action = program_.programs[end.program].actions[end.action];
    if (const auto* send = std::get_if<Send>(&action)) return *send;
    return std::get<PostReceive>(action);
  }

  void collect() {
    for (std::size_t at = 0; at < program_.programs.size(); ++at) {
      const RankProgram& of = program_.programs[at];
      for (std::size_t index = 0; index < of.actions.size(); ++index) {
        const bool sends = std::holds_alternative<Send>(of.actions[index]);
        if (!sends && !std::holds_alternative<PostReceive>(of.actions[index])) continue;
        const MessageEnd end{at, index};
        const RankId peer = message(end).peer;
        if (peer.index() >= program_.ranks || peer == of.rank) continue;
        BothEnds& pair = sends ? ends_[{of.replica.index(), of.rank.index(), peer.index()}]
                               : ends_[{of.replica.index(), peer.index(), of.rank.index()}];
        add(end, sends ? pair.sends : pair.receives);
      }
    }
  }

  void add(const MessageEnd& end, std::vector<MessageEnd>& ends) {
    const std::uint32_t expected = ends.empty() ? 0 : message(ends.back()).tag + 1, tag = message(end).tag;
    if (tag != expected)
      report(end, "/tag", std::to_string(expected) + ", the next of its pair of ranks", std::to_string(tag));
    ends.push_back(end);
  }

  void alone(const MessageEnd& end, const char* other) {
    const std::string peer = std::to_string(message(end).peer.index());
    report(end, "/tag", "a tag that a " + std::string(other) + " of rank " + peer + " has, too",
           std::to_string(message(end).tag) + ", which none has");
  }

  // Reports at the receive.
  void compare(const MessageEnd& send, const MessageEnd& receive) {
    const MessageAction &sent = message(send), &taken = message(receive);
    const auto same = [&](const char* key, auto expected, auto found) {
      if (expected == found) return;
      report(receive, key, std::to_string(expected) + ", as the send " + name(send) + " has it",
             std::to_string(found));
    };
    same("/tag", sent.tag, taken.tag);
    same("/stage_index", sent.from.index(), taken.from.index());
    same("/to_stage_index", sent.to.index(), taken.to.index());
    same("/microbatch", sent.microbatch.index(), taken.microbatch.index());
    if (sent.time != taken.time)
      report(receive, "/seconds", describe({sent.time.value()}) + ", as the send " + name(send) + " has it",
             describe({taken.time.value()}));
    const auto direction = [](const MessageAction& end) {
      return end.backward ? "\"backward\"" : "\"forward\"";
    };
    if (sent.backward != taken.backward)
      report(receive, "/pass", direction(sent) + (", as the send " + name(send)) + " has it",
             direction(taken));
    if (sent.size != taken.size)
      report(receive, "/bytes",
             described(program_.sizes[sent.size]) + ", as the send " + name(send) + " has it",
             described(program_.sizes[taken.size]));
  }

  std::string name(const MessageEnd& end) const {
    return std::to_string(program_.programs[end.program].id(end.action));
  }

  const Program& program_;
  Findings& findings_;
  Ends ends_;
};

}  // namespace

void check_messages(const Program& program, Findings& findings) {
  MessageCheck(program, findings).check();
}

void check_groups(const Program& program, Findings& findings) {
  std::map<std::uint32_t, std::vector<GroupOperation>> first;  // the operations of the member that comes first
  for (std::size_t at = 0; at < program.programs.size(); ++at) {
    std::map<std::uint32_t, std::size_t> next;  // by group
    for (std::size_t index = 0; index < program.programs[at].actions.size(); ++index) {
      const auto operation = group_operation(program.programs[at].actions[index]);
      if (!operation) continue;
      std::vector<GroupOperation>& known = first[operation->group];
      const std::size_t number = next[operation->group]++;
      if (number == known.size()) known.push_back(*operation);
      if (known[number] == *operation) continue;
      if (findings.is_full()) return findings.count_one_more();
      findings.add(action_pointer(at, index) + "/group",
                   "the group's next operation, " + to_string(known[number]), to_string(*operation));
    }
  }
}

}  // namespace spillway
