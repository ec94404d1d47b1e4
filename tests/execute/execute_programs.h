// Programs for the tests of execute, and their execution under mpirun.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "support/nightly.h"
#include "support/on_ranks.h"
#include "support/programs.h"
#include "support/temporary_folder.h"

namespace spillway::testing {

// Messages of up to 40 kB, larger than those that MPI sends without asking the receiver.
inline Program with_bytes(Program program) {
  for (std::size_t size = 0; size < program.sizes.size(); ++size)
    program.sizes[size].bytes = Bytes(double(7919 * (size + 1) % 40000));
  return program;
}

// A program of at most 8 ranks and replicas, of any schedule; the same for a seed.
inline Program random_program(std::uint32_t seed, std::uint32_t ranks = 4, std::uint32_t replicas = 2) {
  RandomLimits limits;
  limits.regions = 3, limits.ranks = ranks, limits.microbatches = 6, limits.replicas = replicas;
  limits.every_skeleton = true;
  for (std::uint32_t draw = 0;; ++draw) {
    const RandomDerivation random =
        random_derivation(limits)(rc::Random(std::uint64_t{seed} << 16 | draw), rc::kNominalSize).value();
    const Derived derived = random.derived();
    if (check_lower(derived).empty()) return with_bytes(lowered(derived, random.costs));
  }
}

// Puts a rank's actions into another order. `order`: their numbers.
inline void reorder(RankProgram& of, const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> now(order.size());
  for (std::uint32_t place = 0; place < order.size(); ++place) now[order[place]] = place;
  std::vector<RankAction> actions;
  for (const std::uint32_t old : order) {
    actions.push_back(of.actions[old]);
    if (auto* wait = std::get_if<Wait>(&actions.back())) wait->of = now[wait->of];
  }
  of.actions = std::move(actions);
}

// Sends that their rank waits for at once, or receives that it posts when it waits for them: each is right
// where it stands alone, and a program with both may block.
enum class Change { SendsWait, ReceivesAreLate };

inline void change(RankProgram& of, Change change) {
  std::vector<std::uint32_t> order;
  std::vector<std::optional<std::uint32_t>> wait_of(of.actions.size());
  for (std::uint32_t i = 0; i < of.actions.size(); ++i)
    if (const auto* wait = std::get_if<Wait>(&of.actions[i])) wait_of[wait->of] = i;
  for (std::uint32_t i = 0; i < of.actions.size(); ++i) {
    const bool late = change == Change::ReceivesAreLate;
    if (late && std::holds_alternative<PostReceive>(of.actions[i])) continue;
    const auto* wait = std::get_if<Wait>(&of.actions[i]);
    if (wait && late && std::holds_alternative<PostReceive>(of.actions[wait->of])) order.push_back(wait->of);
    if (wait && !late && std::holds_alternative<Send>(of.actions[wait->of])) continue;
    order.push_back(i);
    if (!late && std::holds_alternative<Send>(of.actions[i])) order.push_back(*wait_of[i]);
  }
  reorder(of, order);
}

// Receives of a sender in another order than their tags are no program.
inline bool receives_in_order(const RankProgram& of) {
  std::map<RankId, std::uint32_t> next;
  return std::all_of(of.actions.begin(), of.actions.end(), [&](const RankAction& action) {
    const auto* receive = std::get_if<PostReceive>(&action);
    return !receive || receive->tag == next[receive->peer]++;
  });
}

// A program with changes on some ranks, which may block. Its messages are so small that MPI would buffer
// those of ordinary sends.
inline Program changed_program(std::uint32_t seed) {
  Program program = random_program(seed, 3, 2);
  for (MessageSize& size : program.sizes) size.bytes = Bytes(1000);
  std::minstd_rand draw(seed + 1);
  for (RankProgram& of : program.programs) {
    const RankProgram before = of;
    if (draw() % 4 > 0) change(of, Change::SendsWait);
    if (draw() % 4 > 0) change(of, Change::ReceivesAreLate);
    if (!receives_in_order(of)) of = before;
  }
  return program;
}

class OnRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (ended(SPILLWAY_MPIRUN " --version").status != 0) GTEST_SKIP() << "there is no " SPILLWAY_MPIRUN;
  }

  std::string file(const std::string& name) const { return folder_.file(name); }

  std::string written(const std::string& text) const { return folder_.file("program.json", text); }

  Ended execute(const Program& program, const std::string& options, int seconds = 60) const {
    const auto processes = static_cast<int>(program.programs.size());
    return ended(on_ranks(processes, seconds) + SPILLWAY_PROGRAM " execute " + written(text_of(program)) +
                 ' ' + options);
  }

  // The scale that makes the program's step last about `seconds`.
  static std::string lasting(const Program& program, double seconds) {
    std::array<char, 32> scale;
    std::snprintf(scale.data(), scale.size(), "%.17g", seconds / std::max(1e-9, program.makespan.value()));
    return std::string("--time-scale ") + scale.data() + ' ';
  }

 private:
  const TemporaryFolder folder_;
};

}  // namespace spillway::testing
