# Shared by the scripts beside it, which source it; does nothing by itself.
# Sets `root`, the checkout, and `build`, the build folder (HEARTH_BUILD, else .build).

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=${HEARTH_BUILD:-$root/.build}

# Progress goes to standard error: standard output belongs to the answer.
say() {
  printf '%s\n' "-- $*" >&2
}

fail() {
  printf '%s\n' "${0##*/}: $*" >&2
  exit 1
}

# The comment block at the top of a script is its help.
usage() {
  sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

# SwiftPM on this package, from any folder: swiftpm build ARGUMENTS
swiftpm() {
  verb=$1
  shift
  swift "$verb" --package-path "$root" --scratch-path "$build" "$@"
}
