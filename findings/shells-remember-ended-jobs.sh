#!/bin/sh
# dash 0.5.12 and BusyBox ash 1.35: a process in the background that nobody waits for costs 40 bytes for as long as the shell runs.
#
# Guess: POSIX lets a shell forget all but the newest CHILD_MAX processes, and a shell for small devices does so, or at least
# when it waits for others: a script that starts a helper each minute with `&` runs for years in the same memory.
# Reality: each process of which no `wait` has asked by number stays in the table of jobs, long after it has ended, unless a `wait`
# without a number takes all of them. mksh forgets them. A `wait $number` costs nothing, even if the process ended long ago.
#
# Seen, after 6,000 processes:
#   dash, not waited for: more than 150 kB
#   dash, waited for: less than 50 kB
#   busybox, not waited for: more than 150 kB
#   busybox, waited for: less than 50 kB
#   mksh, not waited for: less than 50 kB
#   mksh, waited for: less than 50 kB
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq dash=0.5.12-2 busybox=1:1.35.0-4+deb12u1+b1 mksh=59c-28+deb12u1 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
cat >grow.sh <<'SH'
memory() { while read -r name value _; do [ "$name" != VmRSS: ] || echo "$value"; done </proc/$$/status; }
start() {
  count=0
  while [ "$count" -lt "$1" ]; do
    : &
    ended=$! count=$((count + 1))
    # By then the oldest have ended, and are no zombies: the shell has taken their status.
    [ $((count % 50)) != 0 ] || { sleep 0.02 & wait "$!"; }
    [ "$2" = no ] || wait "$ended"
  done
}
start 2000 "$1"
before=$(memory)
start 6000 "$1"
echo "$(($(memory) - before))"
SH
# try SHELL WAIT EXPECTED
try() {
  shell=$(find root -name "$1" -type f -perm -u+x | head -n 1)
  [ "$1" != busybox ] || shell="$shell ash"
  grown=$($shell grow.sh "$2")
  if [ "$grown" -gt 150 ]; then seen='more than 150 kB'; elif [ "$grown" -lt 50 ]; then seen='less than 50 kB'; else seen="$grown kB"; fi
  case $2 in no) what='not waited for' ;; *) what='waited for' ;; esac
  echo "$1, $what: $seen"
  [ "$seen" = "$3" ]
}
try dash no 'more than 150 kB'
try dash yes 'less than 50 kB'
try busybox no 'more than 150 kB'
try busybox yes 'less than 50 kB'
try mksh no 'less than 50 kB'
try mksh yes 'less than 50 kB'
