#!/bin/sh
# Starts, stops, shows or removes the Muster agent in this folder. As `run` it is what stays: it starts the agent again
# whenever that ends, and after an update sees that the new one reaches the service, or goes back to the one before it.
dir=$(cd "$(dirname "$0")" && pwd) || exit 1
program=agent.mjs # of settings from before there was another
. "$dir/settings.sh"
# Seconds that a new agent has to reach the service.
trial=${MUSTER_TRIAL_SECONDS:-60}

as_agent() {
  [ ! -f "$dir/proxy.sh" ] || . "$dir/proxy.sh"
  key_option=--key-file key_file=$dir/key
  # The key of a device that joined by itself is among its data.
  [ -f "$key_file" ] || key_option=--enrol-key-file key_file=$dir/enrol-key
  if [ ! -f "$key_file" ] && [ "${pair:-no}" = yes ]; then set -- --pair; else set -- "$key_option" "$key_file"; fi
  set -- "$dir/$program" --server "$server" "$@" --data "$dir/data"
  export MUSTER_INSTALL="$dir"
  [ "$program" = agent.mjs ] || exec sh "$@" </dev/null
  [ ! -f "$dir/tunnels.json" ] || set -- "$@" --config "$dir/tunnels.json"
  # Not an option: an agent of a version without it, put back by an update, would refuse to start.
  MUSTER_ALLOW_TUNNELS=$(cat "$dir/allow-tunnels" 2>/dev/null)
  export MUSTER_ALLOW_TUNNELS
  exec "$node" "$@" </dev/null
}

# Whether the process with the number in this file is still ours, and not another that got its number.
ours() {
  pid=$(cat "$dir/$1" 2>/dev/null) || return 1
  case $pid in
    '' | *[!0-9]*) return 1 ;;
  esac
  kill -0 "$pid" 2>/dev/null || return 1
  if [ -r "/proc/$pid/cmdline" ]; then
    # It may end right now.
    args=$({ tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null) || args=''
  else
    args=$(ps -p "$pid" -o args= 2>/dev/null)
  fi
  case $args in
    *"$dir/muster-agent run"* | *"$dir/agent.mjs"* | *"$dir/agent.sh"*) return 0 ;;
    *) return 1 ;;
  esac
}

running() {
  ours agent.pid
}

# The exit code of the agent, once it has ended. A signal to this script only interrupts the waiting.
await_agent() {
  while :; do
    wait "$child"
    code=$?
    kill -0 "$child" 2>/dev/null || break
  done
}

# What an update has set aside takes its place again.
restore() {
  # How the machine starts it is not a matter of the version.
  [ ! -f "$dir/previous/settings.sh" ] || {
    { grep -v '^units\{0,1\}=' "$dir/previous/settings.sh"; grep '^units\{0,1\}=' "$dir/settings.sh"; } >"$dir/settings.new" &&
      mv "$dir/settings.new" "$dir/previous/settings.sh"
  }
  # trust.json: with the Sequence of that agent, so that updates begin from there.
  for file in agent.mjs agent.sh muster-agent settings.sh key enrol-key data/trust.json; do
    [ ! -f "$dir/previous/${file##*/}" ] || mv "$dir/previous/${file##*/}" "$dir/$file" || return
  done
  rm -rf "$dir/trial" "$dir/previous"
}

go_back() {
  echo "The new agent is given up: $1. The one before it goes on." >&2
  { cat "$dir/trial"; printf '%s\n' "$1"; } >"$dir/update-failed.new" && mv "$dir/update-failed.new" "$dir/update-failed"
  restore
  exec sh "$dir/muster-agent" run
}

# A new agent has to reach the service, else the one before it goes on.
watch_trial() {
  left=$trial
  while [ ! -f "$dir/connected" ]; do
    # The trial goes on at the next start.
    [ -z "$stopping" ] || return
    if ! kill -0 "$child" 2>/dev/null; then
      await_agent
      go_back "it ended with exit code $code before it reached $server"
    fi
    if [ "$left" -le 0 ]; then
      kill -9 "$child"
      await_agent
      go_back "it did not reach $server within $trial seconds"
    fi
    left=$((left - 1))
    sleep 1
  done
  rm -f "$dir/trial"
}

