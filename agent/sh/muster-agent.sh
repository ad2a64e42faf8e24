#!/bin/sh
# The Muster agent for devices without Node.js: POSIX sh with curl or GNU wget. It takes jobs and reports facts by plain
# HTTP requests (docs/agent-protocol.md), and has no tunnels. Its data folder:
#
#   facts.d/              programs of this device that print more facts as name=value
#   mark                  open in what those programs started
#   settled               ids of jobs whose end the service has: they never run again
#   queue/<number>.<id>/  one job each, in the order of arrival; supervise.sh says what is in it
#   scratch               a link to the folder for the files of requests, in memory if possible: with a full disk the agent
#                         can still reach the service
#
# Three roles: the agent waits for the service, a courier sends the output and the end of the job that runs, and the
# supervisor runs it.

VERSION=0.1.0
PIECE=131072            # the most bytes of output in one request
POLL=${MUSTER_POLL:-55} # seconds that the service may wait for something to answer
FACTS_EVERY=${MUSTER_FACTS_EVERY:-300}

case $0 in
  /*) self=$0 ;;
  *) self=$(pwd)/$0 ;;
esac
. "${self%/*}/supervise.sh"
. "${self%/*}/keys.sh"

usage() {
  cat <<'USAGE'
Connects this device to a Muster service. Needs curl 7.55 or newer, or GNU wget.
  --server URL      address of the service
  --data DIR        folder for the agent's own files; no other agent may use it
  --key-file FILE   file with the device key (key in the data folder); a new key that the service sends is stored there
  --enrol-key-file FILE
                    file with an enrolment key (or ENROL_KEY), which is changed for a device key and deleted
  --pair            without a key, show a code that a person types in the dashboard
USAGE
}

fail() {
  printf '%s\n' "$1" >&2
  exit 1
}

# Sets `line` to the first line of a file, at most 1,000 bytes of it. Not with `read`, which takes one byte at a time in many
# shells: minutes for megabytes without a line break.
first_line() {
  line=$(head -c 1000 "$1" 2>/dev/null | tr -d '\000' | head -n 1)
  [ -n "$line" ]
}

# ---- Requests ---------------------------------------------------------------------------------------------------------

# write_headers SESSION: in a file and never in an argument, which the process list would show. Not by printf either, which
# is a program of its own in some shells.
write_headers() {
  quote=
  [ "$client" = wget ] || quote='"'
  echo "header = ${quote}Authorization: Bearer $key$quote" >"$headers.new"
  [ -z "$1" ] || echo "header = ${quote}Muster-Session: $1$quote" >>"$headers.new"
  mv "$headers.new" "$headers"
}

# end_after SECONDS PID: kills a child that takes longer. Whoever waits for the child ends this `timer`.
end_after() {
  (
    sleeper=
    trap 'kill $sleeper; exit' TERM
    sleep "$1" &
    sleeper=$!
    wait "$sleeper" && kill -0 $$ && kill -9 "$2"
  ) >/dev/null 2>&1 &
  timer=$!
}

# Waits for it, too: dash and BusyBox remember each process that nobody has waited for.
end_timer() {
  [ -z "$timer" ] || { kill "$timer"; wait "$timer"; } 2>/dev/null
  timer=
}

# call METHOD PATH SECONDS [FILE]: one request. Sets `status`, 000 without a whole answer, which is in $tmp.body.
call() {
  used=$(cat "$headers") method=$1 url=$server${api:-/agent/v1}/$2 time=$3 file=${4:-/dev/null}
  rm -f "$tmp.body" "$tmp.head" "$tmp.status"
  if [ "$client" = curl ]; then
    set -- curl -q -sS -K "$headers" -X "$method" --connect-timeout 30 --max-time "$time" -D "$tmp.head" \
      -o "$tmp.body" -w '%{http_code}\n' -H Expect: -H "Content-Type: ${content_type:-text/plain}"
    [ "$method" = GET ] || set -- "$@" --data-binary "@$file"
  else
    set -- wget -nv -S --config="$headers" --method="$method" -t 1 -T "$time" --max-redirect=0 --content-on-error \
      --header="Content-Type: ${content_type:-text/plain}" -O "$tmp.body"
    [ "$method" = GET ] || set -- "$@" --body-file="$file"
  fi
  # An answer that never ends must not fill the disk. In braces, because `( ) >file &` is two processes in yash.
  { ulimit -f 8192 && exec "$@" "$url"; } >"$tmp.status" 2>"$tmp.error" &
  child=$!
  # For GNU wget, each byte that arrives begins the time anew.
  [ "$client" = curl ] || end_after "$time" "$child"
  await "$child"
  code=$? child=
  end_timer
  if [ "$client" = curl ]; then
    first_line "$tmp.status"
    status=$line
  else
    status=$(sed -n 's|^ *HTTP/[0-9.]* \([0-9]*\).*|\1|p' "$tmp.error" | tail -n 1)
    [ "$code" != 8 ] && [ "$code" != 6 ] || code=0 # an answer that is an error; a 401
  fi
  [ "$code" = 0 ] && [ -n "$status" ] || status=000
  [ -f "$tmp.body" ] || : >"$tmp.body"
}

# header NAME: its value in the answer. A proxy that speaks HTTP/2 changes the letter case.
header() {
  cat "$tmp.head" "$tmp.error" 2>/dev/null | grep -i "^ *$1:" | tail -n 1 | tr -cd ' -~' | sed 's/^[^:]*: *//' | cut -c 1-60
}

