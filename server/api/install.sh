#!/bin/sh
# Makes this machine a device of a Muster service: fetches the agent, keeps its key, starts it.
#
#   curl -fsSL <service>/install.sh | DEVICE_KEY=<key> sh
#   curl -fsSL <service>/install.sh | DEVICE_KEY=<key> sh -s -- --foreground
#   curl -fsSL <service>/install.sh | ENROL_KEY=<key> sh
#   curl -fsSL <service>/install.sh | sh -s -- --pair
#   curl -fsSL <service>/install.sh | sh -s -- --update
#
# Plain POSIX sh. All of it is inside functions, so that a download that was cut off runs nothing at all.

server='{{PUBLIC_URL}}'
# Of the agents that the service has published there: the one for Node.js, and the one of plain sh.
node_sha256='{{AGENT_SHA256}}'
node_size='{{AGENT_SIZE}}'
sh_sha256='{{SH_AGENT_SHA256}}'
sh_size='{{SH_AGENT_SIZE}}'
# Node.js for devices that have none: version, size and SHA-256 of the compressed program; nothing where the service has none.
runtime_x64='{{RUNTIME_LINUX_X64}}'
runtime_arm64='{{RUNTIME_LINUX_ARM64}}'
# Its place in the order of builds, and the key that updates are signed with.
sequence='{{AGENT_SEQUENCE}}'
update_key='{{UPDATE_KEY}}'

usage() {
  cat <<'USAGE'
Makes this machine a device of a Muster service. The agent runs under Node.js 20 or newer: this machine's, or one that
the service brings along (Linux with glibc, x64 and arm64). Where neither can be (musl, 32-bit, MIPS, RISC-V, less than
128 MB of memory), it is an agent of plain sh, which runs jobs and reports facts, but has no tunnels.

  --key-file FILE   file that holds the device key
  --key KEY         the device key itself; it shows in the process list while this runs, so better use
                    DEVICE_KEY=<key> in the environment. With none of them you are asked for it.
  --enrol-key-file FILE
                    file that holds an enrolment key, or ENROL_KEY=<key> in the environment: at its first start the
                    agent changes it for a device key of its own, and deletes the copy that is kept here for that
  --pair            without a key: the agent shows a code, which a person types in the dashboard
  --server URL      another address of the service that this script came from
  --insecure        use a plain http address of another host, although whoever is between this machine and the
                    service can read the device key and change what is installed
  --dir DIR         folder for the agent; by default one for each device, in /opt/muster for root, else in ~/.muster
                    (MUSTER_HOME=<folder> puts them elsewhere)
  --allow-tunnels LIST
                    what the service may open tunnels to by itself: none (the default), loopback (this device's own
                    ports), or addresses like 192.168.1.20:80 with commas between them
  --update          renew every agent that is installed here already, each with its own key and address;
                    what it allows stays as it is
  --sh              the agent of plain sh in any case; it needs curl, or GNU wget
  --foreground      do not install a background service: run here until Ctrl-C
  --no-systemd      run in the background without systemd, even where it could be used
  --no-cron         without systemd, do not add the lines to crontab that start it again
  --help            print this text

A proxy that http_proxy, https_proxy, all_proxy and no_proxy name in the environment is used here, and kept for the agent.
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

# A program's full path: a service manager has no PATH of ours. The one of before may be in no PATH that is known here.
find_node() {
  for candidate in node nodejs "$own"; do
    if has "$candidate"; then
      node=$("$candidate" -p process.execPath) || continue
      found=$("$node" -p process.versions.node) || continue
      [ "${found%%.*}" -ge 20 ] && return
      old=$found
    fi
  done
  return 1
}

# Whether Node.js has no build for this machine, or no room on it; says why.
cannot_have_node() {
  case $(uname -m) in
    x86_64 | amd64 | aarch64 | arm64 | ppc64le | s390x) ;;
    *) echo "for $(uname -m)" && return ;;
  esac
  # By what its own programs are linked with: a Debian may have musl beside its own library.
  grep -qs /ld-musl- /bin/sh && echo 'with musl' && return
  # A kernel of 64 bits may have programs of 32 bits only.
  [ -z "$loader" ] || [ -e "$loader" ] || [ "$(uname -s)" != Linux ] || { echo 'for programs of 32 bits' && return; }
  memory=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo 2>/dev/null)
  # By its digits first: some shells count to 2^31 only.
  [ "${#memory}" -lt 7 ] && [ "${memory:-999999}" -lt 131072 ] && echo 'in less than 128 MB of memory'
}

