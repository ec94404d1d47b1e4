// A small platform is fitted to made-up messages, written and read back.
#include "calibrate/fit_messages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "calibrate/fitted_document.h"
#include "calibrate/message_errors.h"
#include "cost/network/collectives.h"
#include "input/platform/platform_reader.h"
#include "traces/measured_files.h"

namespace spillway {
namespace {

using testing::measured_file;
using testing::refusals;
using enum CollectiveOperation;

std::string figure(const std::string& value) {
  return "{ \"value\": " + value + ", \"kind\": \"assumed\", \"source\": \"s\" }";
}

// The base has nodes of four devices and only assumed network figures.
std::string base_text() {
  return "{ \"schema\": \"spillway/platform/1\", \"name\": \"small\", \"note\": \"kept\", \"accelerator\": { "
         "\"name\": \"gpu\", \"bf16_tflops\": " +
         figure("1") + ", \"memory_gb\": " + figure("1") + ", \"memory_bandwidth_gbps\": " + figure("1") +
         " }, \"ports\": [ { \"name\": \"link\", \"bandwidth_gbps\": " + figure("1") +
         " }, { \"name\": \"nic\", \"bandwidth_gbps\": " + figure("200") +
         " } ], \"tiers\": [ { \"name\": \"node\", \"devices\": 4, \"port\": \"link\", \"latency_us\": " +
         figure("50") + ", \"step_latency_us\": " + figure("40") + ", \"bandwidth_gbps\": " + figure("1") +
         " }, { \"name\": \"cluster\", \"devices\": 16, \"port\": \"nic\", \"latency_us\": " + figure("60") +
         ", \"bandwidth_gbps\": " + figure("1") + " } ] }";
}

std::string base_file() {
  return measured_file("base.json", base_text());
}

MessageSample message(CollectiveOperation operation, std::uint32_t devices, std::uint32_t neighbours,
                      double bytes, double seconds) {
  return {operation, devices, neighbours, "", Bytes(bytes), Seconds(seconds)};
}

// Returns messages of sixteen sizes that take alpha + n / beta.
Samples samples(CollectiveOperation operation, std::uint32_t devices, std::uint32_t neighbours, double alpha,
                double beta) {
  Samples all{"test", {}, "a test", {}, {}, {}};
  for (int i = 0; i < 16; ++i) {
    const double bytes = 1e3 * std::pow(2, i);
    all.messages.push_back(message(operation, devices, neighbours, bytes, alpha + bytes / beta));
  }
  return all;
}

const FittedNumber& number(const Fits& fits, const std::string& pointer) {
  for (const FittedNumber& one : fits.numbers)
    if (one.pointer == pointer) return one;
  throw std::out_of_range(pointer);
}

TEST(FitMessages, AMessageFitsItsTierAndWhatHangsOnIt) {
  const Platform base = read_platform(base_file());
  const Fits fits = fit_messages(base, {samples(SendRecv, 2, 2, 5e-6, 100e9)});
  EXPECT_NEAR(number(fits, "/tiers/0/latency_us").value, 5, 1e-6);
  EXPECT_NEAR(number(fits, "/tiers/0/bandwidth_gbps").value, 100, 1e-4);
  EXPECT_EQ(number(fits, "/tiers/0/latency_us").points, 8u);
  EXPECT_NEAR(number(fits, "/tiers/0/step_latency_us").value, 5, 1e-6);
  EXPECT_NEAR(number(fits, "/ports/0/bandwidth_gbps").value, 100, 1e-4);
  ASSERT_EQ(fits.undetermined.size(), 2u);
  EXPECT_EQ(fits.undetermined[0].pointer, "/tiers/1/latency_us");
  EXPECT_EQ(fits.undetermined[0].why, "no message between two devices crosses tier cluster");
  ASSERT_EQ(fits.held_back.size(), 2u);
  for (const HeldBackError& error : fits.held_back) EXPECT_LT(error.most_absolute, 1e-6);
}

// An all-gather of n bytes among two devices sends n / 2 each way, as the cost model prices it.
TEST(FitMessages, AnAllGatherAmongTwoIsAMessageOfHalf) {
  const Platform base = read_platform(base_file());
  const Fits fits = fit_messages(base, {samples(AllGather, 2, 1, 9e-6, 100e9)});
  EXPECT_NEAR(number(fits, "/tiers/1/latency_us").value, 9, 1e-6);
  EXPECT_NEAR(number(fits, "/tiers/1/bandwidth_gbps").value, 50, 1e-4);
}

TEST(FitMessages, WhatThePlatformCannotHoldIsDroppedAndCounted) {
  const Platform base = read_platform(base_file());
  const Fits fits = fit_messages(base, {samples(AllReduce, 8, 8, 5e-6, 100e9)});
  EXPECT_TRUE(fits.sweeps.empty());
  EXPECT_EQ(to_string(fits.notes.at(0)),
            "dropped: 16 measurements among 8 devices, 8 on a node, which small cannot hold");
}

TEST(FitMessages, ShuffledAndRepeatedSizesChangeNothing) {
  const Platform base = read_platform(base_file());
  Samples plain = samples(AllReduce, 8, 4, 5e-6, 100e9), shuffled = plain;
  std::reverse(shuffled.messages.begin(), shuffled.messages.end());
  shuffled.messages.push_back(shuffled.messages.front());
  const Fits a = fit_messages(base, {plain}), b = fit_messages(base, {shuffled});
  EXPECT_EQ(a.sweeps.at(0).sweep.points.value, b.sweeps.at(0).sweep.points.value);
  EXPECT_EQ(to_string(b.notes.at(0)), "read: 1 size measured several times, of which the median is taken");
}

TEST(FitMessages, FewSizesAreAllUsedAndItIsSaid) {
  const Platform base = read_platform(base_file());
  Samples few = samples(AllReduce, 4, 4, 5e-6, 100e9);
  few.messages.erase(few.messages.begin() + 5, few.messages.end() - 1);
  const Fits fits = fit_messages(base, {few});
  EXPECT_TRUE(fits.held_back.empty());
  EXPECT_EQ(to_string(fits.notes.at(0)),
            "missing: all-reduce, 4 devices of node: too few sizes to hold any back");
}

// Such a curve would give all sizes the same price, or all smaller sizes the price of its smallest one.
TEST(FitMessages, NoCurveOfSizesThatDoNotShowBothLatencyAndBandwidth) {
  const Platform base = read_platform(base_file());
  const Samples whole = samples(SendRecv, 2, 2, 5e-6, 100e9);
  const auto some = [&](int from, int count) {
    Samples part = whole;
    part.messages.assign(whole.messages.begin() + from, whole.messages.begin() + from + count);
    return part;
  };
  for (const auto& [part, why] :
       {std::pair(some(7, 1), "one size only"), std::pair(some(7, 2), "fewer than three sizes"),
        std::pair(some(0, 4), "every size is bound by latency"),
        std::pair(samples(SendRecv, 2, 2, 0, 100e9), "every size is bound by bandwidth")}) {
    const Fits fits = fit_messages(base, {part});
    EXPECT_TRUE(fits.sweeps.empty()) << why;
    ASSERT_FALSE(fits.undetermined.empty()) << why;
    EXPECT_EQ(fits.undetermined[0].pointer, "/tiers/0/collectives");
    EXPECT_EQ(fits.undetermined[0].why, std::string("no curve of send-recv, 2 devices of node: ") + why);
  }
  EXPECT_EQ(fit_messages(base, {whole}).sweeps.size(), 1u);
}

// A collective that alternates between two modes is fitted as measured, with a note. Where one follows the
// other, it has a step (protocol_steps_test.cpp).
TEST(FitMessages, TimesThatFallAreNoted) {
  const Platform base = read_platform(base_file());
  Samples two_modes = samples(AllReduce, 4, 4, 5e-6, 100e9);
  for (int i = 0; i < 8; i += 2) two_modes.messages[i].time = Seconds(40e-6);
  const Fits fits = fit_messages(base, {two_modes});
  ASSERT_EQ(fits.notes.size(), 1u);
  const std::string note = to_string(fits.notes[0]);
  EXPECT_TRUE(note.starts_with("differs: all-reduce, 4 devices of node: times fall as sizes grow, by "))
      << note;
  EXPECT_TRUE(fit_messages(base, {samples(AllReduce, 4, 4, 5e-6, 100e9)}).notes.empty());
}

TEST(PlatformWriter, TheFittedPlatformReadsBackAndPricesWhatWasMeasured) {
  const std::string base = base_file();
  const Samples pair = samples(SendRecv, 2, 2, 5e-6, 100e9), ring = samples(AllReduce, 8, 4, 30e-6, 20e9);
  const std::string text = calibrated_document(base, fit_messages(read_platform(base), {pair, ring}), base);
  const Platform fitted = read_platform_text(text, base);
  EXPECT_EQ(fitted.tiers[0].latency.evidence, Evidence::Fitted);
  EXPECT_NEAR(fitted.tiers[0].bandwidth.value.value(), 100e9, 1e6);
  EXPECT_NE(fitted.tiers[0].latency.source.find("95 % interval 5 to 5, 8 measurements"), std::string::npos);
  EXPECT_EQ(fitted.tiers[1].latency.evidence, Evidence::Assumed);
  for (const Samples& measured : {pair, ring})
    for (const HeldBackError& error : message_errors(fitted, measured)) EXPECT_LT(error.most_absolute, 1e-3);
  const CollectiveEstimate price = collective_time(fitted, AllReduce, {DeviceId(0), 8})(Bytes(20e6));
  EXPECT_NEAR(price.time.value(), 30e-6 + 1e-3, 1e-6);
  EXPECT_LT(text.find("\"note\""), text.find("\"accelerator\""));  // keys keep their order
}

TEST(PlatformWriter, ACurveTakesThePlaceOfTheOneBefore) {
  const std::string base = base_file();
  const Platform platform = read_platform(base);
  const std::string once =
      calibrated_document(base, fit_messages(platform, {samples(AllReduce, 4, 4, 5e-6, 1e9)}), base);
  const std::string next = measured_file("next.json", once);
  const Platform twice = read_platform_text(
      calibrated_document(next, fit_messages(platform, {samples(AllReduce, 4, 4, 5e-6, 2e9)}), next), next);
  ASSERT_EQ(twice.tiers[0].collectives.size(), 1u);
  EXPECT_NEAR(twice.tiers[0].collectives[0].points.value.back().second.value(), 5e-6 + 1e3 * 16384 / 2e9,
              1e-7);
}

TEST(PlatformWriter, FilesAreNamedFromTheirNewPlace) {
  const std::string shipped = SPILLWAY_SOURCE_DIR "/platforms/hgx-h100.json";
  const std::string target = measured_file("moved.json", "");
  const Platform moved = read_platform_text(calibrated_document(shipped, {}, target), target);
  EXPECT_EQ(moved.accelerator.operators->gemms.size(),
            read_platform(shipped).accelerator.operators->gemms.size());
}

TEST(PlatformWriter, ABaseThatIsNone) {
  EXPECT_EQ(refusals([] { calibrated_document("nowhere.json", {}, "x.json"); }).size(), 1u);
}

TEST(Fits, TwoFitsOfOneNumberAreRefused) {
  const Fits one{{{"/tiers/0/latency_us", 1, 1, 1, 3, "a"}}, {}, {}, {}, {}};
  EXPECT_EQ(merged({one, {}}).numbers.size(), 1u);
  EXPECT_EQ(refusals([&] { merged({one, one}); }).size(), 1u);
}

}  // namespace
}  // namespace spillway
