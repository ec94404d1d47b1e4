#!/usr/bin/env python3
"""A 1F1B step as a plain Python loop over its dependencies: what many write first.

dependency_loop.py RANKS MICROBATCHES POINTS: prints points per second and the last makespan. Each point has another
forward time; nothing is kept between points but the order.
"""
import sys
import time

TRANSFER_S = 0.0005


def one_f_one_b(ranks, microbatches):
    """Each rank's passes in order: ("F", m) and ("B", m)."""
    orders = []
    for rank in range(ranks):
        warm_up = min(microbatches, ranks - rank - 1)
        order = [("F", m) for m in range(warm_up)]
        for m in range(warm_up, microbatches):
            order += [("F", m), ("B", m - warm_up)]
        order += [("B", m) for m in range(microbatches - warm_up, microbatches)]
        orders.append(order)
    return orders


def makespan(orders, forward_s, backward_s):
    ranks = len(orders)
    ends = {}
    free = [0.0] * ranks
    at = [0] * ranks
    left = sum(len(order) for order in orders)
    while left:
        for rank, order in enumerate(orders):
            while at[rank] < len(order):
                kind, m = order[at[rank]]
                if kind == "F":
                    before = None if rank == 0 else ("F", rank - 1, m)
                elif rank == ranks - 1:
                    before = ("F", rank, m)
                else:
                    before = ("B", rank + 1, m)
                if before is not None and before not in ends:
                    break
                sent = 0.0 if before is None or before[1] == rank else TRANSFER_S
                ready = 0.0 if before is None else ends[before] + sent
                free[rank] = max(free[rank], ready) + (forward_s if kind == "F" else backward_s)
                ends[(kind, rank, m)] = free[rank]
                at[rank] += 1
                left -= 1
    return max(free)


def main():
    ranks, microbatches, points = map(int, sys.argv[1:])
    orders = one_f_one_b(ranks, microbatches)
    start = time.perf_counter()
    for point in range(points):
        last = makespan(orders, (1 + point / points) * 1e-3, 2e-3)
    seconds = time.perf_counter() - start
    print(f"{points / seconds:.6g} {last:.17g}")


main()
