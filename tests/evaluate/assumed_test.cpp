// Checks that the assumptions a run states are true of the values that it ran with.
#include "experiment/assumed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/text.h"
#include "input/experiment/experiment.h"

namespace spillway {
namespace {

const std::string kShippedExperiments = SPILLWAY_SOURCE_DIR "/workloads/experiments/";

std::string assumed_with(const std::string& name, const std::vector<Setting>& settings) {
  return joined(assumed(read_experiment(kShippedExperiments + name, settings)), "\n");
}

TEST(Assumed, IsSaidOfTheValuesThatRan) {
  const std::string as_written = assumed_with("experiment-a.json", {});
  EXPECT_TRUE(as_written.starts_with(
      "layout: PP16 TP4 DP8 EP32, 512 devices of CloudMatrix384; 32 microbatches per replica, each a "
      "sequence "
      "of 8192 tokens, packed\nattention stays within each sample of a packed sequence, and within its "
      "padding\nenc is trained, recompute full; llm is trained, recompute full\nlayers are "
      "split by count in mpipe, as stated in disttrain-like (32, 5, 14 x 4), by time in balanced\nimage "
      "sizes: servegen_image_tokens.csv; images per sample: "))
      << as_written;
  struct Changed {
    Setting setting;
    std::string said, no_longer;
  };
  const std::vector<Changed> changes = {
      {{"/pipeline/ranks", "8"}, "PP8 ", "PP16"},
      {{"/parallel/tensor", "2"}, "TP2 DP8 EP16, 256 devices", "512"},
      {{"/pipeline/microbatches", "16"}, "16 microbatches per replica", "32 microbatches"},
      {{"/workload/sequence_tokens", "4096"}, "of 4096 tokens", "8192"},
      {{"/workload/max_patches", "4096"}, "most patches per microbatch: 4096", "32768"},
      {{"/model/blocks/0/trainable", "false"}, "enc is frozen", "enc is trained"},
      {{"/model/blocks/0/recompute", "none"}, "nothing is recomputed; llm", "enc is trained, recompute full"},
      {{"/schedules/0/split", "balanced"}, "by time in mpipe", "by count in mpipe"},
      {{"/model/blocks/0/fixed_ms", "250"},
       "250 ms per microbatch is added to enc, spread evenly over its layers",
       "first layer"},
      {{"/fit", "[]"}, "llm computes at 0.5 of the peak rate, as stated", "fitted time"}};
  for (const auto& [setting, said, no_longer] : changes) {
    std::vector<Setting> settings = {setting};
    if (setting.pointer == "/pipeline/ranks")
      settings.push_back({"/schedules/1/layers_per_rank", "[32,9,9,9,9,9,8,8]"});
    if (setting.pointer == "/parallel/tensor") settings.push_back({"/parallel/expert", "16"});
    const std::string now = assumed_with("experiment-a.json", settings);
    EXPECT_NE(now.find(said), std::string::npos) << setting.pointer << ": " << now;
    EXPECT_EQ(now.find(no_longer), std::string::npos) << setting.pointer << ": " << now;
  }
}

TEST(Assumed, SaysHowEvenlyExpertsAreChosen) {
  const auto said = [](const std::vector<Setting>& settings, const std::string& words) {
    return assumed_with("deepseek-v3-h800.json", settings).find(words) != std::string::npos;
  };
  EXPECT_TRUE(said({}, "the experts of every device get as many tokens; natural routing is less even"));
  const Setting uneven{"/parallel/expert_imbalance", "1.5"};
  EXPECT_TRUE(said({uneven}, "the busiest device's experts get 1.5 times the mean device's tokens, as stated"));
  EXPECT_FALSE(said({uneven}, "as many tokens"));
  EXPECT_EQ(assumed_with("llama3-405b.json", {}).find("experts"), std::string::npos);
}

void add_numbers(const nlohmann::json& value, std::set<std::string>& numbers) {
  if (value.is_number() && value > 1) numbers.insert(value.dump());
  if (value.is_structured())
    for (const nlohmann::json& inner : value) add_numbers(inner, numbers);
}

// Returns true for the digits of "BF16", false for those of "PP16".
bool is_part_of_a_word(const std::string& text, std::size_t at) {
  if (at == 0 || !std::isalpha(static_cast<unsigned char>(text[at - 1]))) return false;
  const std::string before = at < 2 ? "" : text.substr(at - 2, 2);
  return std::set<std::string>{"PP", "TP", "DP", "EP", "CP"}.count(before) == 0;
}

std::set<std::string> numbers_of(const std::string& text) {
  std::set<std::string> numbers;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!std::isdigit(static_cast<unsigned char>(text[at]))) continue;
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", at), text.size());
    if (!is_part_of_a_word(text, at)) numbers.insert(text.substr(at, end - at));
    at = end;
  }
  return numbers;
}

// A setting would change the value but not the text.
TEST(Assumed, TextsOfShippedExperimentsStateNoValue) {
  std::size_t texts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kShippedExperiments)) {
    std::ifstream in(entry.path());
    const auto document = nlohmann::json::parse(in);
    std::set<std::string> values;
    for (const char* part : {"pipeline", "parallel", "workload"})
      if (document.contains(part)) add_numbers(document[part], values);
    for (const std::string& text : document.value("assumptions", std::vector<std::string>())) {
      ++texts;
      for (const std::string& number : numbers_of(text))
        EXPECT_FALSE(values.contains(number)) << entry.path().filename() << ": " << number << " in " << text;
    }
  }
  EXPECT_GT(texts, 10u);
}

}  // namespace
}  // namespace spillway
