#!/bin/sh
# qemu-user 7.2 (Debian 12): a program that reads its own /proc/<pid>/stat gets one that is made up, and every other process gets the
# kernel's.
#
# Guess: emulation of a program leaves /proc alone but for links such as /proc/self/exe: a supervisor may note its own start time
# from /proc/<pid>/stat, and another process finds it again by that.
# Reality: for the process itself QEMU writes another line: the state is the digit 0, group and session are 0, and the start time
# is QEMU's own, which may be some ticks off, so that whoever compares takes the supervisor for dead. It knows these files by their
# names: /proc/<pid>/task/<pid>/stat holds the same fields, and is the kernel's.
#
# Seen:
#   own stat: state 0, group 0, session 0
#   own task: state R, group and session those of the kernel
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p lists/partial
foreign() {
  apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State::lists="$folder/lists" \
    -o Dir::State::status=/dev/null -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= "$@" 2>/dev/null
}
foreign update
foreign download busybox-static:arm64=1:1.35.0-4+deb12u1+b1
apt-get download -qq qemu-user-static=1:7.2+dfsg-7+deb12u18+b3 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
cat >look.sh <<'SH'
show() {
  fields=${2##*) }
  set -- "$1" $fields
  echo "$1 $2 $4 $5"
}
read -r own </proc/$$/stat
read -r task </proc/$$/task/$$/stat
show own "$own"
show task "$task"
SH
root/usr/bin/qemu-aarch64-static root/bin/busybox ash look.sh >seen
while read -r what state group session; do
  echo "$what: state $state, group $group, session $session"
  case $what:$state:$group:$session in
    own:0:0:0) ;;
    task:R:[1-9]*:[1-9]*) ;;
    *) exit 1 ;;
  esac
done <seen
[ "$(wc -l <seen)" = 2 ]
