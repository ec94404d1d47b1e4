"""Programs of plain pipelines, made here without Spillway: an oracle for the form, and small programs for tests."""

from itertools import count


def one_f_one_b(ranks, microbatches, replicas=1, split=False, recompute=False, encoder=2, layers_of_rank=None,
                trainable=(True, True), width=8, tokens=6, patches=4):
    """1F1B; layers_of_rank: of each rank. The blocks are an encoder of `encoder` layers and a backbone. A microbatch
    has `patches` patches (of 2 x 2 a token) and `tokens` tokens, image included; all layers are `width` wide."""
    layers_of_rank = layers_of_rank or [2] * ranks
    ends = [sum(layers_of_rank[: rank + 1]) for rank in range(ranks)]
    stages = [
        {"stage_index": rank, "region": "all", "rank": rank, "first_layer": end - layers_of_rank[rank], "end_layer": end,
         "trained": (trainable[0] and end - layers_of_rank[rank] < encoder) or (trainable[1] and end > encoder)}
        for rank, end in enumerate(ends)
    ]
    blocks = [
        {"name": "enc", "role": "encoder", "first_layer": 0, "end_layer": encoder, "trainable": trainable[0]},
        {"name": "llm", "role": "backbone", "first_layer": encoder, "end_layer": ends[-1], "trainable": trainable[1]},
    ]
    shape = lambda stage: [patches if ends[stage] < encoder else patches // 4 if ends[stage] == encoder else tokens, width]
    learns = [trainable[0] or (trainable[1] and end > encoder) for end in ends]  # it has a backward
    asks = [trainable[0] or (trainable[1] and end > encoder) for end in [0, *ends[:-1]]]  # for its input's gradient
    asks[0] = False
    groups = [{"group": rank, "members": [{"replica": n, "rank": rank} for n in range(replicas)]} for rank in range(ranks)]
    ids, programs = count(), []

    for replica in range(replicas):
        for rank in range(ranks):
            programs.append({"replica": replica, "rank": rank, "actions": list(
                _rank(stages[rank], ranks, microbatches, replicas, split, recompute, shape, learns, asks, ids))})
    samples = [[{"tokens": tokens, "text_tokens": tokens - patches // 4, "media": [{"kind": "image", "patches": patches,
                 "tokens": patches // 4}] if patches else []} for _ in range(microbatches)] for _ in range(replicas)]
    return {"schema": "spillway/program/1", "experiment": "hand-made", "schedule": "1f1b", "draw": 0, "ranks": ranks,
            "microbatches": microbatches, "replicas": replicas, "point_to_point": "overlapped", "makespan_s": 1.0,
            "blocks": blocks, "stages": stages, "samples": samples, "groups": groups, "programs": programs}


def random_one_f_one_b(draw):
    """On up to four processes."""
    ranks = draw.randint(1, 4)
    layers_of_rank = [draw.randint(1, 2) for _ in range(ranks)]
    layers_of_rank[-1] += 1
    return one_f_one_b(
        ranks, draw.randint(1, 4), replicas=draw.randint(1, 4 // ranks), split=draw.random() < 0.4,
        recompute=draw.random() < 0.3, encoder=draw.randint(1, sum(layers_of_rank) - 1), layers_of_rank=layers_of_rank,
        trainable=draw.choice([(True, True), (False, True), (True, False)]), tokens=draw.randint(5, 9),
        patches=draw.choice([0, 4, 16]),
    )  # fmt: skip


def _rank(stage, ranks, microbatches, replicas, split, recompute, shape, learns, asks, ids):
    rank = stage["rank"]
    last, sent, tags = rank == ranks - 1, [], {}

    def message(op, peer, backward, microbatch):
        of, to = (rank, peer) if op == "send" else (peer, rank)
        tag = tags[op, peer] = tags.get((op, peer), -1) + 1
        return {"id": next(ids), "op": op, "peer": peer, "tag": tag, "bytes": 0, "dtype": "bfloat16", "microbatch": microbatch,
                "shape": shape(min(of, to)), "seconds": 0, "pass": "backward" if backward else "forward", "stage_index": of,
                "to_stage_index": to}

    def compute(kind, microbatch):
        action = {"id": next(ids), "op": "compute", "stage_index": rank, "microbatch": microbatch, "pass": kind}
        if kind != "recompute":
            action["seconds"] = 0
        return {**action, "from_stage_index": rank - 1} if rank > 0 else action

    def receive(peer, backward, microbatch):
        posted = message("post_receive", peer, backward, microbatch)
        return [posted, {"id": next(ids), "op": "wait", "for": posted["id"]}]

    def send(peer, backward, microbatch):
        sent.append(message("send", peer, backward, microbatch))
        return sent[-1]

    def forward(m):
        if rank > 0:
            yield from receive(rank - 1, False, m)
        yield compute("forward", m)
        if last:
            yield {"id": next(ids), "op": "loss", "stage_index": rank, "microbatch": m}
        else:
            yield send(rank + 1, False, m)

    def backward(m):
        if not learns[rank]:
            return
        if not last and asks[rank + 1]:
            yield from receive(rank + 1, True, m)
        if recompute:
            yield compute("recompute", m)
        yield compute("input_gradient" if split else "backward", m)
        if asks[rank]:
            yield send(rank - 1, True, m)
        if split and stage["trained"]:
            weights.append(m)

    weights, warmup = [], min(ranks - 1 - rank, microbatches)
    for m in range(warmup):
        yield from forward(m)
    for m in range(microbatches):
        if warmup + m < microbatches:
            yield from forward(warmup + m)
        yield from backward(m)
    yield from (compute("weight_gradient", m) for m in weights)
    if replicas > 1 and stage["trained"]:
        reduced = {"id": next(ids), "op": "reduce", "group": rank, "stage_index": rank, "bytes": 0, "seconds": 0}
        yield from (reduced, {"id": next(ids), "op": "wait", "for": reduced["id"]})
    if stage["trained"]:
        yield {"id": next(ids), "op": "update", "stage_index": rank, "seconds": 0}
    yield from ({"id": next(ids), "op": "wait", "for": each["id"]} for each in sent)
    yield {"id": next(ids), "op": "barrier", "seconds": 0}
