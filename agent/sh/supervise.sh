# The part of muster-agent.sh that runs a job, in a process of its own that outlives the agent. The job's folder is all that
# the two know of each other, and its content decides after any crash whether the job was started and how it ended:
#
#   command, limit    the request: a script, and the seconds that it may take
#   lock              the process that creates it is the only one to run the job, or to end it unstarted
#   mark, *.pipe      open in all processes of the job, which identifies them
#   stdout, stderr    its output so far
#   cancel            asks the supervisor to stop
#   end               how it ended, why, and when; moved into place whole
#   reserve           space for the lock and the end on a full disk

OUTPUT_LIMIT=${MUSTER_OUTPUT_LIMIT:-10485760} # of each stream, in bytes; a multiple of 512
USUAL_PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

has() {
  command -v "$1" >/dev/null 2>&1
}

nap() {
  sleep 0.2 2>/dev/null || sleep 1 # not every sleep knows fractions
}

# Sets `seconds` by a clock that nobody sets.
now() {
  if read -r seconds _ 2>/dev/null </proc/uptime; then seconds=${seconds%%.*}; else seconds=$(date +%s); fi
}

# Waits until these files and folders are on the disk itself. A sync that knows no names writes everything.
flush() {
  sync "$@" 2>/dev/null || sync
}

# Waits for a process, and sets `code`: for one that a signal ended, 128 and its number, where yash says 384. A signal interrupts
# the waiting; `on_wake` has something to do then, or ends it.
await() {
  while :; do
    wait "$1"
    code=$?
    kill -0 "$1" 2>/dev/null && $on_wake || break
  done
  # A signal that came together with the end has hidden it; 127 says that it is known already.
  wait "$1" 2>/dev/null
  set -- "$?"
  [ "$1" = 127 ] || code=$1
  [ "$code" -le 384 ] || code=$((code - 256))
  return "$code"
}

remove() {
  rm -rf "$1" 2>/dev/null || { chmod -R u+rwx "$1" && rm -rf "$1"; } 2>/dev/null
}