# in_between TEXT: says that an answer is not the service's, by the name that its sender gives itself.
in_between() {
  sender=$(header server)
  line="a proxy in between${sender:+, $sender,} answered $1"
}

# Waits longer each time, as long as the service asks for, and by a part that differs between devices. A proxy may ask for days.
back_off() {
  retry_after=$(sed -n 's/^ *[Rr]etry-[Aa]fter: *0*\([0-9]\{1,3\}\)[[:space:]]*$/\1/p' "$tmp.head" "$tmp.error" 2>/dev/null | tail -n 1)
  [ "${retry_after:-0}" -le 300 ] || retry_after=
  random=$(random_digits | cut -c 1-4)
  random=0x${random:-$(($$ % 10000))}
  sleep $((${retry_after:-$((pause / 2))} + random % (pause / 2 + 2))) &
  child=$!
  await "$child"
  child=
  pause=$((pause * 2))
  [ "$pause" -le 30 ] || pause=30
}

# Whether a proxy on the way ended the wait for work, which is no fault of the service. Where that happens twice after the same
# time, it is the proxy's limit, and less is asked for until the next hello.
is_cut_short() {
  now
  lasted=$((seconds - asked_at))
  case $is_reached:$1:$status:$code in
    yes:next*:000:28) return 1 ;; # curl could not connect
    yes:next*:000:* | yes:next*:408:* | yes:next*:502:* | yes:next*:504:*) ;;
    *) return 1 ;;
  esac
  [ "$lasted" -ge $((POLL * 10 / 55)) ] && [ "$lasted" -le "$wait_for" ] || return
  case $((lasted - cut_after)) in
    -1 | 0 | 1) poll=$((lasted * 3 / 4)) ;;
  esac
  cut_after=$lasted status=204
}

# The same as `call`, until the answer is one that the protocol knows, or a sentence that says what the service cannot read.
# Answers that end the session are handled here. Anything else is a fault on the way, such as the page of a proxy.
ask() {
  pause=1
  while :; do
    call "$@"
    first_line "$tmp.body"
    case ${2##*/}:$status:$line in
      output*:next\ *[!0-9]* | ended\?how=interrupted:400:*) ;;
      hello:200:session\ ?* | next*:204:* | next*:200:[a-z]* | taken:200:run | taken:200:drop | output*:200:next\ ?* | ended*:200:ok | \
        key:200:* | facts:20[04]:* | facts:40[0345]:* | facts:413:* | output*:409:next\ ?* | output*:413:* | \
        output*:400:'The request is not valid'* | ended*:400:'The request is not valid'* | key:400:*) return ;;
    esac
    case $line in *'<'*) line="a page that is not the service's" ;; esac
    # A proxy or a hotel's network that wants a login has another challenge, or none.
    if [ "$status" = 401 ] && ! header www-authenticate | grep -q '^Bearer realm="muster"'; then
      in_between "401, $line"
      status=proxy
    fi
    case $status:$line in
      401:* | 409:*)
        # The key or the session may have been renewed while the request was on its way.
        if [ "$used" != "$(cat "$headers")" ]; then
          :
        elif [ "$status:$unused_key" = "401:$key" ]; then
          # The service gave it to this device only now, and may not know it everywhere yet.
          unused_key=
          back_off
        elif [ "$role" = agent ]; then
          end_session "$2"
        else
          exit # the agent meets the same answer
        fi
        ;;
      *)
        ! is_cut_short "$2" || return 0
        case $status in
          000) first_line "$tmp.error" || line="no whole answer within $time s" ;;
          proxy) ;;
          408 | 425 | 429 | 5??) line="status $status, $line" ;;
          *) line="it did not answer as a Muster service does, but with $status $line" ;;
        esac
        lost "$line"
        back_off
        ;;
    esac
    [ "$role" = agent ] || kill -0 $$ 2>/dev/null || exit
  done
}

