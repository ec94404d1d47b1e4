"""Notices what goes wrong in a job: a rank that hangs, a process that is lost, bad input that one rank finds.

Who finds it says so in the store of the job, which processes meet by. A thread of each process looks there four times a
second, so all end with the same words and status. It also takes SIGTERM, which torchrun sends to the processes that are
left: a main thread that waits for a message could not. Signals must be blocked in all threads (block_signals)."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from typing import Any, Optional

from .program import named

TICK = 0.25  # seconds
START = 60  # seconds that processes may take until the first action: they build layers, and load parts of PyTorch
SIGNALS = {signal.SIGTERM, signal.SIGINT}


def block_signals() -> None:
    """To be called before there are threads, which inherit it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)


class Watch(threading.Thread):
    """store: a connection of its own, so that it never waits for the main thread's."""

    def __init__(self, who: str, actions: list[dict], store: Any, seconds: float) -> None:
        super().__init__(daemon=True)
        self.who, self.store, self.seconds = who, store, seconds
        self.by_id = {action["id"]: action for action in actions}
        self.action: Optional[dict] = None  # none before the first
        self.since = time.monotonic()
        self.over = threading.Event()
        self.failing = threading.Lock()  # taken once: this thread and the main one may fail together

    def begins(self, action: dict) -> None:
        self.action, self.since = action, time.monotonic()

    def doing(self) -> str:
        if self.action is None:
            return "the start of the job"
        text = f"action {self.action['id']}, {named(self.action)}"
        waits_for = self.by_id.get(self.action.get("for"))
        return f"{text} for action {waits_for['id']}, {named(waits_for)}" if waits_for else text

    def run(self) -> None:
        while not self.over.is_set():
            told = signal.sigtimedwait(SIGNALS, TICK)
            if self.over.is_set():
                return
            try:
                failed = self.store.add("failures", 0) > 0
            except RuntimeError:
                self.fail(1, f"{self.who}: the process that keeps the job's store is lost, during {self.doing()}")
                return
            if failed:
                self.fail(1, "")  # another's words are used
            if told is not None:
                self.fail(1, f"{self.who}: told to end by {signal.Signals(told.si_signo).name}, during {self.doing()}")
            allowed = self.seconds if self.action else max(self.seconds, START)
            if time.monotonic() - self.since > allowed:
                self.fail(1, f"{self.who}: more than {allowed:g} s in {self.doing()}")

    def fail(self, status: int, words: str) -> None:
        """Ends this process, and tells the others to. The first failure of a job counts."""
        self.failing.acquire()
        try:
            if self.store.add("failures", 1) == 1:
                self.store.set("failure", json.dumps([status, words]))
                self.end(status, words)
            status, first = json.loads(self.store.get("failure"))
        except RuntimeError:
            self.end(status, words)
        self.end(status, f"{self.who}: ends during {self.doing()}, because {first}")

    def end(self, status: int, words: str) -> None:
        """Stays a while, so that the others read of it from the store and not from a broken connection."""
        sys.stdout.flush()
        sys.stderr.write(words + "\n")
        sys.stderr.flush()
        time.sleep(4 * TICK)
        os._exit(status)

    def finish(self) -> None:
        """The job is done; nothing is watched any more."""
        self.over.set()
        self.join()
