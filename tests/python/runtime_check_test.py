"""The check of a program before it is trained, held against `spillway derive --check` on programs edited at random."""

import copy
import importlib.util
import json
import os
import random
import subprocess
import tempfile
import unittest

import spillway
from derived_programs import SKELETONS, derived
from executed import example_file
from pipeline_programs import one_f_one_b
from program import NIGHTLY, PROGRAM, SOURCE, document, needs
from spillway.runtime.checks import faults
from started import job
from tiny_model import tiny

EDITS = 1000 if NIGHTLY else 60
TRAINED = 40 if NIGHTLY else 3  # of the edited programs that are accepted
CONFIG = tiny(depth=2, layers=4)
SCHEDULES = [
    {"schedule": "1f1b"}, {"schedule": "zb-v"}, {"schedule": "dualpipev"}, {"schedule": "transpose,1f1b"},
    {"system": "mpipe"}, {"system": "mpipe-released"}, {"system": "encode-in-bubbles"},
]  # fmt: skip
VALUES = [-1, 0, 1, 2, 3, 99, 2**33, 0.5, 1e300, "x", "backward", "forward", None, True, [], {}, [1, 8]]


def places(value, path=()):
    """Each member of each object and list."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in members:
        yield (*path, key)
        yield from places(each, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def of_same_key(program, path, draw):
    """What another place has under the same key: another stage, another id, another list of actions."""
    others = [other for other in places(program) if other[-1] == path[-1] and len(other) == len(path)]
    return copy.deepcopy(at(program, draw.choice(others)))


def edited(program, draw):
    """One edit somewhere; of lists, also an element that is lost, doubled or moved."""
    program = copy.deepcopy(program)
    everywhere = list(places(program))
    actions = [path for path in everywhere if len(path) == 4 and path[0] == "programs"]
    path = draw.choice([draw.choice(actions), draw.choice(everywhere), draw.choice([p for p in everywhere if len(p) < 4])])
    holder, key = at(program, path[:-1]), path[-1]
    how = draw.choice(["lost", "doubled", "moved", "other", "other", "odd", "next", "inside", "inside"])
    if how == "inside" and isinstance(holder[key], dict) and holder[key]:
        holder, path = holder[key], (*path, draw.choice(list(holder[key])))
        key, how = path[-1], draw.choice(["other", "odd", "next"])
    if how == "lost":
        del holder[key]
    elif how == "doubled" and isinstance(holder, list):
        holder.insert(draw.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
    elif how == "moved" and isinstance(holder, list):
        each = holder.pop(key)
        holder.insert(draw.randrange(len(holder) + 1), each)
    elif how == "next" and isinstance(holder[key], int):
        holder[key] += draw.choice([-1, 1])
    elif how == "odd":
        holder[key] = draw.choice(VALUES)
    else:
        holder[key] = of_same_key(program, path, draw)
    return program


class Checked(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = os.path.join(self.folder.name, "edited.json")

    def derive_check(self, program):
        with open(self.file, "w", encoding="utf-8") as text:
            json.dump(program, text)
        if not NIGHTLY and importlib.util.find_spec("spillway._native"):
            return self.module_check()
        return subprocess.run([PROGRAM, "derive", self.file, "--check"], capture_output=True, text=True).returncode

    def module_check(self):
        """The same by the compiled module: a process of the program takes ten times as long to start as to check."""
        try:
            return 0 if spillway.check(self.file)["safe"] else 4
        except spillway.InputError:
            return 2

    def bases(self):
        of_derived = [derived(self.folder.name, each, CONFIG, microbatches=4) for each in SCHEDULES]
        two = [derived(self.folder.name, each, CONFIG, microbatches=4, replicas=2) for each in SCHEDULES[:1]]
        of_hand = [one_f_one_b(1, 2, layers_of_rank=[6]), one_f_one_b(2, 2, layers_of_rank=[3, 3], split=True)]
        return [each["program"] for each in of_derived + two] + of_hand

    def test_accepts_what_derives(self):
        for program in self.bases():
            self.assertEqual(faults(program), [])
            self.assertEqual(self.derive_check(program), 0)
        for skeleton in SKELETONS:
            for trained in ((True, True), (False, True), (True, False)):
                of_eight = {"config": tiny(layers=8), "microbatches": 4, "trained": trained}
                self.assertEqual(faults(derived(self.folder.name, {"schedule": skeleton}, **of_eight)["program"]), [])

    @needs("torch")
    def test_refuses_what_derive_refuses_and_trains_the_rest(self):
        draw, bases, accepted = random.Random(29), self.bases(), []
        for number in range(EDITS):
            program = edited(draw.choice(bases), draw)
            status, found = self.derive_check(program), faults(program)
            with self.subTest(edit=number, found=found[:1]):
                self.assertIn(status, (0, 2, 4))
                if status != 0:
                    self.assertTrue(found, f"derive --check ends with {status}")
                for pointer, expected, what in found:
                    self.assertTrue(pointer.startswith("/") and expected and what, (pointer, expected, what))
            if not found and program not in bases:
                accepted.append((number, program))
        self.assertGreater(len(accepted), EDITS // 50)  # such as times and names
        for number, program in draw.sample(accepted, min(TRAINED, len(accepted))):
            with self.subTest(edit=number):
                self.train(program)

    def train(self, program):
        with open(self.file, "w", encoding="utf-8") as text:
            json.dump(program, text)
        arguments = [self.file, "--seconds", 20, "--model", example_file(self.folder.name, CONFIG)]  # a hang ends after 20 s
        ended = job("spillway.runtime.__main__", arguments, len(program["programs"]))
        for done in ended:
            self.assertEqual(done.returncode, ended[0].returncode)
            self.assertIn(done.returncode, (0, 2), done.stderr)
            self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(ended[0].returncode == 0, "step 0: loss" in ended[0].stdout)


class Refused(unittest.TestCase):
    """Programs that do not block, and that would train wrongly."""

    def program(self, **of_program):
        return one_f_one_b(2, 2, layers_of_rank=[2, 4], **of_program)

    def refused(self, change, expected, pointer="/programs", **of_program):
        program = self.program(**of_program)
        self.assertEqual(faults(program), [])
        change(program, [each["actions"] for each in program["programs"]])
        found = faults(program)
        self.assertTrue(any(expected in each[1] and each[0].startswith(pointer) for each in found), found)
        return found

    @staticmethod
    def first(actions, op, kind=None):
        return next(each for each in actions if each["op"] == op and kind in (None, each.get("pass")))

    def test_ids_and_numbers_that_name_nothing(self):
        self.refused(lambda p, ranks: ranks[1][0].update(id=0), "an id that no other action has", "/programs/1/actions/0/id")
        for key in ("stage_index", "microbatch"):
            at = f"/programs/0/actions/0/{key}"
            self.refused(lambda p, ranks, key=key: ranks[0][0].update({key: 2}), "a number from 0 to 1", at)
        self.refused(lambda p, ranks: self.first(ranks[0], "send").update(peer=2), "a number from 0 to 1")
        self.refused(lambda p, ranks: self.first(ranks[0], "wait").update({"for": 10**6}), "before it in the same rank")

    def test_lists_of_another_length(self):
        self.refused(lambda p, _: p["samples"].append([]), "1 lists, one for each replica", "/samples")
        self.refused(lambda p, _: p["samples"][0].pop(), "2 samples, one for each microbatch", "/samples/0")
        self.refused(lambda p, _: p.update(ranks=1), "a program for each of 1 ranks of 1 replicas", "/programs")

    def test_a_blocked_rank(self):
        found = self.refused(lambda p, ranks: ranks[0].insert(0, ranks[0].pop()), "one barrier, as the last action")
        self.assertIn("barriers at [0]", found[0][2])
        program = one_f_one_b(2, 1)
        actions = program["programs"][0]["actions"]
        posted = self.first(actions, "post_receive")
        waits = [posted, next(each for each in actions if each.get("for") == posted["id"])]
        program["programs"][0]["actions"] = waits + [each for each in actions if each not in waits]
        found = faults(program)
        self.assertEqual(found[0][0], "/programs/0/actions/1")
        self.assertIn("waits for ever, for the post_receive of the gradient of stage 0", found[0][2])

    def test_what_is_left_out(self):
        def without(op, kind=None, rank=0):
            return lambda p, ranks: ranks[rank].remove(self.first(ranks[rank], op, kind))

        self.refused(without("loss", rank=1), "as many as each replica has losses", "/microbatches")
        self.refused(without("update"), "one update of stage 0")
        self.refused(without("compute", "weight_gradient"), "one backward (or weight_gradient) of microbatch", split=True)
        self.refused(without("compute", "forward"), "the output of stage 0, microbatch 0, made or received before")
        self.refused(without("compute", "forward", 1), "the input of stage 1, microbatch 0, kept by a forward", recompute=True)
        self.refused(without("wait"), "a wait for it before the barrier")

    def test_gradients_of_copies_that_are_not_added_up(self):
        def without_reduces(program, ranks):
            for actions in ranks:
                reduced = [each["id"] for each in actions if each["op"] == "reduce"]
                actions[:] = [each for each in actions if each["id"] not in reduced and each.get("for") not in reduced]

        def late(program, ranks):
            backward = [each for each in ranks[0] if each.get("pass") == "backward" and each["op"] == "compute"][-1]
            ranks[0].remove(backward)
            ranks[0].insert(-2, backward)

        self.refused(without_reduces, "a reduce of stage 0 over its copies before", replicas=2)
        self.refused(lambda p, _: p["groups"][0]["members"].pop(), "has this rank of this replica", replicas=2)
        self.refused(late, "before it is", replicas=2)

    def test_each_rule_of_lists_and_layers(self):
        member = {"replica": 0, "rank": 0}

        def stage(program, **keys):
            program["stages"].append({**program["stages"][0], "stage_index": 2, **keys})

        for change, expected in (
            (lambda p: p["stages"][0].update(rank=2), "a number from 0 to 1"),
            (lambda p: p["stages"][0].update(stage_index=1), "0"),
            (lambda p: p["stages"][1].update(end_layer=7), "a number from 3 to 6"),
            (lambda p: p["blocks"].clear(), "a block with layers"),
            (lambda p: p["blocks"][1].update(first_layer=3), "2, where the block before ends"),
            (lambda p: p["groups"][0]["members"][0].update(replica=1), "a number from 0 to 0"),
            (lambda p: p["groups"][0]["members"][0].update(rank=2), "a number from 0 to 1"),
            (lambda p: p["groups"][0]["members"].append(member), "a member that the group has once"),
            (lambda p: stage(p, first_layer=1, end_layer=3), "trained stages of the same layers, or of none in common"),
            (lambda p: stage(p), "layers 0 to 1 once on rank 0"),
            (lambda p: p["stages"][0].update(trained=False), "a trained stage with layer 0"),
            (lambda p: p["stages"][0].update(trained=False), "no update of stage 0, which is not trained"),
        ):
            self.refused(lambda p, _, change=change: change(p), expected, "/")

    def test_each_rule_of_names(self):
        first = self.first

        def loss_of_rank_0(_, ranks):
            ranks[0].insert(0, {"id": 999, "op": "loss", "stage_index": 0, "microbatch": 0})

        def alone(_, ranks):
            send = first(ranks[0], "send")
            ranks[0][:] = [each for each in ranks[0] if each is not send and each.get("for") != send["id"]]

        for change, expected in (
            (loss_of_rank_0, "a stage that ends with the last layer, 5"),
            (alone, "a tag that a send of rank 0 has, too"),
            (lambda _, ranks: first(ranks[0], "send").update(peer=0), "another rank"),
            (lambda _, ranks: first(ranks[0], "update").update(stage_index=1), "a stage of rank 0"),
            (lambda _, ranks: first(ranks[0], "compute").update(group=0), "passes of one rank alone"),
            (lambda _, ranks: first(ranks[1], "compute").pop("from_stage_index"), "a stage that ends with layer 1"),
        ):
            self.refused(change, expected)

    def test_each_rule_of_values(self):
        first = self.first

        def moved(rank, to, op, kind=None):
            def change(_, ranks):
                action = first(ranks[rank], op, kind)
                ranks[rank].remove(action)
                ranks[rank].insert(to, action)

            return change

        def again(rank, op, kind=None):
            return lambda _, ranks: ranks[rank].insert(-1, {**first(ranks[rank], op, kind), "id": 999})

        lost = lambda p, ranks: ranks[1].remove(first(ranks[1], "loss"))  # noqa: E731
        for change, expected, of_program in (
            (moved(1, 0, "compute", "forward"), "the output of stage 0, microbatch 0, made or received before", {}),
            (moved(1, 0, "loss"), "the output of stage 1, microbatch 0, made or received before", {}),
            (lost, "the gradient of stage 1, microbatch 0, made or received before", {}),
            (moved(0, 0, "update"), "no pass of stage 0 after its update", {}),
            (again(0, "compute", "backward"), "a forward of stage 0, microbatch 0, before, and no other backward", {}),
            (again(0, "compute", "weight_gradient"), "an input_gradient of stage 0, microbatch 0, before", {"split": True}),
            (lambda _, ranks: [each.update(microbatch=1) for each in ranks[1] if each["op"] == "loss"],
             "one loss of microbatch 0 of replica 0", {}),
        ):  # fmt: skip
            self.refused(change, expected, **of_program)

    def test_each_rule_of_groups(self):
        def reduced_again(_, ranks):
            for number, actions in enumerate(ranks):
                reduced = self.first(actions, "reduce")
                more = [{**reduced, "id": 990 + number}, {"id": 980 + number, "op": "wait", "for": 990 + number}]
                actions[-1:-1] = more

        for change, expected in (
            (reduced_again, "one reduce of stage 0, before its update"),
            (lambda _, ranks: self.first(ranks[2], "reduce").update(stage_index=1), "the group's next operation, reduce of"),
            (lambda p, _: p["groups"][0]["members"].append({"replica": 0, "rank": 1}),
             "a group of all that train layers 0 to 1"),
        ):  # fmt: skip
            self.refused(change, expected, replicas=2)

    def test_copies_that_are_not_trained(self):
        with tempfile.TemporaryDirectory() as folder:
            released, dualpipe = (
                derived(folder, each, CONFIG, microbatches=4)["program"]
                for each in ({"system": "mpipe-released"}, {"schedule": "dualpipe"})
            )

        def without(program, *ops):
            for of_rank in program["programs"]:
                gone = [each["id"] for each in of_rank["actions"] if each["op"] in ops]
                of_rank["actions"] = [each for each in of_rank["actions"] if {each["id"], each.get("for")}.isdisjoint(gone)]

        def expect(change, expected, program):
            changed = copy.deepcopy(program)
            change(changed)
            self.assertTrue(any(expected in each[1] for each in faults(changed)), faults(changed))

        def every_broadcast(program, change):
            for of_rank in program["programs"]:
                for action in of_rank["actions"]:
                    if action["op"] == "broadcast":
                        change(action)

        def from_another(program):
            for group in program["groups"]:
                group["members"].reverse()
            every_broadcast(program, lambda each: each.update(root=program["groups"][each["group"]]["members"][0]["rank"]))

        def half_trained(program):
            without(program, "reduce")
            seen = set()
            for stage in program["stages"]:
                stage["trained"] = stage["first_layer"] not in seen
                seen.add(stage["first_layer"])
            for of_rank in program["programs"]:
                kept = lambda each: each["op"] != "update" or program["stages"][each["stage_index"]]["trained"]  # noqa: E731
                of_rank["actions"] = list(filter(kept, of_rank["actions"]))

        expect(lambda p: without(p, "broadcast"), "a broadcast of the parameters of stage", released)
        expect(from_another, "members with a stage of these layers, the first of them a trained one", released)
        other_root = lambda each: each.update(root=1 - each["root"])  # noqa: E731
        expect(lambda p: every_broadcast(p, other_root), "the rank of the group's first member", released)
        expect(half_trained, "a trained stage, since stage", dualpipe)

    def test_every_violation_of_the_form(self):
        def change(program, ranks):
            del ranks[0][0]["seconds"]
            ranks[0][1]["dtype"] = "int4"
            ranks[1][0]["microbach"] = 1
            program["draw"] = -1

        found = self.refused(change, "a value")
        self.assertEqual([each[0] for each in found], ["/draw", "/programs/0/actions/0/seconds", "/programs/0/actions/1/dtype",
                                                       "/programs/1/actions/0/microbach"])  # fmt: skip


class OneSchema(unittest.TestCase):
    def test_the_check_reads_the_schema_that_the_program_prints(self):
        from spillway.runtime.checks import FILES

        printed = document("schema", "program")
        self.assertEqual(json.loads(next(each for each in FILES if each.exists()).read_text()), printed)
        self.assertEqual(json.loads((SOURCE / "src/json/schemas/program.schema.json").read_text()), printed)


if __name__ == "__main__":
    unittest.main()
