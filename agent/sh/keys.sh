# The key of a device. At its first start it gets one for an enrolment key, which many devices share, or by showing a code that a
# person types in the dashboard (docs/enrolment.md); later the service may replace it. muster-agent.sh reads this.

digest() {
  { sha256sum || shasum -a 256 || openssl dgst -sha256 -r || busybox sha256sum; } 2>/dev/null | cut -c 1-64
}

# 64 hexadecimal digits that nobody can guess; none where there are no random bytes, or no program for the digest.
random_digits() {
  [ "$(head -c 32 /dev/urandom 2>/dev/null | wc -c)" -eq 32 ] && head -c 32 /dev/urandom | digest
}

# The first of these files that holds something.
content_of() {
  for each in "$@"; do
    found=$(cat "$each" 2>/dev/null | tr -d '\000\r\n') && [ -n "$found" ] && printf '%s' "$found" && return
  done
}

# The same at each start of this machine, and different on every other one: the id of the system's installation with the
# serial number of the board, because copies of an image often have the same id. Elsewhere, the addresses of the network cards.
fingerprint() {
  machine_id=$(content_of /etc/machine-id /var/lib/dbus/machine-id)
  serial=$(content_of /proc/device-tree/serial-number /sys/class/dmi/id/product_uuid /sys/class/dmi/id/board_serial)
  if [ -n "$machine_id$serial" ]; then
    printf '%s\n%s' "$machine_id" "$serial"
  else
    { uname -n; cat /sys/class/net/*/address 2>/dev/null | grep -v '^00:00:00:00:00:00$'; } | LC_ALL=C sort -u
  fi | digest
}

# The text of a field in the answer.
field() {
  tr -d '\n' <"$tmp.body" | sed -nE "s/.*\"$1\" *: *\"(([^\"\\\\]|\\\\.)*)\".*/\\1/p" | sed 's/\\\(["\\/]\)/\1/g'
}

# A line, unless it is the same as the one before.
say() {
  [ "$1" = "$said" ] || printf '%s\n' "$1"
  said=$1
}

# Whether the answer is a refusal of the service: a problem document (RFC 9457), unlike those of proxies and of networks with a
# sign-in, which end nothing.
is_refusal() {
  [ "$status" -ge 400 ] && header content-type | grep -q '^application/problem+json'
}

# What the service answered, or why it did not.
say_answer() {
  if is_refusal; then
    title=$(field title)
    detail=$(field detail)
    say "$title${detail:+. $detail}"
    case $status in 400 | 403) finish 2 ;; esac
    return
  fi
  if [ "$status" = 000 ]; then first_line "$tmp.error"; else in_between "$status"; fi
  say "$server cannot be reached: $line. Trying again."
}

# The service gave this device a key.
join() {
  key=$(field DeviceKey)
  case $key in '' | *[!A-Za-z0-9._~+/=-]*) return 1 ;; esac
  echo "$key" >"$key_file.new" && flush "$key_file.new" && mv "$key_file.new" "$key_file" && flush "$(dirname "$key_file")" ||
    fail "The key of this device cannot be stored in $key_file."
  rm -f "$data/enrolment-secret" "$data/pairing-code"
  echo 'This device has joined, and has a key of its own.'
}

# Asks until the service gives this device a key. While a person has to approve it, that may take days.
enrol() {
  while :; do
    call POST enrol 60 "$tmp.hello"
    case $status in
      200)
        ! join || return 0
        say_answer
        ;;
      202) say "Waiting for approval in the dashboard. Fingerprint of this machine: $(printf '%s' "$machine" | digest | cut -c 1-12)" ;;
      *) say_answer ;;
    esac
    back_off
  done
}

# Shows a code, until a person has typed it in the dashboard; another one every ten minutes.
pair() {
  while :; do
    call POST pair/begin 60 "$tmp.hello"
    code=$(field Code) pairing=$(field PairingId)
    case $status:$pairing in
      200:*[!A-Za-z0-9_-]* | 200: | [!2]*) pairing= && say_answer ;;
      *)
        pause=${MUSTER_ENROL_PAUSE:-10}
        code=$(echo "$code" | sed 's/^\(....\)/\1-/')
        echo "$code" >"$data/pairing-code"
        say "Pairing code: $code. Type it in the dashboard, under Devices, Enrolment."
        ;;
    esac
    while [ "$status" != 404 ] && [ -n "$pairing" ]; do
      sleep $((pause / 2)) &
      child=$!
      await "$child"
      child=
      call GET "pair/$pairing" 60
      [ "$status" != 200 ] || ! join || return 0
      [ "$status" != 404 ] || is_refusal || status=000
    done
    back_off
  done
}

# What this device says about itself is sent with a secret that it chooses first and keeps until it has its key: to the holder
# of that, the service repeats an answer that was lost.
get_key() {
  ! first_line "$enrol_key_file" || enrol_key=$line
  [ -n "$enrol_key$pair" ] || return 0
  case $enrol_key in
    *[!A-Za-z0-9._~+/=-]*) fail 'That is no enrolment key: copy it again, whole and without quotes.' ;;
  esac
  said= pause=${MUSTER_ENROL_PAUSE:-10} api=/v1 content_type=application/json machine=$(fingerprint)
  [ "${#machine}" = 64 ] || fail 'This device has no program that computes a SHA-256: install openssl, then start the agent again.'
  first_line "$data/enrolment-secret" && [ "${#line}" -ge 32 ] || {
    line=$(random_digits)
    [ -n "$line" ] || fail 'This device has no random numbers: /dev/urandom cannot be read.'
    echo "$line" >"$data/enrolment-secret.new" && flush "$data/enrolment-secret.new" &&
      mv "$data/enrolment-secret.new" "$data/enrolment-secret" && flush "$data" || fail "Cannot write to $data: is the disk full?"
  }
  name=$(uname -n | tr -cd 'A-Za-z0-9._-' | cut -c 1-255)
  # Not by printf, which is a program of its own in some shells: the process list would show the key.
  echo "{${enrol_key:+\"EnrolKey\":\"$enrol_key\",}\"MachineId\":\"$machine\",\"DeviceName\":\"${name:-device}\",\"Secret\":\"$line\"," \
    "\"Facts\":{\"hostname\":\"$name\",\"os\":\"linux\",\"kernel\":\"$(uname -r | tr -cd 'A-Za-z0-9._+-')\",\"arch\":\"$(uname -m)\"}}" >"$tmp.hello"
  quote=
  [ "$client" = wget ] || quote='"'
  echo "header = ${quote}Muster-Secret: $line$quote" >"$headers"
  if [ -n "$enrol_key" ]; then enrol; else pair; fi
  api= content_type= enrol_key= said=
}

# change_key KEY: stores the key that the service sent, then uses it.
change_key() {
  if echo "$1" >"$key_file.new" && flush "$key_file.new" && mv "$key_file.new" "$key_file"; then
    flush "$(dirname "$key_file")"
    # What `muster-agent back` puts in place of the key file.
    [ -z "$install" ] || ! first_line "$install/previous/key" || [ "$line" != "$key" ] || echo "$1" >"$install/previous/key"
    key=$1 unused_key=$1
    write_headers "$(sed -n 's/.*Muster-Session: \([A-Za-z0-9_-]*\).*/\1/p' "$headers")"
    echo 'The service gave this device a new key.'
  else
    echo "The new key could not be stored in $key_file; the old one stays in use." | tee "$tmp.reason"
    ask POST key 60 "$tmp.reason"
  fi
}
