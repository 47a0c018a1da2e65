"""Git over SSH by libgit2, which speaks it by libssh2 and not by OpenSSH's client."""

import json
import os
import subprocess
import sys
import urllib.request

import pygit2

env = os.environ
work = os.path.join(env["HOB_WORK"], "libgit2")
base_url = "https://%s/api/v3" % env["HOB_HOST"]


def step(what, got, expected=True):
    if got != expected:
        print("FAILED %s\nexpected %r, got %r" % (what, expected, got))
        sys.exit(1)
    print("ok %s" % what)


def api(path, token, body=None):
    headers = {"Authorization": "token " + token, "User-Agent": "libgit2"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base_url + path, data=data, headers=headers)
    with urllib.request.urlopen(request) as response:
        return json.load(response)


class Callbacks(pygit2.RemoteCallbacks):
    """Answers with one key, once, and takes the host that is asked for."""

    def __init__(self, key):
        super().__init__()
        self.key = key
        self.attempts = 0
        self.refusals = []

    def credentials(self, url, username, allowed):
        self.attempts += 1
        if self.attempts > 1:
            raise PermissionError("the key was refused")
        return pygit2.Keypair("git", self.key + ".pub", self.key, "")

    def certificate_check(self, certificate, valid, host):
        name = host.decode() if isinstance(host, bytes) else host
        return name == env["HOB_HOST"].split(":")[0]

    def push_update_reference(self, name, message):
        if message:
            self.refusals.append(message)


def make_key(kind, name=None):
    path = os.path.join(work, name or kind)
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-m", "PEM", "-N", "", "-f", path], check=True)
    with open(path + ".pub") as file:
        return path, file.read().strip()


def refused(action):
    try:
        action()
    except (pygit2.GitError, PermissionError):
        return True
    return False


def commit(repository, name):
    with open(os.path.join(repository.workdir, name), "w") as file:
        file.write(name + "\n")
    repository.index.add(name)
    repository.index.write()
    tree = repository.index.write_tree()
    person = pygit2.Signature(env["OWNER"], env["OWNER"] + "@example.test")
    parents = [] if repository.head_is_unborn else [repository.head.target]
    return repository.create_commit("refs/heads/main", person, person, "Add " + name, tree, parents)


def life():
    os.makedirs(work)
    created = api("/user/repos", env["OWNER_TOKEN"], {"name": "by-libgit2", "private": True, "auto_init": True})
    address = created["ssh_url"]
    unknown, _ = make_key("ed25519", "unknown")
    clone = lambda name, key: pygit2.clone_repository(address, os.path.join(work, name), callbacks=Callbacks(key))
    step("an unknown key is refused", refused(lambda: clone("none", unknown)))
    for kind in ["ed25519", "ecdsa"]:
        key, public = make_key(kind)
        api("/user/keys", env["OWNER_TOKEN"], {"title": kind, "key": public})
        mine = clone("clone-" + kind, key)
        step("clones with a key of %s" % kind, os.path.exists(os.path.join(mine.workdir, "README.md")))
        made = commit(mine, kind + ".txt")
        callbacks = Callbacks(key)
        mine.remotes["origin"].push(["refs/heads/main"], callbacks=callbacks)
        step("pushes with it", callbacks.refusals, [])
        branch = api("/repos/%s/branches/main" % created["full_name"], env["OWNER_TOKEN"])
        step("the branch has the commit", branch["commit"]["sha"], str(made))
    other = pygit2.Repository(os.path.join(work, "clone-ed25519"))
    other.remotes["origin"].fetch(callbacks=Callbacks(os.path.join(work, "ed25519")))
    step("fetches what the other clone has pushed", str(other.references["refs/remotes/origin/main"].target), str(made))
    guest, public = make_key("ed25519", "guest")
    api("/user/keys", env["GUEST_TOKEN"], {"title": "libgit2", "key": public})
    step("the key of a user without access reads nothing", refused(lambda: clone("guest-clone", guest)))


try:
    life()
except Exception as error:
    print("FAILED libgit2 ended with %s: %s" % (type(error).__name__, error))
    sys.exit(1)
