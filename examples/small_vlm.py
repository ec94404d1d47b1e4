"""A small vision-language model as spillway.runtime trains it: Qwen2-VL's form, of the sizes in its config.json.

    layers 0 to 3    a vision transformer over the patches of images of any size; the first embeds patches, the last has
                     the projector, which makes one token of 2 x 2 patches
    layers 4 to 11   a language model over an image's tokens and the text behind them; the first embeds the text, the
                     last has the norm and the head

Images are noise and texts are random, but the same for every schedule: they follow from (step, replica, microbatch),
and their sizes from the program. It learns which tokens are frequent, no more.
"""

import json
import math
from pathlib import Path

import torch
from torch import nn

CONFIG = json.loads((Path(__file__).parents[1] / "workloads/models/small-vlm/config.json").read_text())
dtype = torch.float32  # of messages


def rotary(positions, width):
    """Cosines and sines of one position a row; positions: [rows]. Each frequency turns a pair of elements."""
    frequencies = 10000.0 ** (-torch.arange(0, width, 2, dtype=torch.float32) / width)
    angles = positions.to(torch.float32)[:, None] * frequencies
    return angles.cos(), angles.sin()


def turned(x, turn):
    """x: [rows, heads, width]."""
    cos, sin = (each[:, None, :] for each in turn)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def attention(q, k, v, causal):
    """q: [rows, heads, width]; k and v may have fewer heads, each for as many neighbours of q's."""
    k, v = (each.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for each in (k, v))
    q, k, v = (each.transpose(0, 1) for each in (q, k, v))
    scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
    if causal:
        scores = scores + torch.full_like(scores[0], -math.inf).triu(1)
    return (scores.softmax(-1) @ v).transpose(0, 1).flatten(1)


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class VisionLayer(nn.Module):
    """x: [patches, width]. Patches attend to those of their image."""

    def __init__(self, config, first, last):
        super().__init__()
        width, self.heads = config["embed_dim"], config["num_heads"]
        inner = config["mlp_ratio"] * width
        self.embedding = nn.Linear(patch_elements(config), width, bias=False) if first else None
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, inner), nn.GELU(), nn.Linear(inner, width))
        self.projector = Projector(config) if last else None

    def forward(self, x, batch):
        if self.embedding is not None:
            x = self.embedding(batch["patches"])
        q, k, v = self.qkv(self.norm1(x)).unflatten(-1, (3, self.heads, -1)).unbind(1)
        sizes, turn = [len(each) for each in batch["positions"]], self.turns(batch["positions"], q.shape[-1])
        q, k = turned(q, turn), turned(k, turn)
        images = [attention(*of, causal=False) for of in zip(*(each.split(sizes) for each in (q, k, v)))]
        x = x + self.out(torch.cat(images) if images else x)
        x = x + self.mlp(self.norm2(x))
        return x if self.projector is None else self.projector(x)

    @staticmethod
    def turns(positions, width):
        """Half of the pairs turn by the row, the others by the column."""
        where = torch.cat([torch.zeros(0, 2), *positions])
        halves = [rotary(where[:, side], width // 2) for side in (0, 1)]
        return tuple(torch.cat(both, dim=-1) for both in zip(*halves))


class Projector(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.joined = config["spatial_merge_size"] ** 2
        width = self.joined * config["embed_dim"]
        self.norm = nn.LayerNorm(config["embed_dim"])
        self.mlp = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, config["hidden_size"]))

    def forward(self, x):
        return self.mlp(self.norm(x).reshape(-1, self.joined * x.shape[-1]))


class TextLayer(nn.Module):
    """x: [tokens, width]; before the first layer the tokens of images alone."""

    def __init__(self, config, first, last):
        super().__init__()
        width, self.heads, self.groups = (config[key] for key in ("hidden_size", "num_attention_heads", "num_key_value_heads"))
        inner, self.head_width = config["intermediate_size"], width // self.heads
        self.embedding = nn.Embedding(config["vocab_size"], width) if first else None
        self.norm1, self.norm2 = RmsNorm(width), RmsNorm(width)
        self.q = nn.Linear(width, width)
        self.k, self.v = (nn.Linear(width, self.groups * self.head_width) for _ in "kv")
        self.out = nn.Linear(width, width, bias=False)
        self.gate, self.up = (nn.Linear(width, inner, bias=False) for _ in "gu")
        self.down = nn.Linear(inner, width, bias=False)
        self.head = nn.Sequential(RmsNorm(width), nn.Linear(width, config["vocab_size"], bias=False)) if last else None

    def forward(self, x, batch):
        if self.embedding is not None:
            text = self.embedding(batch["text"])
            x = text if x is None else torch.cat([x, text])
        y = self.norm1(x)
        q, k, v = (each(y).unflatten(-1, (-1, self.head_width)) for each in (self.q, self.k, self.v))
        turn = rotary(torch.arange(len(x)), self.head_width)
        x = x + self.out(attention(turned(q, turn), turned(k, turn), v, causal=True))
        y = self.norm2(x)
        x = x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))
        return x if self.head is None else self.head(x)


def patch_elements(config):
    return config["in_chans"] * config["temporal_patch_size"] * config["patch_size"] ** 2


def layer(index, blocks):
    block = next(each for each in blocks if each["first_layer"] <= index < each["end_layer"])
    first, last = index == block["first_layer"], index + 1 == block["end_layer"]
    vision = block["role"] == "encoder"
    depth = CONFIG["vision_config"]["depth"] if vision else CONFIG["num_hidden_layers"]
    if block["end_layer"] - block["first_layer"] != depth:
        raise ValueError(f"{block['name']} has {depth} layers here, and {block['end_layer'] - block['first_layer']} there")
    return VisionLayer(CONFIG["vision_config"], first, last) if vision else TextLayer(CONFIG, first, last)


def patch_positions(patches, merge):
    """Row and column of each patch of an image, in the order in which merge x merge neighbours lie together."""
    tokens = patches // merge**2
    high = max(side for side in range(1, math.isqrt(tokens) + 1) if tokens % side == 0)
    rows, columns = torch.meshgrid(torch.arange(high * merge), torch.arange(tokens // high * merge), indexing="ij")
    grid = torch.stack([rows, columns], dim=-1).unflatten(0, (high, merge)).unflatten(2, (-1, merge))
    return grid.transpose(1, 2).flatten(0, 3)


def batch(step, replica, microbatch, sample):
    """Images as patches that are embedded, with their positions, and a text behind them."""
    vision = CONFIG["vision_config"]
    random = torch.Generator().manual_seed((step * 1009 + replica) * 1009 + microbatch)
    sizes = [each["patches"] for each in sample["media"]]
    tokens = sum(sizes) // vision["spatial_merge_size"] ** 2
    length = sample["tokens"] - tokens
    text = (torch.rand(length + 1, generator=random) ** 3 * CONFIG["vocab_size"]).to(torch.int64)
    return {
        "patches": torch.randn(sum(sizes), patch_elements(vision), generator=random),
        "positions": [patch_positions(each, vision["spatial_merge_size"]) for each in sizes],
        "text": text[:-1],
        "next": text[1:],
    }


def loss(output, batch):
    """Of the text alone: the mean over its tokens."""
    return nn.functional.cross_entropy(output[-len(batch["next"]) :], batch["next"])


def optimizer(parameters):
    return torch.optim.SGD(parameters, lr=0.1)