run() {
  echo "$$" >"$dir/agent.pid"
  rm -f "$dir/ended"
  child='' stopping='' pause=1
  trap 'stopping=yes; [ -z "$child" ] || kill "$child" 2>/dev/null' TERM INT
  while :; do
    rm -f "$dir/connected"
    began=$(date +%s)
    as_agent &
    child=$!
    echo "$child" >"$dir/child.pid"
    # A signal that came before its number was known.
    [ -z "$stopping" ] || kill "$child" 2>/dev/null
    [ ! -f "$dir/trial" ] || [ ! -d "$dir/previous" ] || watch_trial
    await_agent
    child=''
    [ -z "$stopping" ] || exit "$code"
    case $code in
      # The service refused the key, or another agent took over: starting again would change neither.
      2 | 3)
        [ "$(cat "$dir/agent.pid")" != "$$" ] || echo "$code" >"$dir/ended"
        exit "$code"
        ;;
      # It replaced itself, perhaps with its Node.js.
      4) . "$dir/settings.sh" && continue ;;
    esac
    [ $(($(date +%s) - began)) -lt 60 ] || pause=1
    echo "The agent ended with exit code $code; it is started again in $pause seconds." >&2
    sleep "$pause" &
    wait "$!"
    [ -z "$stopping" ] || exit "$code"
    [ "$pause" -ge 60 ] || pause=$((pause * 2))
  done
}

start() {
  rm -f "$dir/ended"
  if [ -n "$unit" ]; then
    systemctl start "$unit"
    return
  fi
  running && return
  if [ -f "$dir/agent.log" ] && [ "$(wc -c <"$dir/agent.log")" -gt 1000000 ]; then
    mv "$dir/agent.log" "$dir/agent.log.old"
  fi
  # As nohup does, which BusyBox may lack.
  (trap '' HUP && exec sh "$dir/muster-agent" run) >>"$dir/agent.log" 2>&1 </dev/null &
  echo "$!" >"$dir/agent.pid"
}

