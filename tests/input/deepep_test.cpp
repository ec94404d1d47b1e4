// Per-node dispatch on hgx-h800, against DeepEP's published figures for its normal kernels
// (deepseek-ai/DeepEP, README of 2025-02: H800, 4096 tokens, 7168 wide, eight of 256 experts in four of the
// nodes at most, dispatched in FP8 and combined in BF16). DeepEP's bandwidth counts each token once for every
// device (in a node) or node (between nodes) that it reaches, the sender's own included. docs/accuracy.md has
// the errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "cost/network/collectives.h"
#include "cost/network/expert_routing.h"
#include "input/platform/platform_reader.h"

namespace spillway {
namespace {

struct Published {
  std::uint32_t devices;
  double dispatch;  // GB/s
  double combine;
};

// Returns DeepEP's bandwidth: bytes of one level over the time of the slower level.
double bandwidth(const Platform& platform, std::uint32_t devices, double element) {
  const std::uint32_t nodes = std::max(1u, devices / 8), chosen_groups = std::min(4u, nodes);
  const ExpertRouting routing{256, 8, nodes, chosen_groups};
  const double each = 4096 * 7168 * element;
  Seconds slowest;
  double counted = 0;
  for (const ExchangeLevel& level :
       exchange_levels(platform, {DeviceId(0), devices}, ExpertDispatch::PerNode, routing)) {
    const CollectiveTime time =
        collective_time(platform, CollectiveOperation::AllToAll, level.group, Carrier::Dispatch);
    slowest = std::max(slowest, time(Bytes(each * level.copies)).time);
    if (counted == 0) counted = each * level.copies;
  }
  return counted / slowest.value() / 1e9;
}

TEST(DeepEp, ErrorsAreThePages) {
  const Platform platform = read_platform(SPILLWAY_SOURCE_DIR "/platforms/hgx-h800.json");
  std::ifstream file(SPILLWAY_SOURCE_DIR "/docs/accuracy.md");
  std::stringstream page;
  page << file.rdbuf();
  for (const Published& row : {Published{8, 153, 158}, {16, 43, 43}, {32, 44, 47}, {64, 46, 45}}) {
    const double dispatch = row.dispatch / bandwidth(platform, row.devices, 1 + 4.0 / 128) - 1,
                 combine = row.combine / bandwidth(platform, row.devices, 2) - 1;
    char said[100];
    std::snprintf(said, sizeof said, "| DeepEP among %u H800, dispatch and combine | %+.1f, %+.1f %% |",
                  row.devices, 100 * dispatch, 100 * combine);
    EXPECT_NE(page.str().find(said), std::string::npos) << said;
    EXPECT_LT(std::abs(dispatch), 0.15);
    EXPECT_LT(std::abs(combine), 0.15);
  }
}

}  // namespace
}  // namespace spillway
