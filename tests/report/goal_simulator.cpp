#include "goal_simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <tuple>

namespace spillway::testing {
namespace {

using Words = std::vector<std::string>;

Words goal_words(const std::string& line) {
  std::istringstream in(line);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// "l12: send 5b to 1 tag 12", "l12: calc 5"
GoalOperation operation(std::uint32_t rank, const Words& words) {
  GoalOperation made{rank, words.at(1), std::stoull(words.at(2)), 0, 0, {}};
  if (made.word == "calc") {
    EXPECT_EQ(words.size(), 3u);
    return made;
  }
  EXPECT_EQ(words.at(2).back(), 'b');
  EXPECT_EQ(words.at(3), made.word == "send" ? "to" : "from");
  EXPECT_EQ(words.at(5), "tag");
  made.partner = static_cast<std::uint32_t>(std::stoul(words.at(4)));
  made.tag = static_cast<std::uint32_t>(std::stoul(words.at(6)));
  return made;
}

using Channel = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // from, to, tag

class Player {
 public:
  explicit Player(const GoalProgram& program)
      : program_(program), ends_(program.operations.size()), open_(program.operations.size()) {
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
      const GoalOperation& one = program.operations[i];
      if (one.word != "send") continue;
      EXPECT_TRUE(sends_.emplace(Channel{one.rank, one.partner, one.tag}, i).second) << "one of a tag";
    }
  }

  std::uint64_t makespan() {
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < ends_.size(); ++i) last = std::max(last, end(i));
    EXPECT_EQ(received_, sends_.size());
    for (auto& [rank, runs] : runs_) {
      std::ranges::sort(runs);
      for (std::size_t i = 1; i < runs.size(); ++i) EXPECT_LE(runs[i - 1].second, runs[i].first);
    }
    return last;
  }

 private:
  std::uint64_t end(std::size_t at) {
    if (ends_[at]) return *ends_[at];
    EXPECT_FALSE(open_[at]) << "a circle";
    open_[at] = true;
    const GoalOperation& one = program_.operations[at];
    std::uint64_t time = 0;
    for (const std::size_t before : one.needs) time = std::max(time, end(before));
    if (one.word == "calc" && one.amount > 0) runs_[one.rank].push_back({time, time + one.amount});
    if (one.word == "calc") time += one.amount;
    if (one.word == "recv") time = std::max(time, arrival(one));
    ends_[at] = time;
    return time;
  }

  std::uint64_t arrival(const GoalOperation& receive) {
    const auto send = sends_.find(Channel{receive.partner, receive.rank, receive.tag});
    if (send == sends_.end()) {
      ADD_FAILURE() << "nobody sends";
      return 0;
    }
    ++received_;
    EXPECT_EQ(program_.operations[send->second].amount, receive.amount);
    return end(send->second) + program_.latency;
  }

  const GoalProgram& program_;
  std::vector<std::optional<std::uint64_t>> ends_;
  std::vector<bool> open_;
  std::map<Channel, std::size_t> sends_;
  std::size_t received_ = 0;
  std::map<std::uint32_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> runs_;
};

}  // namespace

GoalProgram parse_goal(const std::string& text) {
  GoalProgram program{};
  std::map<std::string, std::size_t> labels;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Words words = goal_words(line);
    if (words.at(0) == "//") {
      const auto option = std::ranges::find(words, "-L");
      if (option != words.end()) program.latency = std::stoull(*(option + 1));
    } else if (words[0] == "num_ranks") {
      program.ranks = static_cast<std::uint32_t>(std::stoul(words.at(1)));
    } else if (words[0] == "rank") {
      labels.clear();
      labels["rank"] = std::stoul(words.at(1));
    } else if (words[0].back() == ':') {
      const auto host = static_cast<std::uint32_t>(labels.at("rank"));
      EXPECT_LT(host, program.ranks);
      labels[words[0].substr(0, words[0].size() - 1)] = program.operations.size();
      program.operations.push_back(operation(host, words));
    } else if (words[0] != "}") {
      EXPECT_EQ(words.at(1), "requires") << line;
      program.operations.at(labels.at(words[0])).needs.push_back(labels.at(words.at(2)));
    }
  }
  return program;
}

std::uint64_t goal_makespan(const GoalProgram& program) {
  return Player(program).makespan();
}

}  // namespace spillway::testing