# What the service has for this machine; `lack` is why it cannot be had.
find_runtime() {
  lack=''
  [ -n "$offered" ] || lack="the service has none for $platform"
  [ -e "$loader" ] || lack='the one of the service is for Linux with glibc'
  has gzip || lack='no gzip to unpack the one of the service'
  has curl || has wget || lack='neither curl nor wget to fetch the one of the service'
  [ -n "$(echo | sha256)" ] || lack='no program that computes a SHA-256 to check the one of the service'
  runtime=$offered
  [ -z "$lack" ]
}

choose_agent() {
  case $(uname -m) in
    x86_64 | amd64) platform=linux-x64 offered=$runtime_x64 loader=/lib64/ld-linux-x86-64.so.2 ;;
    aarch64 | arm64) platform=linux-arm64 offered=$runtime_arm64 loader=/lib/ld-linux-aarch64.so.1 ;;
    *) platform=linux-$(uname -m) offered='' loader='' ;;
  esac
  # Of an agent that is renewed.
  brought='' own=$node
  case $own in
    "$dir"/runtime/*) brought=$own own='' ;;
  esac
  if [ "$program" = agent.sh ]; then
    use_sh
  elif find_node; then
    program=agent.mjs
  elif why=$(cannot_have_node); then
    use_sh "$why"
  elif find_runtime; then
    program=agent.mjs
  elif [ -x "$brought" ]; then
    # The service has it no longer.
    program=agent.mjs node=$brought runtime=''
  else
    fail "The agent needs Node.js 20 or newer; this machine has ${old:-none}, and $lack." \
      'Install Node.js (https://nodejs.org, or your package manager), then run this again; "npm run runtimes" on the service' \
      'lets it bring Node.js along to Linux with glibc, x64 and arm64. Or repeat this with --sh at the end (through a pipe:' \
      'sh -s -- --sh) for the agent of plain sh, which needs no Node.js, and has no tunnels.'
  fi
  [ "$program" = agent.sh ] || sha256=$node_sha256 size=$node_size
}

# The command of this system that adds a package, in parentheses.
how_to_add() {
  for each in 'opkg update && opkg install' 'apk -U add' 'apt-get install' 'dnf install' 'yum install' 'zypper install' 'pacman -S' 'xbps-install -S'; do
    has "${each%% *}" && echo " ($each $1)" && return
  done
}

# The agent of plain sh; where Node.js was wanted, with why it is not that.
use_sh() {
  [ "$#" = 0 ] || echo "Node.js cannot be had $1, so this device gets the agent of plain sh, which has no tunnels."
  program=agent.sh sha256=$sh_sha256 size=$sh_size node='' runtime=''
  has curl || wget --version 2>/dev/null | grep -q 'GNU Wget ' ||
    fail 'The agent of plain sh needs curl, or GNU wget: those of BusyBox and OpenWrt would show the device key in the process list,' \
      'and Wget2 takes a part of an answer for the whole.' \
      "Install curl$(how_to_add curl), then run this again."
  [ -n "$(echo | sha256)" ] ||
    fail "This machine has no program that computes a SHA-256: install openssl$(how_to_add openssl), then run this again."
  [ "$allow" = none ] || echo 'The agent of plain sh has no tunnels: --allow-tunnels changes nothing.'
  allow=none
}

# SHA-256 of its input, in hexadecimal.
sha256() {
  if has sha256sum; then
    sha256sum
  elif has shasum; then
    shasum -a 256
  elif has openssl; then
    openssl dgst -sha256 -r
  elif has busybox; then
    busybox sha256sum
  elif [ -n "$node" ]; then
    "$node" -e 'console.log(require("crypto").createHash("sha256").update(require("fs").readFileSync(0)).digest("hex"))'
  fi 2>/dev/null | cut -c 1-64
}

read_key() {
  if [ -n "$key_file" ]; then
    [ -r "$key_file" ] || fail "The key file $key_file cannot be read."
    key=$(cat "$key_file") || exit 1
  elif [ -n "${DEVICE_KEY-}" ]; then
    key=$DEVICE_KEY
  elif [ -n "$enrol_key_file" ]; then
    [ -r "$enrol_key_file" ] || fail "The enrolment key file $enrol_key_file cannot be read."
    enrol_key=$(cat "$enrol_key_file") || exit 1
  elif [ -n "${ENROL_KEY-}" ]; then
    enrol_key=$ENROL_KEY
  elif [ -z "$key" ] && [ "$pair" = no ]; then
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
  unset DEVICE_KEY ENROL_KEY
  what='device key'
  [ -z "$enrol_key" ] || what='enrolment key'
  case $key$enrol_key in
    '') [ "$pair" = yes ] || fail "The $what is empty." ;;
    *[!A-Za-z0-9._~+/=-]*) fail "That is no $what: copy it again, whole and without quotes." ;;
  esac
}

# The same key means the same folder, so running this twice renews one installation. The name does not give it away.
name_of_key() {
  name_from=$key$enrol_key
  sha256 <<KEY | cut -c 1-12
${name_from:-paired}
KEY
}

# Where the folders of agents are, one for each device.
base_folder() {
  if [ -n "${MUSTER_HOME-}" ]; then
    base=$MUSTER_HOME
  elif [ "$(id -u)" = 0 ]; then
    base=/opt/muster
  else
    [ -n "${HOME-}" ] || fail 'HOME is not set: say with --dir DIR where the agent shall live.'
    base=$HOME/.muster
  fi
}

# Fails where another user could lead root astray: each part of the path, up to the folder itself, must belong to root, and
# nobody else may write there (in a folder like /tmp, where names are safe from others, only the last part must not be).
trust() {
  [ "$(id -u)" = 0 ] || return 0
  case $1/ in
    */../*) fail "Name the folder $1 without \"..\"." ;;
  esac
  part='' left=${1#/}
  while [ -e "${part:-/}" ] || [ -h "${part:-/}" ]; do
    info=$(ls -ldn "${part:-/}") || exit 1
    read -r rights _ owner group _ <<INFO
$info
INFO
    [ "$owner" = 0 ] ||
      fail "root does not install into $1: ${part:-/} belongs to another user ($owner), who could put links there." \
        'Choose another folder with --dir, or run this as that user.'
    case $rights in
      l*) open=no ;;
      d????????[tT]*) [ -z "$left" ] && open=yes || open=no ;;
      d???????w*) open=yes ;;
      d????w*) [ "$group" = 0 ] && open=no || open=yes ;;
      *) open=no ;;
    esac
    [ "$open" = no ] ||
      fail "root does not install into $1: other users may write in ${part:-/}, and could put links there." \
        'Choose another folder with --dir, or take that right away from them.'
    [ -n "$left" ] || return 0
    part=$part/${left%%/*}
    case $left in
      */*) left=${left#*/} ;;
      *) left='' ;;
    esac
  done
}

