#!/bin/sh
# wget2 1.99.1 (Debian 12): a response that ends before its Content-Length is a success, with exit code 0.
#
# Guess: it is GNU Wget's successor and has its exit codes, so a connection that is lost in the middle of a file is a network failure
# (4 in wget, 18 in curl), and a script may trust 0.
# Reality: the 50 bytes of 100 that came are kept, nothing is printed, and the exit code is 0. Where it is installed as `wget`, as in
# Fedora, an updater has to compare the size or the digest of what it fetched, and cannot know when to go on where it stopped.
#
# Seen:
#   wget 1.21.3: exit 4, 50 bytes
#   wget2 1.99.1: exit 0, 50 bytes
set -eu
folder=$(mktemp -d)
trap 'kill "${server-}" 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq wget=1.21.3-1+deb12u1 wget2=1.99.1-2.2 libwget0=1.99.1-2.2 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
cat >serve.mjs <<'JS'
import { createServer } from 'node:net';
const half = `HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\n${'x'.repeat(50)}`;
const server = createServer((socket) => void socket.once('data', () => socket.end(half)).on('error', () => {}));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
JS
node serve.mjs >port &
server=$!
until [ -s port ]; do sleep 0.1; done
try() {
  code=0
  LD_LIBRARY_PATH=$(dirname "$(find root -name 'libwget.so*' | head -n 1)") "root/usr/bin/$1" -q -t 1 -O part "http://127.0.0.1:$(cat port)/" || code=$?
  seen="$1 $2: exit $code, $(wc -c <part) bytes"
  echo "$seen"
  [ "$seen" = "$1 $2: exit $3, 50 bytes" ]
}
try wget 1.21.3 4
try wget2 1.99.1 0
