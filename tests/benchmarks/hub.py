"""`python -m tests.benchmarks.hub`: autograder/HUB.md followed on a JupyterHub, from nothing to fetched feedback.

Needs root, to add users to the system, and the packages that the guide's `apt install` installs. The machine stays as
it was: all changes are made in a mount namespace with overlays, and vanish with it. The blocks of the guide are run
unchanged, as of the last commit. Then ada hands in the solutions with JupyterLab's Assignment List, and bob hands in an
untouched notebook with commands.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from autograder.classroom import ROOT
from tests.grading.test_exchange import GUIDE

NAME, COURSE = "00-first-kernel", "cuda-kernels"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
OVERLAID = ("/etc", "/home", "/opt", "/srv", "/usr/local", "/var")
TOKEN = "0123456789abcdef"
# How this script controls students' servers, instead of their browsers.
DRIVER = f"""
c.JupyterHub.services = [{{"name": "driver", "api_token": "{TOKEN}"}}]
scopes = ["admin:users", "admin:servers", "access:servers"]
c.JupyterHub.load_roles = [{{"name": "driver", "services": ["driver"], "scopes": scopes}}]
"""
# Writes the solutions' answers into a fetched notebook.
ANSWER = """
import sys, nbformat
solved, fetched = (nbformat.read(path, as_version=4) for path in sys.argv[1:])
answers = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell.source for cell in solved.cells}
for cell in fetched.cells:
    if cell.metadata.get("nbgrader", {}).get("solution"):
        cell.source = answers[cell.metadata.nbgrader.grade_id]
nbformat.write(fetched, sys.argv[2])
"""


def main() -> int:
    """Run the whole guide, and print the seconds of each step. Returns 0 if the feedback is as it should be."""
    if os.getuid():
        print("Run this as root: it adds users.")
        return 2
    if "IN_NAMESPACE" not in os.environ:
        with tempfile.TemporaryDirectory(dir="/var/tmp") as work:
            inside = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
            command = [*inside, sys.executable, "-m", "tests.benchmarks.hub"]
            return subprocess.run(command, env={**os.environ, "IN_NAMESPACE": work}).returncode
    for number, folder in enumerate(OVERLAID):
        upper, own = (Path(os.environ["IN_NAMESPACE"], f"{kind}{number}") for kind in ("upper", "own"))
        upper.mkdir()
        own.mkdir()
        options = f"lowerdir={folder},upperdir={upper},workdir={own}"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, folder], check=True)
    for user in ("prof", "ada", "bob"):
        shell("root", f"useradd --create-home --shell /bin/bash {user} && chmod 700 /home/{user}")
    shell("root", f"git clone --quiet {ROOT} /home/prof/course && chown -R prof: /home/prof/course")

    start = time.monotonic()
    set_up, _, rest = GUIDE.partition("## From the release to the feedback")
    hub = None
    for language, text in re.findall(r"^```(\w*)\n(.*?)^```$", set_up, re.MULTILINE | re.DOTALL):
        if language == "python":
            path = Path(text.partition("\n")[0].removeprefix("# "))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + DRIVER * (path.name == "jupyterhub_config.py"))
        elif text.startswith("# cd /srv/jupyterhub"):
            command = ["bash", "-c", text.removeprefix("# ")]
            with Path(os.environ["IN_NAMESPACE"], "hub.log").open("w") as log:
                hub = subprocess.Popen(command, env=environment("root"), stdout=log, stderr=log)
        elif text.startswith("# "):
            lines = [line.removeprefix("# ") for line in text.splitlines()]
            shell("root", *(line for line in lines if not line.startswith("apt ")))
        else:
            shell("prof", "cd course", *text.splitlines())
    assert hub
    print(f"set up: {time.monotonic() - start:.0f} s", flush=True)

    for user in ("ada", "prof"):
        ask("POST", f"hub/api/users/{user}")
        ask("POST", f"hub/api/users/{user}/server")
        while not ask("GET", f"hub/api/users/{user}")["servers"].get("", {}).get("ready"):
            time.sleep(1)
    (commands,) = re.findall(r"\A.*?^```\n(.*?)^```$", rest, re.MULTILINE | re.DOTALL)
    for line in commands.splitlines():
        command, who = (part.strip() for part in line.split("#"))
        if who == "instructor":
            shell("prof", "cd course", "source .venv/bin/activate", command)
            continue
        shell("bob", f"PATH=/opt/cuda-kernels/bin:$PATH {command}")
        action = command.split()[1].removesuffix("_assignment")
        told = ask("POST", f"user/ada/assignments/{action}", course_id=COURSE, assignment_id=NAME)
        assert told["success"], told
        if action == "fetch":
            solved = f"/home/prof/course/solutions/{NAME}/{NAME}.ipynb"
            fetched = f"/home/ada/{NAME}/{NAME}.ipynb"
            subprocess.run(["/opt/cuda-kernels/bin/python", "-c", ANSWER, solved, fetched], check=True)
    print(f"from nothing to fetched feedback: {(time.monotonic() - start) / 60:.1f} min")
    pages = {user: next(Path(f"/home/{user}/{NAME}/feedback").glob("*/*.html")).read_text() for user in ("ada", "bob")}
    for user, sign in (("ada", "✗ no points"), ("bob", "✓ all points")):
        assert "of 1</td>" in pages[user] and sign not in pages[user], user
    marks = {each["student"]: each["score"] for each in ask("GET", f"user/prof/formgrader/api/submissions/{NAME}")}
    print(f"marks in the formgrader: {marks}")
    return int(marks != {"ada": 8, "bob": 0})


def environment(user: str) -> dict[str, str]:
    """The environment of a user's shell, and pip's own settings."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "NODE_", "npm_"))}
    home = "/root" if user == "root" else f"/home/{user}"
    return {**kept, "PATH": PATH, "HOME": home, "USER": user, "LANG": "C.UTF-8"}


def shell(user: str, *lines: str) -> None:
    """Run lines as a user, at home, and print the seconds. Raises CalledProcessError if a line fails."""
    start = time.monotonic()
    command = ["bash", "-e", "-c", "\n".join(lines)]
    own = environment(user)
    groups = {"user": user, "group": user, "extra_groups": []}
    done = subprocess.run(command, cwd=own["HOME"], env=own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **groups)
    if done.returncode:
        print(done.stdout.decode())
        done.check_returncode()
    print(f"{time.monotonic() - start:6.1f} s  {user}: {'; '.join(lines)}", flush=True)


def ask(method: str, path: str, **form: str) -> dict:
    """What the hub or a user's server answers; asks until there is an answer."""
    data = "&".join(f"{name}={value}" for name, value in form.items()).encode() if form else None
    request = urllib.request.Request(f"http://127.0.0.1:8000/{path}", data, {"Authorization": f"token {TOKEN}"})
    request.method = method
    for _ in range(60):
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.loads(answer.read() or "{}")
        except urllib.error.URLError as error:
            if isinstance(error, urllib.error.HTTPError):
                raise
            time.sleep(1)
    raise TimeoutError(request.full_url)


if __name__ == "__main__":
    sys.exit(main())
