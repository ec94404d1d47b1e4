"""Sizes of examples/small_vlm.py for tests: a config.json of a few numbers."""


def tiny(width=8, vision_width=8, depth=2, layers=2):
    return {
        "model_type": "qwen2_vl", "vocab_size": 16, "hidden_size": width, "intermediate_size": 16,
        "num_hidden_layers": layers, "num_attention_heads": 2, "num_key_value_heads": 1, "hidden_act": "silu",
        "tie_word_embeddings": False,
        "vision_config": {"depth": depth, "embed_dim": vision_width, "mlp_ratio": 2, "num_heads": 2, "in_chans": 1,
                          "patch_size": 14, "temporal_patch_size": 1, "spatial_merge_size": 2, "hidden_size": width},
    }  # fmt: skip
