"""Python packages for the tests, in build/tests-venv: made once a requirements.txt."""
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
    mark = FOLDER / "installed"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()
    if not mark.exists() or mark.read_text() != wanted:
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.parent.mkdir(exist_ok=True)
        _run([sys.executable, "-m", "venv", str(FOLDER)])
        _run([str(FOLDER / "bin" / "pip"), "install", "--quiet", "-r", str(REQUIREMENTS)])
        mark.write_text(wanted)
    site = FOLDER / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    if str(site) not in sys.path:
        sys.path.insert(0, str(site))
    return importlib.import_module(module)


def _run(command):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {(done.stdout + done.stderr)[-800:]}")