choose_folder() {
  name=$(name_of_key) || exit 1
  if [ -z "$dir" ]; then
    base_folder
    dir=$base/$name
  fi
  case $dir in
    /*) ;;
    *) dir=$(pwd)/$dir ;;
  esac
  case $dir in
    *'
'*) fail 'The name of the folder may not have more than one line.' ;;
  esac
  trust "$dir"
  mkdir -p "$dir" || fail "Cannot make or use the folder $dir."
  real=$(cd -P "$dir" && pwd -P) || fail "Cannot make or use the folder $dir."
  trust "$real"
  chmod 700 "$dir" || fail "Cannot make or use the folder $dir."
}

# With plain http from another host, nobody knows who answers.
check_server() {
  [ "$insecure" = no ] || return 0
  host=${server#http://}
  host=${host%%[/?#]*}
  host=$(printf '%s' "${host##*@}" | tr A-Z a-z)
  case $server:$host in
    https://* | *':[::1]' | *':[::1]:'*) return ;;
  esac
  host=${host%%:*}
  case $host in
    localhost | *.localhost) return ;;
    127.*[!0-9.]*) ;;
    127.*) return ;;
  esac
  fail "$server is plain http: whoever is between this machine and the service can read the device key," \
    'put another program in place of the agent, and run what they want here.' \
    'Use an https address of the service. If you trust the network in between, repeat this with --insecure at the end' \
    '(through a pipe: sh -s -- --insecure).'
}

# What `--version` of the fetched agent prints, and its SHA-256. A proxy's or portal's page is no agent.
examine() {
  found=$(sha256 <"$new")
  [ "$found" = "$sha256" ] || {
    echo "it is another file than the service announced (SHA-256 $found, not $sha256)" >&2
    return 1
  }
  if [ "$program" = agent.sh ]; then
    version=$(sh "$new" --version)
  else
    version=$(FILE=$new "$node" -e '
      const { execFileSync } = require("child_process");
      const run = [process.env.FILE, "--version"];
      console.log(execFileSync(process.execPath, run, { timeout: 30000, encoding: "utf8" }).trim());')
  fi || return
  case $version in
    '' | *[!A-Za-z0-9_.+-]*)
      echo 'it does not tell its version' >&2
      return 1
      ;;
  esac
}

# download FILE SIZE WHAT: fetches $url into this file; fails for more bytes than that.
download() {
  (
    # An answer that never ends must not fill the disk. In blocks of 512 bytes, in some shells of 1024.
    ulimit -f $(($2 / 512 + 2))
    if has curl; then
      curl -fsSL --connect-timeout 30 -o "$1" "$url"
    elif has wget; then
      wget -q -T 30 -O "$1" "$url"
    else
      FROM=$url TO=$1 "$node" -e '
        const { openSync, writeSync } = require("fs");
        fetch(process.env.FROM).then(async (response) => {
          if (!response.ok) throw new Error(response.status);
          const file = openSync(process.env.TO, "w");
          for await (const piece of response.body) writeSync(file, piece);
        }).catch((error) => { console.error(String(error)); process.exitCode = 1; })'
    fi
  ) && [ -f "$1" ] || {
    # wget2 may say that all is well without a file.
    got=$(wc -c 2>/dev/null <"$1") || got=0
    rm -f "$1"
    [ "$got" -le "$2" ] || fail "$url sends more than the $2 bytes of $3. Nothing was installed."
    fail "Cannot fetch $url: is the service running, can this machine reach it, and is there room in $dir?"
  }
}

# Brings Node.js along, into a folder of its version that later agents share. It is checked before it is unpacked.
fetch_runtime() {
  [ -n "$runtime" ] || return 0
  # Version, size and SHA-256.
  set -- $runtime
  node=$dir/runtime/$1/node
  [ "$("$node" --version 2>/dev/null)" != "v$1" ] || return 0
  echo "This machine has no Node.js 20 or newer, so version $1 is fetched for the agent ($(($2 / 1000000)) MB, unpacked three times that)."
  url=$server/runtimes/node-$1-$platform.gz
  new=$dir/node.new
  download "$new.gz" "$2" 'Node.js'
  found=$(sha256 <"$new.gz")
  [ "$found" = "$3" ] || {
    rm -f "$new.gz"
    fail "$url is another file than the service announced (SHA-256 $found, not $3). Nothing was installed."
  }
  gzip -dc <"$new.gz" >"$new" && chmod 700 "$new" || {
    rm -f "$new" "$new.gz"
    fail "Node.js cannot be unpacked in $dir: is there room? Nothing was installed."
  }
  rm -f "$new.gz"
  found=$("$new" --version 2>&1)
  if [ "$found" = "v$1" ]; then
    mkdir -p "$dir/runtime/$1" && mv "$new" "$node" || fail "Cannot write to $dir."
  else
    rm -f "$new"
    use_sh "here ($(printf '%s\n' "$found" | head -n 1))"
  fi
}

# Of the versions of Node.js only those stay that this agent and the one before it use.
prune_runtimes() {
  for each in "$dir"/runtime/*; do
    grep -qsF "/runtime/${each##*/}/node'" "$dir/settings.sh" "$dir/previous/settings.sh" || rm -rf "$each"
  done
  rmdir "$dir/runtime" 2>/dev/null
}