# Folders of jobs are named by their place in the queue and their id.
id_of() {
  id=${1##*/}
  id=${id#*.}
}

# The state, process group and start time of a process; fails if there is none. Read of its first thread, because an emulator
# (qemu-user) makes up what a process reads of itself, but not that.
stat_of() {
  { read -r text <"/proc/$1/task/$1/stat"; } 2>/dev/null || return 1
  set -- ${text##*") "}
  state=$1 group_of=$3 born=${20}
}

# Only the first caller succeeds. The lock tells which process that is, beyond its number, which is used again.
take_lock() {
  born=
  stat_of $$
  ln -s "$$ ${born:--} ${boot:--}" "$job/lock" 2>/dev/null || {
    [ ! -h "$job/lock" ] && rm -f "$job/reserve" && ln -s "$$ ${born:--} ${boot:--}" "$job/lock" 2>/dev/null || return
  }
  flush "$job"
}

# Whether the process that took the lock still runs.
is_owned() {
  set -- $(readlink "$job/lock")
  [ "$#" = 3 ] && [ "$3" = "${boot:--}" ] || return 1
  if [ "$2" = - ]; then kill -0 "$1" 2>/dev/null; else stat_of "$1" && [ "$born" = "$2" ] && [ "$state" != Z ]; fi
}

# write_end END [REASON]: stores how the job ended, in the words of the protocol. A full disk may have space later.
write_end() {
  now
  tries=60
  until printf '%s\n' "$1" "${2-}" "$seconds ${boot:--}" 2>/dev/null >"$job/end.new" && flush "$job/end.new" &&
    mv "$job/end.new" "$job/end"; do
    rm -f "$job/reserve"
    [ -d "$job" ] && [ "$tries" -gt 0 ] || return
    tries=$((tries - 1))
    sleep 1
  done
  flush "$job"
}

# The job's processes that are left: its group, and whatever has its mark or its output open. Without /proc only the group.
remaining() {
  if [ ! -r /proc/self/stat ]; then
    ! kill -0 -- "-$group" 2>/dev/null || echo "-$group"
    return
  fi
  for file in /proc/[0-9]*/stat; do
    file=${file%/stat}
    stat_of "${file##*/}" && [ "$group_of" = "$group" ] && [ "$state" != Z ] && echo "${file##*/}"
  done
  ls -l /proc/[0-9]*/fd/[0129] 2>/dev/null | while read -r line; do
    case $line in
      */fd/[09]" -> $job/mark"* | */fd/[12]" -> $job/std"*.pipe*)
        line=${line#*/proc/}
        echo "${line%%/*}"
        ;;
    esac
  done
}

# Ends all processes of the job: asks for three seconds, then kills. Fails if one is stuck in the kernel.
end_processes() {
  now
  deadline=$((seconds + 3)) signal=TERM asked=' '
  while left=$(remaining) && [ -n "$left" ]; do
    now
    [ "$seconds" -lt "$deadline" ] || signal=KILL
    [ "$seconds" -lt $((deadline + 3)) ] || return 1
    for pid in $left; do
      case $signal$asked in
        TERM*" $pid "*) ;;
        *) kill -s "$signal" -- "$pid" 2>/dev/null ;;
      esac
      asked="$asked$pid "
    done
    nap
  done
}

# note_why END REASON: why the job is being ended, for the supervisor. With what is reserved, if the disk is full.
note_why() {
  printf '%s\n' "$@" 2>/dev/null >"$job/why" || { rm -f "$job/reserve" && printf '%s\n' "$@" >"$job/why"; }
}

# Ends the job when it is asked to, when its time is over, or when its folder was deleted. `why` says which.
watch() {
  now
  ends=$((seconds + limit))
  while sleep 1 && kill -0 $$ 2>/dev/null; do
    now
    if [ -f "$job/cancel" ]; then
      note_why how=stopped 'Stopped on request.'
    elif [ "$seconds" -ge "$ends" ]; then
      note_why how=timeout "Stopped: it ran longer than its limit of $limit s."
    elif [ -f "$job/command" ]; then
      continue
    fi
    end_processes || kill -s USR1 $$
    return
  done
}

# Stores what one pipe carries, up to the limit. What comes after that, or from processes that the command left behind, is
# read and dropped, so that their writing does not fail.
keep_output() {
  late=
  trap '' TERM HUP XFSZ
  trap 'late=yes; kill -9 "$store" 2>/dev/null' USR1
  exec 3<"$job/$1.pipe"
  { ulimit -f $((OUTPUT_LIMIT / 512)) && exec cat; } <&3 2>/dev/null >>"$job/$1" &
  store=$!
  await "$store" && return
  if [ -n "$late" ]; then
    said=
  elif [ "$(wc -c <"$job/$1")" -ge "$OUTPUT_LIMIT" ]; then
    said="Output cut here: this stream is longer than $OUTPUT_LIMIT bytes."
  else
    rm -f "$job/reserve"
    said='Disk full on the device: output is not stored from here on.'
  fi
  [ -z "$said" ] || printf '\n[muster] %s The command was not stopped.\n' "$said" 2>/dev/null >>"$job/$1"
  cat <&3 >/dev/null 2>&1 &
}

command_itself() {
  umask "$given_umask"
  cd "$job/work" || exit 126
  export PATH="${PATH:-$USUAL_PATH}" MUSTER_JOB_ID="$id" MUSTER_TEMP="$job/work" MUSTER_CHECK="${job%/queue/*}/bin/muster-check"
  unset MUSTER_SHELL MUSTER_UMASK
  set -- sh "$job/command"
  # A shell starts background processes with these ignored, and only newer systems can undo that.
  ! env --default-signal=INT,QUIT true 2>/dev/null || set -- env --default-signal=INT,QUIT "$@"
  ! has setsid || set -- setsid "$@"
  exec "$@"
}

# Runs the job in this folder to its end, unless another process has taken it.
supervise() {
  job=$1 given_umask=${MUSTER_UMASK:-022} group=none end=
  id_of "$job"
  read -r limit <"$job/limit" && take_lock || exit 1
  [ ! -f "$job/cancel" ] || { write_end how=stopped 'Cancelled before it started.' && exit; }
  (cd "$job" && mkdir work && mkfifo stdout.pipe stderr.pipe && : >stdout && : >stderr) 2>/dev/null || {
    rm -f "$job/reserve"
    write_end how=refused "The agent could not start the command: no folder and pipes could be made in $job."
    exit
  }
  trap 'note_why how=interrupted "The device was shutting down."; end_processes' TERM HUP
  trap 'on_wake=false' USR1
  keep_output stdout &
  out=$!
  keep_output stderr &
  err=$!
  command_itself <"$job/mark" >"$job/stdout.pipe" 2>"$job/stderr.pipe" 9<"$job/mark" &
  command=$!
  ! has setsid || group=$command
  watch &
  watcher=$!
  await "$command"
  exit_code=$code grace=3 on_wake=:
  if [ -f "$job/why" ]; then
    wait "$watcher"
    grace=1
  fi
  kill "$watcher" 2>/dev/null
  # Processes that the command left behind may hold its output open.
  (sleep "$grace" && kill -s USR1 "$out" "$err") >/dev/null 2>&1 &
  timer=$!
  await "$out"
  await "$err"
  kill "$timer" 2>/dev/null
  [ -d "$job" ] || exit
  flush "$job/stdout" "$job/stderr"
  [ ! -f "$job/why" ] || { read -r end; read -r reason; } <"$job/why"
  remove "$job/work"
  rm -f "$job"/*.pipe
  write_end "${end:-exit=$exit_code}" "${reason-}"
}

# check SHA256 tar.gz|script FILE NAME: whether an artifact is the one of the upload, and an archive is safe to unpack.
check_artifact() {
  { sum=$(sha256sum <"$3") || sum=$(shasum -a 256 <"$3") || sum=$(openssl dgst -sha256 -r <"$3") ||
    sum=$(busybox sha256sum <"$3"); } 2>/dev/null ||
    fail "This device has no program that computes a SHA-256, so ${4-} cannot be checked."
  [ "${sum%% *}" = "$1" ] || fail "${4-} arrived changed: its SHA-256 is not the one of the upload."
  [ "$2" != script ] || exit 0
  names=$(gzip -dc "$3" | tar -tf - 2>&1) && kinds=$(gzip -dc "$3" | tar -tvf - 2>&1) ||
    fail "${4-} may not be unpacked: the archive cannot be read."
  case "
$names
" in
    *'
/'* | *'
../'* | */../* | */..'
'* | *'
..
'*) fail "${4-} may not be unpacked: the archive has names that lead out of its folder." ;;
  esac
  case "
$kinds" in
    *'
'[bcps]*) fail "${4-} may not be unpacked: the archive has devices or pipes." ;;
  esac
}
