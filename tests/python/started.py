"""Starts modules of the package for tests, each as a fork of this process, which has loaded PyTorch once: a new process
takes longer to load it than to do what a test asks for. What only a new process shows is for tests that start one."""

import contextlib
import importlib
import os
import socket
import subprocess
import sys
import tempfile
import traceback

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a process with threads cannot be forked; read when PyTorch is loaded


class Fork:
    """A process that calls a function, which returns its status as main() of a module does."""

    def __init__(self, does, environment=None):
        self.files = [tempfile.TemporaryFile("w+") for _ in range(2)]
        for each in (sys.stdout, sys.stderr):
            each.flush()
        self.process = os.fork()
        if self.process == 0:
            self.run(does, environment or {})

    def run(self, does, environment):
        """Ends the process, without what the tests would do at their end."""
        for descriptor, file in enumerate(self.files, 1):
            os.dup2(file.fileno(), descriptor)
        os.environ.update(environment)
        status = 1
        try:
            status = does() or 0
        except SystemExit as ended:
            status = ended.code or 0
            if isinstance(status, str):
                print(status, file=sys.stderr)
                status = 1
        except BaseException:
            traceback.print_exc()
        finally:
            for each in (sys.stdout, sys.stderr):
                with contextlib.suppress(Exception):
                    each.flush()
            os._exit(status)

    def ended(self):
        """Waits for it. A subprocess.CompletedProcess."""
        status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        said = []
        for file in self.files:
            with file:
                file.seek(0)
                said.append(file.read())
        return subprocess.CompletedProcess((), status, *said)


def start(module, arguments, **environment):
    """As `python3 -m` of the package, whose main() is in the module."""
    main = importlib.import_module(module)
    importlib.import_module("spillway.runtime.job")  # PyTorch, too, before the fork

    def does():
        sys.argv = [module, *map(str, arguments)]
        return main.main()

    return Fork(does, environment)


class NewProcess:
    """PyTorch 2 refuses autograd in a fork of a process in which autograd ran."""

    def __init__(self, module, arguments, **environment):
        command = [sys.executable, "-m", module, *map(str, arguments)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, text=True, env={**os.environ, **environment}, **pipes)

    def ended(self):
        """Waits for it. A subprocess.CompletedProcess."""
        said = self.process.communicate()
        return subprocess.CompletedProcess(self.process.args, self.process.returncode, *said)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def job(module, arguments, processes, starts=start, **environment):
    """All processes of a job, as torchrun starts them: what became of each."""
    meet = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(processes)}
    of_ranks = [{"RANK": str(rank), "LOCAL_RANK": str(rank), **meet, **environment} for rank in range(processes)]
    return [each.ended() for each in [starts(module, arguments, **environment) for environment in of_ranks]]
