# For scripts of clients that run in a shell: `step WHAT COMMAND…` and what the steps compare with.

step() {
  local what=$1
  shift
  local said
  if said=$("$@" 2>&1); then
    printf 'ok %s\n' "$what"
  else
    printf 'FAILED %s\n%s\n' "$what" "$said"
    exit 1
  fi
}

# is EXPECTED COMMAND…: whether that is what the command prints.
is() {
  local expected=$1 got
  shift
  got=$("$@") || return 1
  [ "$got" = "$expected" ] || {
    printf 'expected %s, got %s\n' "$expected" "$got"
    return 1
  }
}

# eventually EXPECTED COMMAND…: whether that is what the command prints within a minute.
eventually() {
  local expected=$1 got end=$((SECONDS + 60))
  shift
  until got=$("$@") && [ "$got" = "$expected" ]; do
    [ "$SECONDS" -lt "$end" ] || {
      printf 'expected %s, got %s\n' "$expected" "$got"
      return 1
    }
    sleep 0.1
  done
}

# refused COMMAND…: whether it fails.
refused() {
  if "$@"; then
    echo 'this was let through'
    return 1
  fi
}

# clone LOGIN TOKEN REPOSITORY FOLDER: a clone that pushes as that user.
clone() {
  git clone -q "https://$1:$2@$HOB_HOST/$3.git" "$4" &&
    git -C "$4" config user.name "$1" &&
    git -C "$4" config user.email "$1@example.test"
}

# commit FOLDER FILE: commits a file that names itself.
commit() {
  echo "$2" >"$1/$2" && git -C "$1" add -A && git -C "$1" commit -qm "Add $2"
}
