#include "launch/megatron/known_arguments.h"

#include <array>

namespace spillway {
namespace {

constexpr std::array kIdle = std::to_array<std::string_view>({
    // learning rates, losses and their scales; how weights begin
    "--lr", "--lr-*", "--min-lr", "--decoupled-lr", "--decoupled-min-lr", "--weight-decay", "--weight-decay-*",
    "--start-weight-decay", "--end-weight-decay", "--apply-wd-to-qk-layernorm", "--adam-*", "--override-opt-param-scheduler",
    "--override-opt_param-scheduler", "--use-checkpoint-opt-param-scheduler", "--use-checkpoint-opt_param-scheduler",
    "--init-method-*", "--embedding-init-method-std", "--seed", "--data-parallel-random-init",
    "--loss-scale", "--initial-loss-scale", "--min-loss-scale", "--loss-scale-window", "--hysteresis",
    "--mtp-loss-scaling-factor", "--moe-aux-loss-coeff", "--moe-z-loss-coeff", "--moe-router-load-balancing-type",
    "--moe-router-score-function", "--moe-router-topk-scaling-factor", "--moe-router-bias-update-rate",
    "--moe-router-pre-softmax", "--moe-router-dtype", "--moe-per-layer-logging", "--seq-aux", "--norm-topk-prob",
    "--routed-scaling-factor", "--moe-comm-aux-loss-coeff", "--moe-device-level-aux-loss-coeff",
    "--moe-router-force-load-balancing", "--calculate-per-token-loss", "--attention-dropout", "--hidden-dropout",
    "--norm-epsilon", "--layernorm-epsilon", "--clip-grad", "--use-cpu-initialization", "--perform-initialization",
    // where positions are, and how attention is masked within the rules of a pretraining
    "--max-position-embeddings", "--rotary-*", "--rope-*", "--use-rope-scaling", "--mscale*", "--yarn-*",
    "--beta-fast", "--beta-slow", "--original-max-position-embeddings", "--mrope-section", "--rotary-interleaved",
    "--attention-softmax-in-fp32", "--no-attention-softmax-in-fp32", "--apply-query-key-layer-scaling",
    "--apply-layernorm-1p", "--no-position-embedding", "--eod-mask-loss", "--reset-position-ids",
    // how long a run is, what it writes, reads and logs
    "--train-iters", "--train-samples", "--num-train-epochs", "--max-epochs", "--exit-*", "--eval-*", "--evaluation-*",
    "--log-*", "--logging-*", "--timing-log-*", "--tensorboard-*", "--wandb-*", "--one-logger-*", "--no-one-logger",
    "--enable-one-logger", "--report-to", "--save", "--save-*", "--load", "--load-*", "--no-save-*", "--no-load-*",
    "--finetune", "--ckpt-*", "--use-dist-ckpt", "--dist-ckpt-*", "--no-use-dist-ckpt", "--async-save",
    "--pretrained-checkpoint", "--auto-detect-ckpt-format", "--use-checkpoint-args", "--exit-on-missing-checkpoint",
    "--no-use-tokenizer-model-from-checkpoint-args", "--output-dir", "--profile", "--profile-*", "--use-pytorch-profiler",
    "--record-memory-history", "--memory-snapshot-path", "--manual-gc", "--manual-gc-*", "--check-for-*",
    "--no-check-for-nan-in-loss-and-grad", "--rerun-mode", "--enable-ft-package", "--calc-ft-timeouts",
    "--distributed-timeout-minutes", "--distributed-backend", "--local-rank", "--empty-unused-memory-level",
    "--enable-hf2mg-convert", "--model-type-hf", "--ai-framework", "--enable-experimental", "--trust-remote-code",
    // data
    "--data-path", "--data-args-path", "--train-data-path", "--valid-data-path", "--test-data-path", "--data-cache-path",
    "--per-split-data-args-path", "--split", "--mock-data", "--num-workers", "--dataloader-type", "--dataloader-save",
    "--dataloader-num-workers", "--dataset-num-proc", "--dataset", "--val-dataset", "--split-dataset-ratio",
    "--load-from-cache-file", "--streaming", "--dataset-impl", "--no-mmap-bin-files", "--num-dataset-builder-threads",
    "--no-create-attention-mask-in-dataloader", "--create-attention-mask-in-dataloader", "--tiktoken-*",
    "--tokenizer-kwargs", "--tokenizer-not-use-fast", "--tokenizer-padding-side", "--handler-name", "--system",
    "--model-author", "--model-name", "--no-shared-storage", "--prompt-path", "--prompt-type", "--object-storage-cache-path",
    "--tokenizer-name-or-path", "--tokenizer-prompt-format", "--overwrite-cache", "--add-version", "--model-version",
    // what every cost assumes: fused kernels, grouped experts, groups that exist
    "--use-mcore-models", "--use-legacy-models-false", "--use-te", "--no-masked-softmax-fusion", "--no-persist-layer-norm",
    "--no-async-tensor-model-parallel-allreduce", "--gemm-gradient-accumulation-fusion", "--moe-grouped-gemm",
    "--use-fused-rmsnorm", "--use-fused-swiglu", "--use-fused-rotary-pos-emb", "--use-rotary-position-embeddings",
    "--cross-entropy-loss-fusion", "--cross-entropy-fusion-impl", "--moe-permute-fusion", "--moe-permutation-async-comm",
    "--fp8-amax-history-len", "--fp8-amax-compute-algo", "--fp8-margin", "--fp8-interval", "--no-align-grad-reduce",
    "--no-align-param-gather", "--accumulate-allreduce-grads-in-fp32", "--use-ring-exchange-p2p",
    "--bias-swiglu-fusion", "--init-model-with-meta-device", "--mla-fa-without-pad", "--mla-mm-split",
    "--use-rotary-embeddings", "--no-bias-gelu-fusion", "--no-bias-dropout-fusion", "--spec",
});

}  // namespace

std::span<const std::string_view> idle_arguments() {
  return kIdle;
}

}  // namespace spillway