# Fetches the agent beside the one that may run, and sees that it is whole and runs here. Nothing is replaced yet.
fetch() {
  url=$server/$program
  new=$dir/agent.new.${program##*.}
  download "$new" "$size" 'the agent'
  examine 2>"$dir/check.txt" || {
    why=$(grep -m 1 -e 'Error' -e '^it is' -e '^it does' "$dir/check.txt") || why=$(head -n 1 "$dir/check.txt")
    rm -f "$new" "$dir/check.txt"
    fail "$url did not answer with an agent that runs here: ${why:-it cannot be run}." \
      'Open it in a browser to see what it says. What was installed here before is as it was.' \
      "If $server is another service than $script_server, use the install.sh of that one."
  }
  rm -f "$dir/check.txt"
  digest=$sha256
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
    printf 'server=%s\nprogram=%s\nnode=%s\npair=%s\nunit=%s\nunits=%s\n' \
      "$(quote "$server")" "$program" "$(quote "$node")" "$pair" "$(quote "$unit")" "$(quote "$units")"
  } >"$dir/settings.sh.new"
  cat >"$dir/muster-agent.new" <<'CONTROL'
{{MUSTER_AGENT}}
CONTROL
}

# What the service may open tunnels to. Checked by the agent that will enforce it.
check_allowed() {
  [ "$allow" != none ] || return 0
  "$node" "$dir/agent.new.mjs" --allow-tunnels "$allow" --version >/dev/null 2>"$dir/check.txt" || {
    why=$(head -n 1 "$dir/check.txt")
    rm -f "$dir/check.txt" "$dir/agent.new.mjs"
    fail "$why"
  }
  rm -f "$dir/check.txt"
}