# What the service answered to a request for this path ends the session, and unless it asks for a new one, the agent.
end_session() {
  [ "$status" != 401 ] || finish 2 "The service refused the key: $line"
  case $line in
    replaced*) finish 3 'Another agent uses the key of this device and took over.' ;;
  esac
  lost "$line"
  [ "$1" != hello ] || { back_off && return; }
  greet
  $on_wake
}

reached() {
  unused_key=
  [ "$is_reached" != yes ] || return 0
  is_reached=yes
  echo "Connected to $server."
  [ -z "$install" ] || echo "$VERSION" >"$install/connected"
}

# Says why the service does not answer, once until it does again.
lost() {
  [ "$role" = agent ] && [ "$is_reached" != no ] || return 0
  what="$server cannot be reached"
  [ "$is_reached" != yes ] || what="The connection to $server is lost"
  is_reached=no
  [ -z "$install" ] || rm -f "$install/connected"
  echo "$what: $1"
}

# finish CODE [TEXT]
finish() {
  kill $child $timer $courier 2>/dev/null
  [ "$scratch" = "$data" ] || rm -rf "$scratch"
  [ -z "$install" ] || rm -f "$install/connected"
  [ -z "${2-}" ] || printf '%s\n' "$2" >&2
  exit "$1"
}

# ---- Facts ------------------------------------------------------------------------------------------------------------

fact() {
  [ -z "$2" ] || printf '%s=%s\n' "$1" "$2"
}

# What is a fact of these lines, percent-encoded. The service cuts a value after 512 characters, which 2 kB hold in any script.
clean() {
  tr '\t' ' ' | tr -d '\000-\011\013-\037\177' | cut -b 1-2113 |
    LC_ALL=C sed -n 's/ *$//; /^[a-z0-9_.]\{1,64\}=./!d; s/%/%25/g; s/ /%20/g; s/+/%2B/g; s/&/%26/g; s/\\/%5C/g; s/=/%3D/g; s/%3D/=/p'
}

of_release() {
  sed -n "s/^$1=//p" /etc/os-release 2>/dev/null | tr -d "\"'"
}

# Whether root owns it and nobody else can write it.
is_of_root() {
  set -- $(ls -ldn "$1")
  case $1:$3 in ?????-??-*:0) ;; *) return 1 ;; esac
}

# What the programs in facts.d print: at most 50 of them, for 5 seconds and 64 kB each. Links are not followed. They have the
# file `mark` open, as jobs have theirs, so that nothing is left of them.
own_facts() {
  programs=0 failed=
  for program in "$data"/facts.d/*; do
    [ -f "$program" ] && [ -x "$program" ] && [ ! -h "$program" ] && [ "$programs" -lt 50 ] || continue
    programs=$((programs + 1))
    [ "$(id -u)" != 0 ] || { is_of_root "$data/facts.d" && is_of_root "$program"; } || {
      failed="$failed ${program##*/}"
      continue
    }
    rm -f "$tmp.fact" # what the program before left behind may still write to it
    { ulimit -f 129 && exec "$program"; } <"$data/mark" >"$tmp.fact" 9<"$data/mark" &
    printing=$!
    end_after 5 "$printing"
    if await "$printing" && [ "$(wc -c <"$tmp.fact")" -le 65536 ]; then
      cat "$tmp.fact" && echo
    else
      failed="$failed ${program##*/}"
    fi
    end_timer
  done >"$tmp.printed" 2>/dev/null
  job=$data group=none
  [ "$programs" = 0 ] || end_processes
  fact facts_failed "${failed# }"
  cat "$tmp.printed"
}

