#!/bin/sh
# Makes this machine a device of a Muster service: fetches the agent, keeps its key, starts it.
#
#   curl -fsSL <service>/install.sh | DEVICE_KEY=<key> sh
#   curl -fsSL <service>/install.sh | DEVICE_KEY=<key> sh -s -- --foreground
#
# Plain POSIX sh. All of it is inside functions, so that a download that was cut off runs nothing at all.

server='{{PUBLIC_URL}}'

usage() {
  cat <<'USAGE'
Makes this machine a device of a Muster service. Needs Node.js 20 or newer.

  --key-file FILE   file that holds the device key
  --key KEY         the device key itself; it shows in the process list while this runs, so better use
                    DEVICE_KEY=<key> in the environment. With none of them you are asked for it.
  --server URL      address of the service, where it is not the one this script came from
  --dir DIR         folder for the agent; by default one for each device, in /opt/muster for root, else in ~/.muster
                    (MUSTER_HOME=<folder> puts them elsewhere)
  --foreground      do not install a background service: run here until Ctrl-C
  --no-systemd      run in the background without systemd, even where it could be used
  --help            print this text
USAGE
}

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

# Printed so that a shell reads back exactly the value.
quote() {
  printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# A program's full path: a service manager has no PATH of ours.
find_node() {
  for candidate in node nodejs; do
    if has "$candidate"; then
      node=$("$candidate" -p process.execPath) || continue
      found=$("$node" -p process.versions.node) || continue
      [ "${found%%.*}" -ge 20 ] && return
      old=$found
    fi
  done
  fail "The agent needs Node.js 20 or newer; this machine has ${old:-none}." \
    'Install it (https://nodejs.org, or your package manager), then run this again.'
}

read_key() {
  if [ -n "$key_file" ]; then
    [ -r "$key_file" ] || fail "The key file $key_file cannot be read."
    key=$(cat "$key_file") || exit 1
  elif [ -n "${DEVICE_KEY-}" ]; then
    key=$DEVICE_KEY
  elif [ -z "$key" ]; then
    # Standard input is this script, when it comes through a pipe.
    (: </dev/tty) 2>/dev/null ||
      fail 'There is no device key: put DEVICE_KEY=<key> before "sh", or use --key-file FILE.' \
        'The dashboard shows the key when the device is created, and makes a new one on the page of the device.'
    printf 'Device key: ' >/dev/tty
    stty -echo </dev/tty 2>/dev/null
    IFS= read -r key </dev/tty
    stty echo </dev/tty 2>/dev/null
    printf '\n' >/dev/tty
  fi
  # Whatever is started from here on has no need to know it.
  unset DEVICE_KEY
  case $key in
    '') fail 'The device key is empty.' ;;
    *[!A-Za-z0-9._~+/=-]*) fail 'That is no device key: copy it again, whole and without quotes.' ;;
  esac
}

# The same key means the same folder, so running this twice renews one installation. The name does not give it away.
name_of_key() {
  KEY=$key "$node" -e 'console.log(require("crypto").createHash("sha256").update(process.env.KEY).digest("hex").slice(0, 12))'
}

