"""Starts the processes of a job on this machine, where torchrun has not."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys


def launch(processes: int, arguments: list[str]) -> int:
    """Runs the module in so many processes. Returns the status of the first that fails, else 0."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    job = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(processes)}
    started = []
    for rank in map(str, range(processes)):
        environment = {"OMP_NUM_THREADS": "1", **os.environ, **job, "RANK": rank, "LOCAL_RANK": rank}
        started.append(subprocess.Popen([sys.executable, "-m", __package__, *arguments], env=environment))
    for each in (signal.SIGTERM, signal.SIGINT):  # a terminal sends the latter to all by itself
        signal.signal(each, lambda number, _: [process.send_signal(number) for process in started])
    statuses = [process.wait() for process in started]
    return next((1 if status < 0 else status for status in statuses if status), 0)
