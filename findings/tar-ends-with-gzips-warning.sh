#!/bin/sh
# GNU tar 1.34: a .tar.gz with text behind its last gzip member is unpacked whole, and then ends with "Error is not recoverable".
#
# Guess: gzip only warns of what is behind the last member ("decompression OK, trailing garbage ignored"), with exit code 2, which its
# manual calls a warning. tar has all files by then, and ignores what is behind the end of an archive, so it exits with 0.
# Reality: any exit code of gzip but 0 is a fatal error to tar, which exits with 2 when everything is in place. BusyBox and bsdtar exit
# with 0, and GNU tar, too, where the same text is behind a .tar. A download with a line appended (a signature, a message of a server)
# installs on one device of `tar -xzf FILE && ./install.sh`, and not on the next.
#
# Seen:
#   tar, x.tar.gz: exit 2, 228894 bytes
#   tar, x.tar: exit 0, 228894 bytes
#   busybox tar, x.tar.gz: exit 0, 228894 bytes
#   bsdtar, x.tar.gz: exit 0, 228894 bytes
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq tar=1.34+dfsg-1.2+deb12u1 gzip=1.12-1 busybox-static=1:1.35.0-4+deb12u1+b1 libarchive-tools=3.6.2-1+deb12u5 \
  libarchive13=3.6.2-1+deb12u5 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
LD_LIBRARY_PATH=$(dirname "$(find root -name 'libarchive.so*' | head -n 1)")
PATH=$folder/root/bin:$folder/root/usr/bin:$PATH
export LD_LIBRARY_PATH PATH
seq 40000 >file
tar -cf x.tar file
gzip -nc x.tar >x.tar.gz
for archive in x.tar x.tar.gz; do echo 'sent by example.com' >>"$archive"; done
# try EXIT OPTIONS ARCHIVE PROGRAM...
try() {
  expected=$1 options=$2 archive=$3 code=0
  shift 3
  rm -f file
  "$@" "$options" "$archive" 2>/dev/null || code=$?
  seen="$*, $archive: exit $code, $(wc -c <file) bytes"
  echo "$seen"
  [ "$seen" = "$*, $archive: exit $expected, 228894 bytes" ]
}
try 2 -xzf x.tar.gz tar
try 0 -xf x.tar tar
try 0 -xzf x.tar.gz busybox tar
try 0 -xzf x.tar.gz bsdtar
