#!/bin/sh
# yash 2.52: a subshell in the background with a redirection is two processes, and `$!` is not the one that works.
#
# Guess: `(ulimit -f 9 && exec COMMAND) >file &` is one process in each POSIX shell: the subshell takes the redirection and then becomes
# the command, so that `kill $!` ends it. That is how an agent limits a program and ends one that takes too long.
# Reality: yash starts one process for the redirection and another inside it for the parentheses. `kill $!` ends the first, and
# the command goes on, which nobody waits for any more. With braces in place of the parentheses it is one process here, too.
#
# Seen:
#   dash ( ): ended
#   dash { }: ended
#   yash ( ): still running
#   yash { }: ended
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq dash=0.5.12-2 yash=2.52-2 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
# try SHELL OPEN CLOSE EXPECTED
try() {
  shell=$(find root -name "$1" -type f -perm -u+x | head -n 1)
  "$shell" -c "$2 ulimit -f 9 && exec sleep 30.$$; $3 >/dev/null & sleep 1; kill \$!; wait \$!" 2>/dev/null || :
  if pkill -x -f "sleep 30.$$"; then seen='still running'; else seen=ended; fi
  echo "$1 $2 $3: $seen"
  [ "$seen" = "$4" ]
}
try dash '(' ')' ended
try dash '{' '}' ended
try yash '(' ')' 'still running'
try yash '{' '}' ended
