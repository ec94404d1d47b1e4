// Kernels of layers are classified by their place between products: a forward and a backward of one whole
// layer, written out.
#include "traces/samples/pass_sums.h"

#include "ascend_files.h"

namespace spillway {
namespace {

using namespace testing;

constexpr const char* kShapedHeader =
    "Step Id,Name,Type,Stream ID,Start Time(us),Duration(us),Input Shapes,Input Data Types,Output Shapes\n";

// Writes kernels one after the other, of 1 us, 2 us, 4 us, ..., so that a sum tells which kernels it holds.
class WrittenKernels {
 public:
  explicit WrittenKernels(int start) : start_(start) {}

  WrittenKernels& add(const std::string& name, const std::string& type,
                      const std::string& input = "64,1,32") {
    const std::string time = std::to_string(1764246877000000 + start_) + ".250\t";
    text_ += "1," + name + "," + type + ",2," + time + "," + std::to_string(duration_) + ",\"\"\"" + input +
             "\"\"\",DT_BF16,\"\"\"64,32\"\"\"\n";
    start_ += duration_;
    duration_ *= 2;
    return *this;
  }

  const std::string& text() const { return text_; }

 private:
  int start_, duration_ = 1;
  std::string text_;
};

std::string transfer(int number, int start, int duration) {
  return "1,hcom_batchSendRecv__1_" + std::to_string(number) + "_1,hcom_batchSendRecv_,2," +
         std::to_string(1764246877000000 + start) + ".250\t," + std::to_string(duration) + R"(,"","","")" +
         "\n";
}

void expect_sum(const KernelSum& sum, double kernels, double microseconds_long) {
  EXPECT_EQ(sum.kernels, kernels);
  EXPECT_NEAR(sum.time.value() * 1e6, microseconds_long, 1e-9);
}

class PassSumsOfLayers : public AscendFiles {
 protected:
  std::vector<PassSums> sums(const WrittenKernels& forward, const WrittenKernels& backward) {
    write_rank(0, kShapedHeader + forward.text() + transfer(1, 10000, 1) +
                      WrittenKernels(10002).add("m", "MatMulV3").text() + transfer(2, 10010, 1) +
                      backward.text() + transfer(3, 30000, 1) +
                      WrittenKernels(30002).add("mGrad", "MatMulV3").text());
    return pass_sums(root_.string(), trace(), 0);
  }
};

TEST_F(PassSumsOfLayers, AreThoseBetweenTwoAttentions) {
  WrittenKernels forward(0);
  forward.add("n", "RmsNorm").add("m", "MatMulV3").add("a", "FlashAttentionScore");  // 1, 2, 4
  forward.add("m", "MatMulV3").add("s", "Add").add("n", "RmsNorm");                  // 8, 16, 32
  forward.add("m", "MatMulV3").add("g", "SwiGlu").add("m", "MatMulV3");              // 64, 128, 256
  forward.add("m", "MatMulV3").add("c", "Slice").add("a", "FlashAttentionScore");    // 512, 1024, 2048
  const std::vector<PassSums> all = sums(forward, WrittenKernels(10012).add("mGrad", "MatMulV3"));
  ASSERT_FALSE(all.empty());
  const LayerSums& layers = all.front().layers;
  EXPECT_EQ(layers.layers, 1);
  expect_sum(layers.residual, 1, 16);
  expect_sum(layers.norm, 1, 32);
  expect_sum(layers.activation, 1, 128);
  expect_sum(layers.rotary, 1, 1024);
  expect_sum(layers.head_norms, 0, 0);
  expect_sum(all.front().rest, 5, 1 + 16 + 32 + 128 + 1024);
}

TEST_F(PassSumsOfLayers, OfABackwardHaveTwoProductsForOne) {
  WrittenKernels backward(10012);
  backward.add("aGrad", "FlashAttentionScoreGrad").add("r", "RotaryGrad");     // 1, 2
  backward.add("n", "RmsNormGrad").add("c", "Cast", "32");                     // 4, 8
  backward.add("mGrad", "MatMulV3").add("m", "MatMulV3").add("s", "Add");      // 16, 32, 64
  backward.add("m", "MatMulV3").add("m", "MatMulV3").add("g", "SwiGluGrad");   // 128, 256, 512
  backward.add("m", "MatMulV3").add("m", "MatMulV3").add("n", "RmsNormGrad");  // 1024, 2048, 4096
  WrittenKernels more(10012 + 8191);
  more.add("m", "MatMulV3").add("m", "MatMulV3").add("aGrad", "FlashAttentionScoreGrad");
  write_rank(0, kShapedHeader + WrittenKernels(0).add("m", "MatMulV3").text() + transfer(1, 5, 1) +
                    WrittenKernels(7).add("m", "MatMulV3").text() + transfer(2, 10010, 1) + backward.text() +
                    more.text() + transfer(3, 30000, 1) +
                    WrittenKernels(30002).add("mGrad", "MatMulV3").text());
  const std::vector<PassSums> all = pass_sums(root_.string(), trace(), 0);
  const auto found = std::ranges::find(all, TraceKind::Backward, &PassSums::kind);
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->layers.layers, 1);
  expect_sum(found->layers.rotary, 1, 2);
  expect_sum(found->layers.head_norms, 2, 4 + 8);
  expect_sum(found->layers.residual, 1, 64);
  expect_sum(found->layers.activation, 1, 512);
  expect_sum(found->layers.norm, 1, 4096);
}

// Layers of three products are not recognised.
TEST_F(PassSumsOfLayers, OfOtherLayersAreNone) {
  WrittenKernels forward(0);
  forward.add("a", "FlashAttentionScore").add("m", "MatMulV3").add("m", "MatMulV3").add("g", "SwiGlu");
  forward.add("m", "MatMulV3").add("a", "FlashAttentionScore");
  const std::vector<PassSums> all = sums(forward, WrittenKernels(10012).add("mGrad", "MatMulV3"));
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().layers.layers, 0);
  expect_sum(all.front().layers.activation, 0, 0);
  expect_sum(all.front().rest, 1, 8);
}

}  // namespace
}  // namespace spillway