# Only who runs this on the device decides it: an update leaves it as it is.
write_allowed() {
  [ "$update" = no ] || return 0
  printf '%s\n' "$allow" >"$dir/allow-tunnels.new" && mv "$dir/allow-tunnels.new" "$dir/allow-tunnels"
}

# The proxy of this environment, under the names that curl, wget and both agents read: HTTP_PROXY some of them do not.
use_proxy() {
  proxied='' proxy_lines=''
  for name in http_proxy https_proxy all_proxy no_proxy; do
    upper=$(printf '%s' "$name" | tr a-z A-Z)
    eval "value=\${$name:-\${$upper-}}"
    [ -n "$value" ] || continue
    eval "$name=\$value"
    export "$name"
    [ "$name" = no_proxy ] || proxied="$proxied${proxied:+, }$name"
    proxy_lines="${proxy_lines}export $name=$(quote "$value")
"
  done
}

# A service manager and cron start the agent without the environment of today. It may hold a login: not for a unit, which
# everybody can read. Like what is allowed, an update leaves it as it is.
write_proxy() {
  [ "$update" = no ] || return 0
  [ -n "$proxied" ] || {
    rm -f "$dir/proxy.sh"
    return
  }
  printf '%s' "$proxy_lines" >"$dir/proxy.sh.new" && mv "$dir/proxy.sh.new" "$dir/proxy.sh" || return
  echo "The agent uses the proxy of this environment, too ($proxied): it is kept in $dir/proxy.sh, which only its owner can read."
}

# The files of an installation that an update replaces; the agent itself comes first.
files='agent.mjs agent.sh muster-agent settings.sh key enrol-key data/trust.json'

# An enrolment key is only there until the agent has changed it for a key of its own, which is among its data.
write_key() {
  if [ -n "$enrol_key" ]; then
    printf '%s\n' "$enrol_key" >"$dir/enrol-key.new"
  elif [ -n "$key" ]; then
    printf '%s\n' "$key" >"$dir/key.new"
  fi
}

# What the agent trusts from now on. Its Sequence may be lower than before: who installs decides.
write_trust() {
  mkdir -p "$dir/data" || return
  [ "$program" = agent.mjs ] && [ -n "$update_key" ] || return 0
  case $(cat "$dir/data/trust.json" 2>/dev/null) in
    '' | *"\"$update_key\""*) ;;
    *) echo 'The service signs updates with another key than the one this agent trusted before; from now on it trusts the new one.' ;;
  esac
  printf '{"Key":"%s","Sequence":%s}\n' "$update_key" "${sequence:-0}" >"$dir/data/trust.json.new"
}

# What runs now is kept until the new one has reached the service.
set_aside() {
  rm -rf "$dir/previous.new"
  mkdir "$dir/previous.new" || return
  for file in $files; do
    # An agent of before signatures has nothing that it trusts.
    [ ! -f "$dir/$file" ] || cp -p "$dir/$file" "$dir/previous.new/" || return
  done
  rm -rf "$dir/previous" && mv "$dir/previous.new" "$dir/previous" && printf '%s\n' "$version" "$digest" >"$dir/trial"
}

# The new one was stopped half-way, or could not be started.
put_back() {
  for file in $files; do
    [ ! -f "$dir/previous/${file##*/}" ] || cp -p "$dir/previous/${file##*/}" "$dir/$file"
  done
  rm -f "$dir/trial"
  [ ! -f "$dir/previous/muster-agent" ] || sh "$dir/muster-agent" start
  fail "$1" 'The agent that was here before goes on.'
}