# For cron: it starts again what is gone, and not what was stopped or refused.
keep() {
  PATH=${PATH:+$PATH:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  [ -n "$unit" ] || [ -f "$dir/ended" ] || start
}

stop() {
  if [ -n "$unit" ]; then
    systemctl stop "$unit"
    return
  fi
  echo stopped >"$dir/ended"
  waited=0
  # The second: an agent that lost its `run`.
  for file in agent.pid child.pid; do
    ours "$file" || continue
    kill "$pid"
    while ours "$file"; do
      [ "$waited" -lt 50 ] || kill -9 "$pid"
      waited=$((waited + 1))
      # A moment, where this machine's sleep knows fractions.
      sleep 0.2 2>/dev/null || sleep 1
    done
  done
}

# Goes back to the agent before the last update, by hand.
back() {
  [ -d "$dir/previous" ] || {
    echo 'There is no agent to go back to: none was updated here, or it was gone back from already.' >&2
    return 1
  }
  stop && restore && sh "$dir/muster-agent" start
}

# Puts the lines into crontab that start the agent with the machine, and again when it is gone; `off` takes them out.
cron() {
  command -v crontab >/dev/null 2>&1 || return 1
  table=$(LC_ALL=C crontab -l 2>"$dir/cron.err") || {
    # Whoever has none yet. With any other fault, what is written would take the place of lines that could not be read.
    grep -qi -e 'no crontab' -e 'no such file' "$dir/cron.err" || return 1
    table=''
  }
  command=$(printf "sh '%s'" "$(printf '%s' "$dir/muster-agent" | sed "s/'/'\\\\''/g; s/%/\\\\%/g")")
  wanted=$(
    printf '%s\n' "$table" | grep -vF "$command"
    [ "$1" = off ] || printf '%s\n' "@reboot $command start >/dev/null 2>&1" "* * * * * $command keep >/dev/null 2>&1"
  )
  [ "$table" = "$wanted" ] || printf '%s\n' "$wanted" | crontab - 2>"$dir/cron.err"
}

# Fails with the reason for an agent that has none.
has_tunnels() {
  [ "$program" = agent.mjs ] && return
  echo 'This device has the agent of plain sh, which has no tunnels.' >&2
  return 1
}

# Names what can be reached through tunnels; nothing is taken away, and a slip of the finger stops no agent.
tunnel() {
  has_tunnels || return
  if [ "$#" -gt 0 ]; then
    FILE="$dir/tunnels.json" "$node" -e '
      const { existsSync, readFileSync, renameSync, writeFileSync } = require("fs");
      const { FILE } = process.env;
      const config = existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : { tunnels: [] };
      for (const to of process.argv.slice(1)) {
        if (!/^(http|tcp):\/\/[\w.:[\]-]+:\d{1,5}$/.test(to))
          throw `"${to}" is no address like http://127.0.0.1:3000 or tcp://127.0.0.1:22`;
        if (!config.tunnels.some((one) => (one.to ?? one) === to)) config.tunnels.push(to);
      }
      writeFileSync(FILE + ".new", JSON.stringify(config, null, 2) + "\n", { mode: 0o600 });
      renameSync(FILE + ".new", FILE);
    ' -- "$@" 2>"$dir/tunnel.err" || {
      grep -m 1 -e 'is no address' -e 'Error:' "$dir/tunnel.err" >&2
      rm -f "$dir/tunnel.err"
      return 1
    }
    rm -f "$dir/tunnel.err"
    stop && start || return
  fi
  [ ! -f "$dir/tunnels.json" ] || cat "$dir/tunnels.json"
}

# What the service may open tunnels to by itself; without a list, shows it. A list that means nothing changes nothing.
allow_tunnels() {
  has_tunnels || return
  if [ "$#" -gt 0 ]; then
    "$node" "$dir/agent.mjs" --allow-tunnels "$1" --version >/dev/null 2>"$dir/tunnel.err" || {
      head -n 1 "$dir/tunnel.err" >&2
      rm -f "$dir/tunnel.err"
      return 1
    }
    rm -f "$dir/tunnel.err"
    printf '%s\n' "$1" >"$dir/allow-tunnels.new" && mv "$dir/allow-tunnels.new" "$dir/allow-tunnels" || return
    stop && start || return
  fi
  cat "$dir/allow-tunnels" 2>/dev/null || echo none
}

status() {
  if [ -n "$unit" ]; then
    systemctl status --no-pager "$unit"
    return
  fi
  if running; then
    reached=not
    [ ! -f "$dir/connected" ] || reached="version $(cat "$dir/connected"),"
    echo "running, process $pid; $reached connected to $server; last of $dir/agent.log:"
    tail -n 5 "$dir/agent.log"
  else
    echo "not running; last of $dir/agent.log:"
    tail -n 5 "$dir/agent.log"
    return 3
  fi
}

remove() {
  cron off
  stop
  if [ -n "$unit" ]; then
    systemctl disable "$unit" 2>/dev/null
    rm -f "$units/$unit"
    systemctl daemon-reload
  fi
  rm -rf "$dir"
  echo "The agent is removed from $dir. The device itself is deleted on the dashboard."
}

case ${1-} in
  run | start | stop | status | back | keep | remove) "$1" ;;
  restart) stop && start ;;
  cron | tunnel) "$@" ;;
  allow-tunnels)
    shift
    allow_tunnels "$@"
    ;;
  *)
    echo "usage: sh $0 start | stop | restart | status | tunnel [ADDRESS]... | allow-tunnels [LIST] | back | remove | run" >&2
    exit 64
    ;;
esac
