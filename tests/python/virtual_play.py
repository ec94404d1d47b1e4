"""Plays a program without processes and without noise of a machine, as spillway.runtime records it: times in
nanoseconds. Sends are rendezvous, a pass takes its seconds and up to a twentieth more, a loss takes `loss` seconds, and
between two actions a process needs up to `gap` seconds."""

from collections import Counter, defaultdict

from spillway.runtime.program import parts


class VirtualPlay:
    def __init__(self, program, draw, loss=0.0, gap=0.0):
        self.program, self.draw, self.loss, self.gap = program, draw, loss, gap
        self.sent, self.posted, self.met, self.joined = {}, {}, defaultdict(list), Counter()
        self.records = []
        ranks = [
            {"place": (each["replica"], each["rank"]), "parts": parts(each["actions"]), "next": 0, "time": 0.0, "open": {}}
            for each in program["programs"]
        ]
        while any([self.runs(rank) for rank in ranks]):
            pass
        assert all(rank["next"] == len(rank["parts"]) for rank in ranks)

    def runs(self, rank):
        """The rank as far as it gets; was that far?"""
        begun = rank["next"]
        while rank["next"] < len(rank["parts"]):
            does, action = rank["parts"][rank["next"]]
            start, end = rank["time"], self.end(rank, does, action)
            if end is None:
                break
            end = max(start, end)
            nanoseconds = round(start * 1e9), round(end * 1e9)
            self.records.append([0, action["id"], does, *nanoseconds, nanoseconds[1] - nanoseconds[0]])
            rank["time"], rank["next"] = end + self.gap * self.draw.random(), rank["next"] + 1
        return rank["next"] > begun

    def end(self, rank, does, action):
        """Nothing if it waits."""
        start, (replica, own) = rank["time"], rank["place"]
        if action["op"] == "compute":  # a fused pass is its first half here, and a recomputation is in its backward
            return start + action.get("seconds", 0) * (1 + self.draw.random() / 20)
        if does == "loss":
            return start + self.loss
        if does in ("send", "post_receive"):
            pair = (own, action["peer"]) if does == "send" else (action["peer"], own)
            rank["open"][action["id"]] = (does, (replica, *pair, action["tag"]), action["seconds"])
            (self.sent if does == "send" else self.posted)[replica, (*pair, action["tag"])] = start
        elif does in ("reduce", "broadcast"):
            kind = (action["group"], does, action["stage_index"])
            rank["open"][action["id"]] = (does, self.join((kind, rank["place"]), kind, start), action["seconds"])
        elif does == "wait":
            return self.waited(rank, *rank["open"][action["for"]])
        elif does == "barrier":
            if "barrier" not in rank:
                rank["barrier"] = self.join(("barrier", rank["place"]), "barrier", start)
            arrived = self.met[rank["barrier"]]
            return max(arrived) if len(arrived) == len(self.program["programs"]) else None
        return start

    def join(self, of_rank, kind, start):
        """The operation of a group: all members' first one, second one, ..."""
        self.joined[of_rank] += 1
        self.met[kind, self.joined[of_rank]].append(start)
        return kind, self.joined[of_rank]

    def waited(self, rank, does, what, seconds):
        if does in ("reduce", "broadcast"):
            members = self.program["groups"][what[0][0]]["members"]
            return max(self.met[what]) + seconds if len(self.met[what]) == len(members) else None
        replica, *message = what
        sent, posted = (ends.get((replica, tuple(message))) for ends in (self.sent, self.posted))
        if sent is None or (posted is None and does == "send"):
            return None
        return max(sent + seconds, posted if does == "send" else 0)
