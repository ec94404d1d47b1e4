#include "traces/profile/torch_names.h"

#include <gtest/gtest.h>

namespace spillway::testing {
namespace {

TEST(TorchNames, ACollectiveIsTheSameInAnySpelling) {
  for (const char* name :
       {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)", "allreduce", "nccl:all_reduce",
        "hcom_allReduce__123_1", "c10d::allreduce_", "gloo:all_reduce", "cross_device_reduce_2stage"})
    EXPECT_EQ(collective_in(name), "all-reduce") << name;
  EXPECT_EQ(collective_in("_reduce_scatter_base"), "reduce-scatter");
  EXPECT_EQ(collective_in("_allgather_base"), "all-gather");
  EXPECT_EQ(collective_in("ncclDevKernel_SendRecv"), "send-receive");
  EXPECT_EQ(collective_in("all_to_allv"), "all-to-all");
  EXPECT_EQ(collective_in("ncclKernel_Reduce_RING"), "reduce");
  EXPECT_EQ(collective_in("ncclDevKernel_Generic"), "other");
}

TEST(TorchNames, AMarkIsANumberedStepOrIteration) {
  const auto mark = numbered_mark("train_step_12");
  ASSERT_TRUE(mark);
  EXPECT_EQ(mark->prefix, "train_step_");
  EXPECT_EQ(mark->number, 12U);
  EXPECT_TRUE(numbered_mark("Iteration 3"));
  EXPECT_FALSE(numbered_mark("layer_3"));
  EXPECT_FALSE(numbered_mark("step"));
  EXPECT_FALSE(numbered_mark("12"));
}

TEST(TorchNames, WorkIsToldApartByItsCategoryAndName) {
  EXPECT_TRUE(is_copy("gpu_memset", "Memset (Device)"));
  EXPECT_FALSE(is_copy("kernel", "gemm"));
  EXPECT_TRUE(is_communication_work("ncclDevKernel_AllGather_RING"));
  EXPECT_FALSE(is_communication_work("reduce_kernel"));
  EXPECT_TRUE(is_launch_category("cuda_driver"));
  EXPECT_TRUE(is_optimizer_kernel("void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor>"));
}

}  // namespace
}  // namespace spillway::testing