# A moment, where this machine's sleep knows fractions.
nap() {
  sleep 0.2 2>/dev/null || sleep 1
}

# The first seconds tell a mistyped key or a wrong address; after them the agent goes on by itself.
see_it_start() {
  tries=0
  while [ "$tries" -lt 25 ]; do
    nap
    tries=$((tries + 1))
    [ ! -f "$dir/connected" ] || break
    sh "$dir/muster-agent" status >"$dir/start.txt" 2>&1 || {
      cat "$dir/start.txt" >&2
      rm -f "$dir/start.txt"
      fail '' 'The agent did not stay up; see above.'
    }
  done
  rm -f "$dir/start.txt"
  [ -f "$dir/connected" ] || if [ -f "$dir/data/pairing-code" ]; then
    echo "Pairing code: $(cat "$dir/data/pairing-code"). Type it in the dashboard, under Devices, Enrolment."
    echo "The agent shows another one every ten minutes, in its log and in $dir/data/pairing-code."
  elif [ -f "$dir/enrol-key" ]; then
    echo 'It has not joined yet: it may wait for approval in the dashboard, under Devices, Enrolment, and asks again by itself.'
  else
    echo "It has not reached $server yet, and keeps trying."
  fi
}

# `muster-agent run` ends the trial of a new agent one way or the other.
see_it_replace() {
  tries=0
  while [ -f "$dir/trial" ] && [ "$tries" -lt "$(((${MUSTER_TRIAL_SECONDS:-60} + 30) * 5))" ]; do
    nap
    tries=$((tries + 1))
  done
  [ ! -f "$dir/update-failed" ] || {
    sh "$dir/muster-agent" status >&2
    fail '' "Agent $version was given up: $(sed 1,2d "$dir/update-failed"). The one before it goes on."
  }
  if [ -f "$dir/trial" ]; then
    echo "Agent $version has not reached $server yet; if it does not, the one before it goes on."
  else
    echo "Agent $version has replaced the one before it."
  fi
}

# What starts it again: with the machine, and when it was ended.
tell_what_keeps_it() {
  if [ -n "$unit" ]; then
    echo "It is the systemd unit $unit: it starts with the machine; journalctl -u $unit shows what it says."
  elif [ "$cron" = yes ] && sh "$dir/muster-agent" cron on; then
    echo 'cron starts it with the machine, and within a minute when it is gone (crontab -l shows how).'
    names=$(ps -A -o comm= 2>/dev/null) && case $names in
      *cron*) ;;
      *) echo 'But no cron seems to run on this machine: see that it does.' ;;
    esac
  else
    echo 'Nothing starts it again when this machine restarts: there is no systemd here, and no crontab to be used.'
    echo "Have this run at the start of the machine: sh $(quote "$dir/muster-agent") start"
  fi
}

install() {
  choose_agent
  check_server
  read_key
  choose_folder
  # What is written here is for the owner alone. Jobs get the umask that was.
  before=$(umask)
  umask 077
  fetch_runtime
  fetch
  check_allowed
  was=$(sed -n "s/^unit='\(.*\)'\$/\1/p" "$dir/settings.sh" 2>/dev/null)
  if [ "$mode" = foreground ]; then
    unit=$was
  elif with_systemd; then
    unit=${was:-muster-agent-$name.service}
  else
    unit=''
  fi
  write_control && write_trust && write_key || fail "Cannot write to $dir."
  there=no up=yes
  if [ -f "$dir/settings.sh" ] && [ -f "$dir/muster-agent" ]; then
    there=yes
    sh "$dir/muster-agent" status >/dev/null 2>&1 || up=no
    set_aside || fail "Cannot write to $dir. The agent there goes on as it is."
  fi
  if [ "$mode" = background ] && [ -n "$unit" ]; then
    umask 022
    write_unit
    umask 077
    systemctl daemon-reload && systemctl enable --quiet "$unit" || fail "systemd did not accept $units/$unit."
  fi

  # All is at hand: from here to the start files are only renamed.
  sync
  [ "$there" = no ] || sh "$dir/muster-agent" stop || fail 'The agent could not be stopped, and goes on as it is.'
  mv "$new" "$dir/$program.new"
  rm -f "$dir/update-failed" "$dir/connected"
  for file in $files; do
    [ ! -f "$dir/$file.new" ] || mv "$dir/$file.new" "$dir/$file" || put_back "Cannot write to $dir."
  done
  write_allowed && write_proxy || put_back "Cannot write to $dir."
  prune_runtimes
  if [ -n "$was" ] && [ -z "$unit" ]; then
    systemctl disable --quiet "$was"
    rm -f "$units/$was"
  fi
  umask "$before"

  if [ "$mode" = foreground ]; then
    echo "The agent is in $dir; Ctrl-C ends it."
    exec sh "$dir/muster-agent" run
  fi
  if [ "$update" = yes ] && [ "$up" = no ]; then
    echo "Agent $version is in $dir. The one before it was not running, so it is not started."
    return
  fi
  [ "$there" = yes ] || rm -f "$dir/agent.log"
  sh "$dir/muster-agent" start || put_back 'The agent could not be started.'
  if [ "$there" = yes ]; then see_it_replace; else see_it_start; fi
  echo "The agent runs, from $dir. Now and later:"
  tunnels='tunnel ADDRESS | allow-tunnels LIST | '
  [ "$program" = agent.mjs ] || tunnels=''
  echo "  sh $(quote "$dir/muster-agent") status | stop | start | restart | ${tunnels}back | remove"
  tell_what_keeps_it
}

