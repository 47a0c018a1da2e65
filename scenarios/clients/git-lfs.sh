#!/usr/bin/env bash
# Objects and locks of Git LFS, and an object of a fork.
set -uo pipefail
. "$(dirname "$0")/steps.sh"

api() { curl -fsS --cacert "$GIT_SSL_CAINFO" -H "Authorization: token $1" "${@:3}" "https://$HOB_HOST/api/v3/$2"; }

name=$OWNER/by-lfs
mine=$HOB_WORK/lfs-mine
theirs=$HOB_WORK/lfs-theirs

# large FOLDER FILE BYTES: commits a file of random bytes.
large() { head -c "$3" /dev/urandom >"$1/$2" && git -C "$1" add -A && git -C "$1" commit -qm "Add $2"; }

step 'creates a repository' api "$OWNER_TOKEN" user/repos -d '{"name":"by-lfs","auto_init":true}'
step 'the owner clones it' clone "$OWNER" "$OWNER_TOKEN" "$name" "$mine"
step 'installs Git LFS' git -C "$mine" lfs install --local
step 'tracks files' git -C "$mine" lfs track '*.bin'
step 'commits a large file' large "$mine" a.bin 3000000
step 'commits a small one' large "$mine" b.bin 1
step 'pushes them' git -C "$mine" push -q origin main
step 'git has a pointer' grep -q git-lfs <(git -C "$mine" cat-file blob HEAD:a.bin)

step 'the guest forks it' api "$GUEST_TOKEN" "repos/$name/forks" -X POST
step 'the guest clones the fork' clone "$GUEST" "$GUEST_TOKEN" "$GUEST/by-lfs" "$theirs"
step 'the guest installs Git LFS' git -C "$theirs" lfs install --local
step 'the guest gets the objects' git -C "$theirs" lfs pull
step 'they have the same bytes' cmp "$mine/a.bin" "$theirs/a.bin"
step 'they are whole' git -C "$theirs" lfs fsck

git -C "$theirs" switch -qc topic
step 'the guest commits another one' large "$theirs" c.bin 70000
step 'the guest pushes it to the fork' git -C "$theirs" push -q origin topic
step 'the guest opens a pull request' api "$GUEST_TOKEN" "repos/$name/pulls" -d "{\"title\":\"C\",\"head\":\"$GUEST:topic\",\"base\":\"main\"}"
step 'the owner merges it' api "$OWNER_TOKEN" "repos/$name/pulls/1/merge" -X PUT
step 'the owner gets the object of the fork' git -C "$mine" pull -q
step 'it has the same bytes' cmp "$mine/c.bin" "$theirs/c.bin"

step 'locks a file' git -C "$mine" lfs lock a.bin
step 'a locked file cannot be locked again' refused git -C "$mine" lfs lock a.bin
step 'lists the lock' grep -q "a.bin.*$OWNER" <(git -C "$mine" lfs locks)
step 'the lock is the own one' grep -q '^O a.bin' <(git -C "$mine" lfs locks --verify)
step 'unlocks the file' git -C "$mine" lfs unlock a.bin
step 'there are no locks' is '' git -C "$mine" lfs locks

# The same over SSH: a key gets the header by which the objects are sent.
if command -v ssh >/dev/null && command -v ssh-keygen >/dev/null; then
  ssh-keygen -q -t ed25519 -N '' -C lfs -f "$HOB_WORK/lfs-key"
  options="-F none -o BatchMode=yes -o IdentitiesOnly=yes -o IdentityAgent=none -o StrictHostKeyChecking=accept-new"
  export GIT_SSH_COMMAND="ssh $options -o UserKnownHostsFile=$HOB_WORK/lfs-known-hosts -i $HOB_WORK/lfs-key"
  step 'adds a key' api "$OWNER_TOKEN" user/keys -d "{\"title\":\"LFS\",\"key\":\"$(cat "$HOB_WORK/lfs-key.pub")\"}"
  address=$(api "$OWNER_TOKEN" "repos/$name" | grep -o 'ssh://[^"]*')
  over=$HOB_WORK/lfs-over-ssh
  GIT_LFS_SKIP_SMUDGE=1 step 'clones over SSH' git clone -q "$address" "$over"
  git -C "$over" config user.name "$OWNER" && git -C "$over" config user.email "$OWNER@example.test"
  step 'installs Git LFS there' git -C "$over" lfs install --local
  step 'gets the objects' git -C "$over" lfs pull
  step 'they have the same bytes as over HTTPS' cmp "$mine/a.bin" "$over/a.bin"
  step 'commits another one' large "$over" d.bin 2000000
  step 'pushes it over SSH' git -C "$over" push -q origin main
  step 'it comes over HTTPS' git -C "$mine" pull -q
  step 'with the same bytes' cmp "$over/d.bin" "$mine/d.bin"
  step 'locks a file over SSH' git -C "$over" lfs lock d.bin
  step 'unlocks it' git -C "$over" lfs unlock d.bin
  step 'another key reads nothing' refused env GIT_SSH_COMMAND="ssh $options -o UserKnownHostsFile=$HOB_WORK/lfs-known-hosts -i $HOB_WORK/no-key" git -C "$over" fetch -q
fi
