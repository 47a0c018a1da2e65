#!/bin/sh
# with-node.sh [--tools] PROGRAM [ARGUMENT]...
#
# Installs the packages that are missing or older than package-lock.json, then runs the program with the pinned Node, or
# with the one on the PATH where that does not run. With --tools the development tools are installed too.
#
# Every command of Hob goes through here, so a usual start uses nothing but builtins of the shell: a program that it would start
# on the way costs as much as some modules of the command itself.
set -eu

folder=${0%/*}/..
case $folder in /*) ;; *) folder=$PWD/$folder ;; esac
modules=$folder/node_modules
# npm writes this file last, so it shows whether and when an installation finished.
finished=$modules/.package-lock.json
lock=$folder/.hob/installing

tools=no
if [ "${1:-}" = --tools ]; then
  tools=yes
  shift
fi
# A folder that has the tools retains them.
[ -d "$modules/typescript" ] && tools=yes

installed() {
  [ -f "$finished" ] || return 1
  [ "$finished" -nt "$folder/package-lock.json" ] || return 1
  [ $tools = no ] || [ -d "$modules/typescript" ]
}

install() {
  command -v npm >/dev/null 2>&1 || {
    echo 'hob: npm is needed for the first start: install Node.js with npm.' >&2
    exit 1
  }
  # npm would empty the folder that the link leads to, which others may be using.
  [ ! -L "$modules" ] || {
    echo "hob: $modules is a link, and what it leads to is not what package-lock.json asks for: remove the link, or install there." >&2
    exit 1
  }
  echo 'hob: installing packages (once, some seconds) …' >&2
  omit=
  [ $tools = yes ] || omit=--omit=dev
  log=$(mktemp)
  if ! (cd "$folder" && npm ci $omit --ignore-scripts --no-audit --no-fund --loglevel=error) >"$log" 2>&1 </dev/null; then
    head -n 20 "$log" >&2
    rm -f "$log"
    echo "hob: the packages could not be installed in $folder, see above." >&2
    exit 1
  fi
  rm -f "$log"
  touch "$finished"
}

# Two starts at once must not install over each other. A lock whose holder is gone is taken over.
claim() {
  tries=0
  mkdir -p "$folder/.hob"
  until mkdir "$lock" 2>/dev/null; do
    holder=$(cat "$lock/pid" 2>/dev/null || :)
    if { [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null; } || [ $tries -ge 300 ]; then
      rm -rf "$lock"
      continue
    fi
    tries=$((tries + 1))
    sleep 1
  done
  echo $$ >"$lock/pid"
}

if ! installed; then
  claim
  trap 'rm -rf "$lock"' EXIT
  trap 'exit 130' INT TERM HUP
  installed || install
  rm -rf "$lock"
  trap - EXIT INT TERM HUP
fi

pinned=$modules/.bin/node
# Names the machine that the pinned Node was last seen to run on: the folder may be mounted in another machine or container, where it does not run.
seen=$folder/.hob/node-runs

runs() {
  [ -x "$pinned" ] || return 1
  read -r machine 2>/dev/null </proc/sys/kernel/hostname || machine=unnamed
  if [ "$seen" -nt "$pinned" ] && read -r known <"$seen" && [ "$known" = "$machine" ]; then return; fi
  "$pinned" --version >/dev/null 2>&1 || return 1
  { mkdir -p "$folder/.hob" && echo "$machine" >"$seen"; } 2>/dev/null || :
}

# Node's compile cache; where it cannot be written, Node compiles again and says nothing.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$folder/.hob/compiled}"

if runs; then exec "$pinned" "$@"; fi
recent='const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 24 || (a === 24 && b >= 12) ? 0 : 1)'
if command -v node >/dev/null 2>&1 && node -e "$recent"; then
  exec node "$@"
fi
echo "hob: no Node.js runs here: the packaged one is for Linux on x64 and arm64, and the one on the PATH ($(node --version 2>/dev/null || echo none)) is older than 24.12. Install a newer one." >&2
exit 1
