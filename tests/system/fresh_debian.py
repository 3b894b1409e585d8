#!/usr/bin/env python3
"""The two commands of README on a fresh Debian 12: `./dev run` until the node is ready, then `./dev test`. Needs root.

  fresh_debian.py [--folder DIR] [--keep] [--commit REV] [--skip run|test] [-- ARGUMENTS OF ./dev test]

Makes a Debian 12 root with debootstrap in a temporary folder, with a user who can install packages (sudo) and nothing else;
clones this project's HEAD (or --commit) into it as that user; prints how long each step took. Not part of ./dev test: it takes
as long as a first build. The Debian mirror and pip's and Maven's settings are this machine's.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
USER = "contributor"
READY = "Transitioning from RECOVERY to RUNNING"
# What a machine behind a proxy or a mirror of its own needs inside too.
SETTINGS = ("/etc/apt/sources.list", "/etc/apt/sources.list.d", "/etc/apt/apt.conf.d", "/etc/apt/auth.conf.d", "/etc/apt/keyrings",
            "/usr/share/keyrings", "/etc/ssl/certs", "/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/etc/pip.conf",
            "/etc/hosts", "/etc/resolv.conf")
PASSED_ON = ("proxy", "PIP_", "MAVEN_", "JAVA_TOOL_OPTIONS", "SSL_CERT", "REQUESTS_CA")
MOUNTS = ("proc", "sys", "dev", "dev/pts", "dev/shm")


class Root:
    """A Debian root in a folder, with the kernel's file systems mounted while it is open."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {k: v for k, v in os.environ.items()
                            if any(p.lower() in k.lower() for p in PASSED_ON) and k != "PIP_FIND_LINKS"}

    def __enter__(self):
        for name in MOUNTS:
            (self.folder / name).mkdir(parents=True, exist_ok=True)
            subprocess.run(["mount", "--bind", f"/{name}", self.folder / name], check=True)
        return self

    def __exit__(self, *_):
        for name in reversed(MOUNTS):
            subprocess.run(["umount", "-l", self.folder / name], check=False)

    def command(self, line, user=None):
        environment = {**self.environment, "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
                       "HOME": f"/home/{user}" if user else "/root", "USER": user or "root"}
        who = ["--userspec", f"{user}:{user}", "--groups", f"{user},sudo"] if user else []
        return ["chroot", *who, str(self.folder), "/usr/bin/env", "-i", *(f"{k}={v}" for k, v in environment.items()),
                "/bin/sh", "-c", line]

    def run(self, line, user=None):
        if subprocess.run(self.command(line, user)).returncode != 0:
            raise SystemExit(f"failed: {line}")


def timed(what, action):
    print(f"== {what}", flush=True)
    started = time.monotonic()
    value = action()
    took = time.monotonic() - started
    print(f"== {what}: {took // 60:.0f} min {took % 60:.0f} s", flush=True)
    return value


def mirror():
    """The mirror that this machine installs Debian's packages from."""
    listed = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Codename: bookworm"],
                            capture_output=True, text=True)
    return (listed.stdout.split() or [""])[0]


def make_root(folder):
    subprocess.run(["debootstrap", "--variant=minbase", "--include=ca-certificates,sudo,git", "bookworm", str(folder), *filter(None, [mirror()])],
                   check=True, stdout=subprocess.DEVNULL)
    (folder / "etc/apt/sources.list").unlink(missing_ok=True)  # debootstrap's own: this machine's take its place
    for setting in map(pathlib.Path, SETTINGS):
        target = folder / setting.relative_to("/")
        if setting.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["cp", "-aT", "--remove-destination", setting, target], check=True)


def make_user(root):
    root.run(f"useradd -m -s /bin/sh {USER} && echo '{USER} ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/{USER} && "
             "echo 'Defaults env_keep += \"http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY\"' > /etc/sudoers.d/proxies")
    maven = pathlib.Path.home() / ".m2" / "settings.xml"
    if maven.exists():
        target = root.folder / "home" / USER / ".m2"
        target.mkdir()
        shutil.copyfile(maven, target / "settings.xml")
        root.run(f"chown -R {USER}:{USER} /home/{USER}/.m2")


def clone(root, commit):
    """By way of a bundle: the root sees nothing of this machine's folders."""
    bundle = root.folder / "tmp" / "project.bundle"
    revision = subprocess.run(["git", "-C", str(ROOT), "rev-parse", commit or "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["git", "-C", str(ROOT), "branch", "-f", "fresh-debian", revision], check=True)
    subprocess.run(["git", "-C", str(ROOT), "bundle", "create", "-q", str(bundle), "fresh-debian"], check=True)
    subprocess.run(["git", "-C", str(ROOT), "branch", "-D", "-q", "fresh-debian"], check=True)
    root.run("cd && git clone -q -b fresh-debian /tmp/project.bundle moldau", USER)


def run_until_ready(root):
    """`./dev run` until the node says that it is ready; then Ctrl-C, as a person would."""
    process = subprocess.Popen(root.command("cd ~/moldau && exec ./dev run", USER), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace")
    ready = False
    for line in process.stdout:
        print(line, end="", flush=True)
        if READY in line:
            ready = True
            break
    drain = threading.Thread(target=lambda: [print(line, end="", flush=True) for line in process.stdout])
    drain.start()
    process.terminate()  # the chroot, the shell and ./dev replaced themselves by the node: it is this very process
    code = process.wait(60)
    drain.join()
    if not ready or code != 0:
        raise SystemExit(f"./dev run ended with {code}{'' if ready else ' and was never ready'}")


def main():
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    own, rest = sys.argv[1:end], sys.argv[end + 1:]
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--folder", type=pathlib.Path, help="for the root (a temporary one)")
    p.add_argument("--keep", action="store_true", help="leave the root behind")
    p.add_argument("--commit", help="what to clone (HEAD)")
    p.add_argument("--skip", action="append", default=[], choices=["run", "test"])
    options = p.parse_args(own)
    if os.geteuid() != 0:
        raise SystemExit("debootstrap and chroot need root: run this with sudo")
    if not shutil.which("debootstrap"):
        raise SystemExit("debootstrap is missing: apt-get install debootstrap")
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="moldau-debian-"))
    folder.mkdir(exist_ok=True)
    os.chmod(folder, 0o755)
    try:
        timed("debootstrap of Debian 12", lambda: make_root(folder))
        with Root(folder) as root:
            make_user(root)
            timed("clone", lambda: clone(root, options.commit))
            if "run" not in options.skip:
                timed("./dev run until ready", lambda: run_until_ready(root))
            if "test" not in options.skip:
                timed("./dev test", lambda: root.run(f"cd ~/moldau && ./dev test {' '.join(rest)}", USER))
    finally:
        mounted = [line.split()[1] for line in open("/proc/mounts") if line.split()[1].startswith(f"{folder}/")]
        if mounted:
            print(f"still mounted, so {folder} stays: {mounted}")
        elif not options.keep:
            shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