# Of facts, what fits beside the jobs of a hello: 200 of them, and 64 kB. Which were left out is one more.
keep() (
  LC_ALL=C names=' ' kept=1 left=
  set -- "$jobs"/*
  room=$((65000 - ${#server} * 3 - $# * 72))
  while IFS= read -r text; do
    name=${text%%=*} room=$((room - ${#text} - 1))
    case $names in *" $name "*) ;; *) names="$names$name " kept=$((kept + 1)) ;; esac
    if [ "$room" -gt 0 ] && [ "$kept" -le 200 ]; then
      echo "$text"
    else
      [ "${#left}" -gt 400 ] || left="$left%20$name"
    fi
  done
  fact facts_left_out "${left#%20}"
)

# From kilobytes. Without their last three digits, because some shells count to 2,147,483,647.
megabytes() {
  case $1 in
    ????*) set -- "${1%???}" ;;
    *) set -- 0 ;;
  esac
  echo "$(($1 + $1 * 3 / 125))"
}

# size MEGABYTES: as people read it.
size() {
  if [ "$1" -lt 1000 ]; then
    echo "$1 MB"
  elif [ "$1" -lt 10000 ]; then
    echo "$(($1 / 1000)).$(($1 % 1000 / 100)) GB"
  else
    echo "$(($1 / 1000)) GB"
  fi
}

# Space that is free is given in steps of a twentieth, so that it does not change each time.
disk_facts() {
  total=$(megabytes "$1") free=$(megabytes "$2")
  step=$((total / 20))
  [ "$step" -gt 0 ] || step=1
  fact disk_total "$(size "$total")"
  fact disk_free "$(size "$((free / step * step))")"
}

machine_facts() {
  fact agent "$VERSION"
  fact kind sh
  fact os "$(of_release ID)"
  fact os_version "$(of_release VERSION_ID)"
  fact kernel "$(uname -r)"
  fact arch "$(uname -m)"
  fact hostname "$(uname -n)"
  fact boot_id "$boot"
  fact model "$(cat /sys/firmware/devicetree/base/model /sys/class/dmi/id/product_name 2>/dev/null | tr '\n' ' ')"
  { read -r _ total _ </proc/meminfo; } 2>/dev/null && fact memory "$(megabytes "$total") MB"
  fact cpu_cores "$(grep -c '^processor' /proc/cpuinfo 2>/dev/null)"
  df -Pk "$data" 2>/dev/null | { read -r _ && read -r _ total _ free _ && disk_facts "$total" "$free"; }
  fact addresses "$(ip -o addr show scope global 2>/dev/null | sed -n 's/.* inet6\{0,1\} \([^ /]*\).*/\1/p' | sort -u | tr '\n' ' ')"
  fact macs "$(cat /sys/class/net/*/address 2>/dev/null | grep -v '^00:00:00:00:00:00$' | sort -u | tr '\n' ' ')"
}

# Finds out the facts, in the file $tmp.facts. Those of programs replace none of the agent, and no name with another meaning.
facts() {
  machine_facts 2>/dev/null | clean >"$tmp.machine"
  taken=$(sed 's/=.*//' "$tmp.machine" | tr '\n' '|')'agent_version|agent_kind|server|job|facts_left_out|__proto__'
  { cat "$tmp.machine"; own_facts | clean | grep -Ev "^($taken)="; } | keep >"$tmp.facts"
  problems=$(grep -E '^facts_(failed|left_out)=' "$tmp.facts" | sed 's/%20/ /g')
  [ -z "$problems" ] || say "Facts that are not reported: $problems"
}

