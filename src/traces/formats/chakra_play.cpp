#include "traces/formats/chakra_play.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/error.h"

namespace spillway {
namespace {

using Index = std::size_t;

// Plays units: a unit is a node, or all parts of a collective, which begin and end together.
class Play {
 public:
  Play(const std::vector<ChakraFile>& files, std::vector<Note>& notes) : files_(files) {
    for (const ChakraFile& file : files) {
      begins_.push_back(nodes_.size());
      for (const ChakraNode& node : file.nodes) nodes_.push_back(&node);
    }
    join_collectives();
    later_.resize(nodes_.size());
    missing_.resize(nodes_.size());
    for (Index file = 0; file < files.size(); ++file) add_needs(file);
    add_messages();
    if (absent_ > 0)
      notes.push_back({NoteKind::Missing, absent_, "nodes on which others depend and which no file has"});
    if (unsent_ > 0)
      notes.push_back({NoteKind::Missing, unsent_,
                       "sends of received messages: these messages are taken to arrive at once"});
  }

  std::vector<std::vector<ChakraTimes>> run() && {
    times_.resize(nodes_.size());
    std::vector<Index> ready;
    for (Index i = 0; i < nodes_.size(); ++i)
      if (unit_[i] == i && missing_[i] == 0) ready.push_back(i);
    Index done = 0;
    while (!ready.empty()) {
      const Index unit = ready.back();
      ready.pop_back();
      ++done;
      finish(unit);
      for (const Index next : later_[unit]) {
        times_[next].start = std::max(times_[next].start, times_[unit].end);
        if (--missing_[next] == 0) ready.push_back(next);
      }
    }
    if (done < units_)
      throw InputError({{files_.front().path, "/", "nodes without cyclic dependencies",
                         std::to_string(units_ - done) + " that do"}});
    return by_file();
  }

 private:
  void join_collectives() {
    std::map<std::pair<std::string, std::size_t>, Index> groups;
    for (Index file = 0, i = 0; file < files_.size(); ++file) {
      std::unordered_map<std::string, std::size_t> count;
      for (const ChakraNode& node : files_[file].nodes) {
        const std::string& group = node.at(ChakraAttribute::Group);
        const bool shared = node.type == ChakraType::Collective && !group.empty();
        unit_.push_back(shared ? groups.try_emplace({group, count[group]++}, i).first->second : i);
        units_ += unit_.back() == i;
        ++i;
      }
    }
  }

  void add_edge(Index before, Index after) {
    if (unit_[before] == unit_[after]) return;
    later_[unit_[before]].push_back(unit_[after]);
    ++missing_[unit_[after]];
  }

  void add_needs(Index file) {
    std::unordered_map<std::uint64_t, Index> by_id;
    const auto& nodes = files_[file].nodes;
    for (Index i = 0; i < nodes.size(); ++i) by_id.emplace(nodes[i].id, begins_[file] + i);
    for (Index i = 0; i < nodes.size(); ++i)
      for (const std::uint64_t id : nodes[i].needs) {
        const auto before = by_id.find(id);
        if (before == by_id.end())
          ++absent_;
        else
          add_edge(before->second, begins_[file] + i);
      }
  }

  // The k-th message sent with a tag between two ranks is the k-th received.
  void add_messages() {
    using Message = std::tuple<std::string, std::string, std::string>;
    std::map<Message, std::vector<Index>> sent;
    std::map<Message, std::size_t> received;
    const auto visit = [&](ChakraType type, auto take) {
      for (Index file = 0; file < files_.size(); ++file)
        for (Index i = 0; i < files_[file].nodes.size(); ++i)
          if (files_[file].nodes[i].type == type)
            take(files_[file].number, files_[file].nodes[i], begins_[file] + i);
    };
    visit(ChakraType::Send, [&](const std::string& rank, const ChakraNode& node, Index i) {
      sent[{rank, node.at(ChakraAttribute::Destination), node.at(ChakraAttribute::Tag)}].push_back(i);
    });
    sends_.assign(nodes_.size(), kNone);
    visit(ChakraType::Receive, [&](const std::string& rank, const ChakraNode& node, Index i) {
      const Message message{node.at(ChakraAttribute::Source), rank, node.at(ChakraAttribute::Tag)};
      const auto& all = sent[message];
      const std::size_t which = received[message]++;
      if (which >= all.size()) {
        ++unsent_;
        return;
      }
      sends_[i] = all[which];
      add_edge(all[which], i);
    });
  }

  void finish(Index unit) {
    ChakraTimes& times = times_[unit];
    const Index send = sends_[unit];
    if (send != kNone) {
      times = {times_[unit_[send]].start, std::max(times.start, times_[unit_[send]].end)};
      return;
    }
    times.end = times.start + Seconds(nodes_[unit]->duration_ns * 1e-9);
  }

  std::vector<std::vector<ChakraTimes>> by_file() const {
    std::vector<std::vector<ChakraTimes>> all(files_.size());
    for (Index file = 0; file < files_.size(); ++file)
      for (Index i = 0; i < files_[file].nodes.size(); ++i)
        all[file].push_back(times_[unit_[begins_[file] + i]]);
    return all;
  }

  static constexpr Index kNone = static_cast<Index>(-1);

  const std::vector<ChakraFile>& files_;
  std::vector<Index> begins_ = {};              // [file] its first node
  std::vector<const ChakraNode*> nodes_ = {};   // of all files
  std::vector<Index> unit_ = {};                // [node] the first node of its unit
  std::vector<Index> sends_ = {};               // [node] the send of a receive
  std::vector<std::vector<Index>> later_ = {};  // [unit]
  std::vector<std::size_t> missing_ = {};       // [unit] its open dependencies
  std::vector<ChakraTimes> times_ = {};         // [unit]
  Index units_ = 0;
  std::size_t absent_ = 0, unsent_ = 0;
};

}  // namespace

std::vector<std::vector<ChakraTimes>> played(const std::vector<ChakraFile>& files, std::vector<Note>& notes) {
  return Play(files, notes).run();
}

}  // namespace spillway
