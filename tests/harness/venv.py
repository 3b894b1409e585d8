"""Python packages for the tests, made once a list of them: requirements.txt in build/tests-venv, others in folders of their own."""
import hashlib
import importlib
import os
import shutil
import subprocess
import sys

from . import ROOT

FOLDER = ROOT / "build" / "tests-venv"
REQUIREMENTS = ROOT / "tests" / "requirements.txt"


def require(module):
    """Imports a package that requirements.txt names; the first call installs what is missing."""
    site = site_packages()
    if str(site) not in sys.path:
        sys.path.insert(0, str(site))
    return importlib.import_module(module)


def site_packages():
    """The folder with the packages of requirements.txt."""
    _make(FOLDER, REQUIREMENTS, [
        [sys.executable, "-m", "venv", FOLDER],
        [FOLDER / "bin" / "pip", "install", "--quiet", "-r", REQUIREMENTS]])
    return FOLDER / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


def packages(requirements, folder):
    """Installs what the file `requirements` names, each with its checksum, into `folder` and nothing beside it. The folder."""
    site_packages()  # with them comes a pip, which Debian's Python lacks
    _make(folder, requirements, [
        [FOLDER / "bin" / "pip", "install", "--quiet", "--no-deps", "--require-hashes", "-r", requirements, "--target", folder]])
    return folder


def _make(folder, requirements, commands):
    mark = folder / "installed"
    wanted = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()
    if mark.exists() and mark.read_text() == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    for command in commands:
        _run([str(word) for word in command])
    mark.write_text(wanted)


def _run(command):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {(done.stdout + done.stderr)[-800:]}")