# Says hello: what the service does not know of this device, and which jobs it has.
greet() {
  facts
  mv "$tmp.facts" "$scratch/facts"
  now
  greeted=$seconds poll=$POLL cut_after=0
  # Apart from those of the courier, which must not send any without a session.
  headers=$scratch/hello
  write_headers ''
  {
    cat "$scratch/facts"
    fact server "$server" | clean
    for each in "$jobs"/*; do [ ! -d "$each" ] || echo "job=${each#*/queue/*.}"; done
  } >"$tmp.hello"
  ask POST hello 60 "$tmp.hello"
  headers=$scratch/headers
  write_headers "${line#session }"
  reached
}

# Once a day, and within five minutes when one has changed.
renew_facts() {
  now
  [ "$seconds" -ge "$next_look" ] || return 0
  next_look=$((seconds + FACTS_EVERY))
  facts
  [ $((seconds - greeted)) -ge 86400 ] || ! cmp -s "$tmp.facts" "$scratch/facts" || return 0
  ask PUT facts 60 "$tmp.facts"
  case $status in
    20?) mv "$tmp.facts" "$scratch/facts" && greeted=$seconds ;;
    # A service from before that request. A hello begins another session, so not while a job runs.
    *) [ -n "$(ls "$jobs")" ] || greet ;;
  esac
}

# ---- The courier ------------------------------------------------------------------------------------------------------

# send STREAM OFFSET: sends what is new and sets `offset`; fails if the service cannot take it. Proxies may allow less at once.
send() {
  offset=$2
  while [ -f "$job/$1" ] && [ "$(wc -c <"$job/$1")" -gt "$offset" ]; do
    dd if="$job/$1" bs="$PIECE" skip=$((offset / PIECE)) count=2 2>/dev/null |
      tail -c "+$((offset % PIECE + 1))" | head -c "$PIECE" >"$tmp.piece"
    ask PUT "job/$id/output?stream=$1&offset=$offset" 600 "$tmp.piece"
    case $status in
      400) refusal=" The service did not take the rest of its output: $line" && return 1 ;;
      413) PIECE=$((PIECE / 2)) && [ "$PIECE" -gt 0 ] || return ;;
      *)
        [ "${line#next }" -gt "$offset" ] || nap
        offset=${line#next }
        ;;
    esac
  done
}

# The supervisor ended without an end, or never began.
conclude() {
  if [ ! -h "$job/lock" ]; then
    take_lock && write_end how=refused 'The agent could not start the job: its supervisor ended at once.'
  elif [ ! -f "$job/end" ]; then
    group=none
    end_processes
    write_end how=interrupted 'The device or its agent was restarted while the job ran; how far it got is not known.'
  fi
}

# report END [REASON]: tells the service how the job ended, until it has that. Instead of an end that it cannot read, one that
# it knows, with what it said.
report() {
  printf '%s' "${2-}" | head -c 1000 >"$tmp.reason"
  ask POST "job/$id/ended?$1" 60 "$tmp.reason"
  [ "$status" = 200 ] || report how=interrupted "The job ended with ${1%%[&]*}, which the service did not take: $line"
}

# Follows one job until the service has its output and its end, whichever agent started it.
deliver() {
  role=courier tmp=$scratch/tmp.courier.$$ on_wake=: child=
  trap 'kill $child $timer 2>/dev/null; exit' TERM
  trap : USR1
  id_of "$job"
  out=0 err=0 wanted=yes refusal= rounds=0 supervisor=
  if [ ! -h "$job/lock" ]; then
    export MUSTER_SHELL="$shell" MUSTER_UMASK="$given_umask"
    set -- $shell "$self" supervise "$job"
    ! has setsid || set -- setsid "$@"
    "$@" </dev/null >/dev/null 2>&1 &
    supervisor=$!
  fi
  while kill -0 $$ 2>/dev/null; do
    # Read before the output, which is then all there.
    end= reason= ended_at= ended_boot=
    [ ! -f "$job/end" ] || { read -r end; read -r reason; read -r ended_at ended_boot; } <"$job/end"
    if [ ! -d "$job" ]; then
      end=how=interrupted reason='The folder of the job on the device was deleted.'
    elif [ -z "$end" ]; then
      if [ -h "$job/lock" ]; then is_owned; else kill -0 "$supervisor" 2>/dev/null; fi || {
        conclude
        continue
      }
    fi
    [ "$wanted" = no ] || { send stdout "$out" && out=$offset && send stderr "$err" && err=$offset; } || wanted=no
    [ -z "$end" ] || break
    rounds=$((rounds + 1))
    if [ "$rounds" -lt 15 ]; then nap; else sleep 1; fi
  done
  [ -n "$end" ] || exit
  now
  [ "$ended_boot" != "${boot:--}" ] || end="$end&ago=$((seconds < ended_at ? 0 : seconds - ended_at))"
  report "$end" "$reason$refusal"
  settle
  kill -s USR1 $$
  exit
}

# Records that the service has the end, or does not know the job, and removes the rest. The output makes room for the record.
settle() {
  rm -f "$job/stdout" "$job/stderr" "$job/reserve"
  echo "$id" >>"$data/settled"
  [ "$(wc -l <"$data/settled")" -lt 4000 ] ||
    { tail -n 2000 "$data/settled" >"$data/settled.new" && mv "$data/settled.new" "$data/settled"; }
  flush "$data/settled" "$data"
  # At once: the agent starts the next job when this name is gone.
  mv "$job" "$data/old" 2>/dev/null
  remove "$data/old"
}

# ---- The agent --------------------------------------------------------------------------------------------------------

# Asks whether a stored job that was not started is to run.
confirm() {
  job=$1
  id_of "$job"
  ask POST "job/$id/taken" 60
  [ "$line" = run ] || remove "$job"
}

# Starts the oldest job, unless it has its courier.
start_next() {
  for job in "$jobs"/*; do
    [ -d "$job" ] || return 0
    if kill -0 "$courier" 2>/dev/null; then
      [ "$job" != "$current" ] || return 0
    else
      wait "$courier" 2>/dev/null # until then, shells keep in mind how it ended
    fi
    current=$job
    deliver &
    courier=$!
    return 0
  done
}

# Sets `job` to the folder of the job with this id.
find_job() {
  for job in "$jobs"/*."$1"; do [ -d "$job" ] && return; done
}

# accept ID LIMIT: the command is in the answer after an empty line.
accept() {
  case $1:$2 in :* | *: | *:*[!0-9]* | *:??????????*) return ;; esac
  id=$1
  if find_job "$id"; then
    [ -h "$job/lock" ] || confirm "$job"
    return
  elif grep -qx -e "$id" "$data/settled"; then
    report how=interrupted 'This device ran the job before and sent its end; it is not run again.'
    return
  fi
  last=$(ls "$jobs" | tail -n 1)
  last=${last%%.*}
  new=$data/new job=$jobs/$((${last:-1000000000} + 1)).$id
  remove "$new"
  if mkdir "$new" && sed 1,2d "$tmp.body" >"$new/command" && echo "$2" >"$new/limit" && : >"$new/mark" &&
    dd if=/dev/zero of="$new/reserve" bs=1024 count=16 2>/dev/null &&
    flush "$new/command" "$new/limit" "$new/reserve" "$new" && mv "$new" "$job" && flush "$jobs"; then
    confirm "$job"
  else
    remove "$new"
    echo "Job $id could not be stored in $jobs."
    report how=refused "The device could not store the job in $jobs: is its disk full?"
  fi
}

stop_job() {
  id=$1
  if find_job "$id"; then
    : >"$job/cancel" || { rm -f "$job/reserve" && : >"$job/cancel"; }
    # If the lock is free, nothing will start the job any more.
    [ -h "$job/lock" ] || ! take_lock || write_end how=stopped 'Cancelled before it started.'
  else
    report how=stopped
  fi
}

# Handles one answer of the service to `next`.
handle() {
  word= value= more=
  [ "$status" != 200 ] || read -r word value more <<ANSWER
$line
ANSWER
  [ "${#value}" -le 64 ] || [ "$word" = key ] || return 1
  case $word:$value in
    key:*[!A-Za-z0-9._~+/=-]* | job:*[!A-Za-z0-9_-]* | stop:*[!A-Za-z0-9_-]*) return 1 ;;
    job:?*) accept "$value" "$more" ;;
    stop:?*) stop_job "$value" ;;
    key:?*) change_key "$value" ;;
    *) return 1 ;;
  esac
}

# Sets `scratch`, and removes the one of an agent that was killed. Since then, an agent with other data may have made one of
# the same name.
make_scratch() {
  scratch=$(readlink "$data/scratch" 2>/dev/null)
  [ "$(cat "$scratch/owner" 2>/dev/null)" != "$data" ] || rm -rf "$scratch"
  rm -f "$data/scratch"
  for scratch in "${TMPDIR-/dev/shm}" /dev/shm /run /tmp; do
    scratch=$scratch/muster-agent.$$
    mkdir "$scratch" 2>/dev/null && echo "$data" 2>/dev/null >"$scratch/owner" && ln -s "$scratch" "$data/scratch" && return
  done
  scratch=$data
}

# The program that a Command checks its artifact with. Replaced as a whole, because one that a full disk left empty would
# accept anything.
write_check() {
  check=$data/bin/muster-check
  printf '#!/bin/sh\nexec sh %s check "$@"\n' "'$(printf '%s' "$self" | sed "s/'/'\\\\''/g")'" >"$scratch/check"
  cmp -s "$scratch/check" "$check" || { cp "$scratch/check" "$check.new" && mv "$check.new" "$check"; } ||
    fail "Cannot write $check: is the disk full?"
}

run() {
  others='start the agent with BusyBox ash, dash, bash, mksh or yash.'
  (ulimit -f 8192) 2>/dev/null || fail "This shell has no ulimit, without which an answer could fill the disk: $others"
  case ${KSH_VERSION-} in
    *93*) fail "This shell, ksh93, takes processes that run for ended when signals come, and would refuse jobs: $others" ;;
  esac
  if has curl; then
    client=curl
  elif wget --version 2>/dev/null | grep -q 'GNU Wget '; then
    client=wget
  else
    fail 'The agent needs curl 7.55 or newer, or GNU wget: run "opkg install curl", "apk add curl", "apt install curl" or "dnf install curl". The wget of BusyBox and of OpenWrt shows the device key in the process list, and Wget2 takes a part of an answer for the whole.'
  fi
  mkdir -p "$data/queue" "$data/bin" && data=$(cd -P "$data" && pwd -P) || fail "Cannot use the folder $data."
  make_scratch
  jobs=$data/queue headers=$scratch/headers tmp=$scratch/tmp.agent.$$ # a request of an agent that was killed may still write to its own
  rm -rf "$data/new" "$data/old" "$data"/tmp.*
  touch "$data/settled" "$data/mark" && flush "$data" || fail "Cannot write to $data."
  write_check
  is_reached= child= timer= courier= current= unused_key= said=
  trap 'finish 0' TERM INT
  trap : USR1
  [ -s "$key_file" ] || [ -z "$enrol_key$enrol_key_file$pair" ] || get_key
  first_line "$key_file" || fail "The key file $key_file cannot be read, or is empty."
  key=$line
  [ -z "$enrol_key_file" ] || rm -f "$enrol_key_file"
  case $key in
    *[!A-Za-z0-9._~+/=-]*) fail "The file $key_file holds no device key." ;;
  esac
  greet
  next_look=$((greeted + FACTS_EVERY))
  # Those that were not started run if the service still wants it. The others are reported as they are.
  for each in "$jobs"/*; do
    [ ! -d "$each" ] || [ -h "$each/lock" ] || confirm "$each"
  done
  while :; do
    start_next
    renew_facts
    set -- "$jobs"/*
    id_of "$1"
    [ -d "$1" ] || id=
    wait_for=$poll
    [ "$#" -lt 2 ] || wait_for=2
    now
    asked_at=$seconds on_wake=start_next
    ask GET "next?wait=$wait_for&running=$id" $((wait_for + 30))
    on_wake=:
    reached
    now
    # A proxy that answers at once must not make this a loop without a pause.
    handle || [ "$seconds" -gt "$asked_at" ] || sleep 1
  done
}

main() {
  server= key_file= data= enrol_key=${ENROL_KEY-} enrol_key_file= pair= api= content_type= on_wake=: role=agent install=${MUSTER_INSTALL-} shell=${MUSTER_SHELL:-sh} given_umask=$(umask)
  unset MUSTER_FACTS_EVERY MUSTER_INSTALL DEVICE_KEY ENROL_KEY MUSTER_JOB_ID MUSTER_TEMP MUSTER_CHECK MUSTER_FETCH
  boot=
  read -r boot 2>/dev/null </proc/sys/kernel/random/boot_id
  umask 077
  case ${1-} in
    supervise) supervise "$2" && exit ;;
    check) shift && check_artifact "$@" && exit ;;
  esac
  while [ "$#" -gt 0 ]; do
    case $1:${2-} in
      --server:?*) server=${2%/} ;;
      --key-file:?*) key_file=$2 ;;
      --data:?*) data=$2 ;;
      --enrol-key-file:?*) enrol_key_file=$2 ;;
      --pair:*) pair=yes && shift && continue ;;
      --version:) echo "$VERSION" && exit ;;
      --help:) usage && exit ;;
      *) fail "$1 is no option, or lacks its value; --help lists all options." ;;
    esac
    shift 2
  done
  [ -n "$server" ] && [ -n "$data" ] || fail 'Needs --server and --data; --help explains.'
  : "${key_file:=$data/key}"
  case $server in
    *[[:space:]\"\\]*) fail "The address of the service may not hold blanks or quotes: $server" ;;
    http://?* | https://?*) ;;
    *) fail "The address of the service must begin with http:// or https://: $server" ;;
  esac
  run
}

main "$@"