choose_folder() {
  name=$(name_of_key) || exit 1
  if [ -z "$dir" ]; then
    if [ -n "${MUSTER_HOME-}" ]; then
      dir=$MUSTER_HOME/$name
    elif [ "$(id -u)" = 0 ]; then
      dir=/opt/muster/$name
    else
      [ -n "${HOME-}" ] || fail 'HOME is not set: say with --dir DIR where the agent shall live.'
      dir=$HOME/.muster/$name
    fi
  fi
  case $dir in
    /*) ;;
    *) dir=$(pwd)/$dir ;;
  esac
  case $dir in
    *'
'*) fail 'The name of the folder may not have more than one line.' ;;
  esac
  mkdir -p "$dir" && chmod 700 "$dir" || fail "Cannot make or use the folder $dir."
}

fetch() {
  url=$server/agent.mjs
  if has curl; then
    curl -fsSL --connect-timeout 30 -o "$dir/agent.new" "$url"
  elif has wget; then
    wget -q -T 30 -O "$dir/agent.new" "$url"
  else
    FROM=$url TO=$dir/agent.new "$node" -e '
      fetch(process.env.FROM).then(async (response) => {
        if (!response.ok) throw new Error(response.status);
        require("fs").writeFileSync(process.env.TO, Buffer.from(await response.arrayBuffer()));
      }).catch((error) => { console.error(String(error)); process.exitCode = 1; })'
  fi || {
    rm -f "$dir/agent.new"
    fail "Cannot fetch $url: is the service running, and can this machine reach it?"
  }
  # A proxy's or portal's page is no agent.
  mv "$dir/agent.new" "$dir/agent.new.mjs"
  "$node" --check "$dir/agent.new.mjs" 2>/dev/null || {
    rm -f "$dir/agent.new.mjs"
    fail "$url did not answer with the agent. Open it in a browser to see what it says."
  }
  mv "$dir/agent.new.mjs" "$dir/agent.mjs"
}

with_systemd() {
  [ "$systemd" = yes ] && [ "$(id -u)" = 0 ] && has systemctl || return 1
  case $(systemctl is-system-running 2>/dev/null) in
    running | degraded | starting | initializing | maintenance) return 0 ;;
    *) return 1 ;;
  esac
}

# A path as systemd wants it within double quotes.
unit_path() {
  printf '%s' "$1" | sed 's/[\\"]/\\&/g; s/%/%%/g; s/\$/$$/g'
}

write_unit() {
  cat >"$units/$unit" <<UNIT
[Unit]
Description=Muster agent, device of $(printf '%s' "$server" | sed 's/%/%%/g')
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Environment="HOME=$(unit_path "${HOME:-/root}")"
ExecStart=/bin/sh "$(unit_path "$dir/muster-agent")" run
Restart=always
RestartSec=5
# 2: the service refused the key. 3: another agent took over. Trying again would change neither.
RestartPreventExitStatus=2 3
# A job goes on while the agent is restarted or renewed.
KillMode=process

[Install]
WantedBy=multi-user.target
UNIT
}

# The installation's own program: what the lines at the end of this script tell the person to use.
write_control() {
  {
    printf 'server=%s\nnode=%s\nunit=%s\nunits=%s\n' \
      "$(quote "$server")" "$(quote "$node")" "$(quote "$unit")" "$(quote "$units")"
  } >"$dir/settings.sh"
  cat >"$dir/muster-agent" <<'CONTROL'
#!/bin/sh
# Starts, stops, shows or removes the Muster agent in this folder.
dir=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$dir/settings.sh"

# Leaves the whole command line in "$@", to be run by whoever calls it.
as_agent() {
  set -- "$@" "$node" "$dir/agent.mjs" --server "$server" --key-file "$dir/key" --data "$dir/data"
  [ ! -f "$dir/tunnels.json" ] || set -- "$@" --config "$dir/tunnels.json"
  "$@" </dev/null
}

run() {
  as_agent exec
}

# Whether the process we once started is still it, and not another with its number.
running() {
  pid=$(cat "$dir/agent.pid" 2>/dev/null) || return 1
  case $pid in
    '' | *[!0-9]*) return 1 ;;
  esac
  kill -0 "$pid" 2>/dev/null || return 1
  if [ -r "/proc/$pid/cmdline" ]; then
    args=$(tr '\0' ' ' <"/proc/$pid/cmdline")
  else
    args=$(ps -p "$pid" -o args= 2>/dev/null)
  fi
  case $args in
    *"$dir/agent.mjs"*) return 0 ;;
    *) return 1 ;;
  esac
}

start() {
  if [ -n "$unit" ]; then
    systemctl start "$unit"
    return
  fi
  running && return
  if [ -f "$dir/agent.log" ] && [ "$(wc -c <"$dir/agent.log")" -gt 1000000 ]; then
    mv "$dir/agent.log" "$dir/agent.log.old"
  fi
  as_agent exec nohup >>"$dir/agent.log" 2>&1 &
  echo "$!" >"$dir/agent.pid"
}

stop() {
  if [ -n "$unit" ]; then
    systemctl stop "$unit"
    return
  fi
  running || return 0
  kill "$pid"
  waited=0
  while running; do
    [ "$waited" -lt 10 ] || kill -9 "$pid"
    waited=$((waited + 1))
    sleep 1
  done
}

# Names what can be reached through tunnels; nothing is taken away, and a slip of the finger stops no agent.
tunnel() {
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

status() {
  if [ -n "$unit" ]; then
    systemctl status --no-pager "$unit"
  elif running; then
    echo "running, process $pid; last of $dir/agent.log:"
    tail -n 5 "$dir/agent.log"
  else
    echo "not running; last of $dir/agent.log:"
    tail -n 5 "$dir/agent.log"
    return 3
  fi
}

remove() {
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
  run | start | stop | status | remove) "$1" ;;
  restart) stop && start ;;
  tunnel)
    shift
    tunnel "$@"
    ;;
  *)
    echo "usage: sh $0 start | stop | restart | status | tunnel [ADDRESS …] | remove | run" >&2
    exit 64
    ;;
esac
CONTROL
}

# The first seconds tell a mistyped key or a wrong address; after them the agent goes on by itself.
see_it_start() {
  tries=0
  while [ "$tries" -lt 5 ]; do
    sleep 1
    tries=$((tries + 1))
    sh "$dir/muster-agent" status >"$dir/start.txt" 2>&1 || {
      cat "$dir/start.txt" >&2
      rm -f "$dir/start.txt"
      fail '' 'The agent did not stay up; see above.'
    }
    if grep -q 'Connected to' "$dir/start.txt"; then
      rm -f "$dir/start.txt"
      return
    fi
  done
  rm -f "$dir/start.txt"
  echo "It has not reached $server yet, and keeps trying."
}

main() {
  key='' key_file='' dir='' mode=background systemd=yes unit='' units=${UNIT_DIR:-/etc/systemd/system}
  while [ "$#" -gt 0 ]; do
    case $1 in
      --key-file | --key | --server | --dir)
        [ "$#" -gt 1 ] || fail "$1 needs a value; --help explains."
        case $1 in
          --key-file) key_file=$2 ;;
          --key) key=$2 ;;
          --server) server=${2%/} ;;
          --dir) dir=$2 ;;
        esac
        shift 2
        ;;
      --foreground) mode=foreground && shift ;;
      --no-systemd) systemd=no && shift ;;
      --help | -h) usage && exit 0 ;;
      *) fail "There is no option $1; --help lists them all." ;;
    esac
  done
  case $server in
    *[[:space:]]*) fail "The address of the service is \"$server\", but it may not hold blanks." ;;
    http://?* | https://?*) ;;
    *) fail "The address of the service is \"$server\", but it must begin with http:// or https://." ;;
  esac

  find_node
  read_key
  choose_folder
  # What is written here is for the owner alone. Jobs get the umask that was.
  before=$(umask)
  umask 077
  [ ! -f "$dir/muster-agent" ] || sh "$dir/muster-agent" stop
  fetch
  printf '%s\n' "$key" >"$dir/key.new" && chmod 600 "$dir/key.new" && mv "$dir/key.new" "$dir/key" ||
    fail "Cannot write to $dir."
  was=$(sed -n "s/^unit='\(.*\)'\$/\1/p" "$dir/settings.sh" 2>/dev/null)
  if [ "$mode" = foreground ]; then
    unit=$was
  elif with_systemd; then
    unit=${was:-muster-agent-$name.service}
  fi
  if [ -n "$was" ] && [ -z "$unit" ]; then
    systemctl disable --quiet "$was"
    rm -f "$units/$was"
  fi
  write_control
  if [ "$mode" = background ] && [ -n "$unit" ]; then
    umask 022
    write_unit
    systemctl daemon-reload && systemctl enable --quiet "$unit" || fail "systemd did not accept $units/$unit."
  fi
  umask "$before"

  if [ "$mode" = foreground ]; then
    echo "The agent is in $dir; Ctrl-C ends it."
    exec sh "$dir/muster-agent" run
  fi
  rm -f "$dir/agent.log"
  sh "$dir/muster-agent" start || fail 'The agent could not be started.'
  see_it_start
  echo "The agent runs, from $dir. Now and later:"
  echo "  sh $(quote "$dir/muster-agent") status | stop | start | restart | tunnel ADDRESS | remove"
  if [ -n "$unit" ]; then
    echo "It is the systemd unit $unit: it starts with the machine; journalctl -u $unit shows what it says."
  else
    echo "It does not start with the machine by itself. For that, add this line with \"crontab -e\":"
    echo "  @reboot sh $(quote "$dir/muster-agent") start"
  fi
}

main "$@"