# One that is installed already, as it was installed.
renew() {
  dir=$1 key_file=$1/key program=agent.mjs # of installations from before there was another
  # A device that joined by an enrolment key, or still waits to.
  [ -f "$key_file" ] || key_file=$1/data/key
  [ -f "$key_file" ] || key_file='' enrol_key_file=$1/enrol-key
  # One that waits to be paired.
  [ -z "$enrol_key_file" ] || [ -f "$enrol_key_file" ] || enrol_key_file=''
  trust "$dir"
  . "$dir/settings.sh"
  [ ! -f "$dir/proxy.sh" ] || . "$dir/proxy.sh"
  [ -n "$unit" ] || systemd=no
  install
}

renew_all() {
  base_folder
  all=0 bad=0
  for settings in "$base"/*/settings.sh; do
    [ -f "$settings" ] || continue
    all=$((all + 1))
    # In a shell of its own: one that fails does not keep the next from being renewed.
    (renew "${settings%/settings.sh}") || bad=$((bad + 1))
  done
  [ "$all" -gt 0 ] || fail "No agent is installed in $base." \
    'Run this as the user who installed it (with sudo: root). One in a folder of its own (--dir) is renewed by' \
    '--dir DIR --key-file DIR/key instead of --update.'
  [ "$bad" = 0 ] || fail "$bad of $all could not be renewed; see above."
}

main() {
  key='' key_file='' enrol_key='' enrol_key_file='' dir='' mode=background systemd=yes cron=yes update=no insecure=no unit='' allow=none pair=no program='' node='' runtime=''
  units=${UNIT_DIR:-/etc/systemd/system} script_server=$server
  while [ "$#" -gt 0 ]; do
    case $1 in
      --key-file | --key | --enrol-key-file | --server | --dir | --allow-tunnels)
        [ "$#" -gt 1 ] || fail "$1 needs a value; --help explains."
        case $1 in
          --key-file) key_file=$2 ;;
          --key) key=$2 ;;
          --enrol-key-file) enrol_key_file=$2 ;;
          --server) server=$(printf '%s' "$2" | sed 's:/*$::') ;;
          --dir) dir=$2 ;;
          --allow-tunnels) allow=$2 ;;
        esac
        shift 2
        ;;
      --sh) program=agent.sh && shift ;;
      --pair) pair=yes && shift ;;
      --foreground) mode=foreground && shift ;;
      --update) update=yes && shift ;;
      --insecure) insecure=yes && shift ;;
      --no-systemd) systemd=no && shift ;;
      --no-cron) cron=no && shift ;;
      --help | -h) usage && exit 0 ;;
      *) fail "There is no option $1; --help lists them all." ;;
    esac
  done
  case $server in
    *[[:space:]]*) fail "The address of the service is \"$server\", but it may not hold blanks." ;;
    http://?* | https://?*) ;;
    *) fail "The address of the service is \"$server\", but it must begin with http:// or https://." ;;
  esac
  [ "$update" = no ] || [ "$allow" = none ] ||
    fail '--update leaves what an agent allows as it is. Change it with: muster-agent allow-tunnels LIST, in its folder.'
  use_proxy
  if [ "$update" = yes ]; then renew_all; else install; fi
}

main "$@"
