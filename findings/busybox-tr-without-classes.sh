#!/bin/sh
# BusyBox 1.35 without FEATURE_TR_CLASSES, as OpenWrt builds it: `tr '[:lower:]' '[:upper:]'` succeeds and changes the wrong letters.
#
# Guess: a tr that does not know character classes says so, or leaves the text as it is, so that a script finds out.
# Reality: the name of the class is a set of letters. Each letter of "lower" becomes the one at the same place in "upper", the exit
# code is 0, and a host name or the name of a variable comes out as another word. Only ranges (a-z) work in both.
#
# Seen:
#   classes on, [:lower:]: LOCALHOST
#   classes off, [:lower:]: upcauhpst
#   classes off, a-z: LOCALHOST
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# Needs the sources in the list of packages ("deb-src"), and gcc and make.
apt-get source -qq --download-only busybox=1:1.35.0-4+deb12u1 2>/dev/null
tar -xjf busybox_1.35.0.orig.tar.bz2
cd busybox-1.35.0
# built CLASSES: a BusyBox with nothing but tr.
built() {
  make -s allnoconfig >/dev/null 2>&1
  classes='# CONFIG_FEATURE_TR_CLASSES is not set'
  [ "$1" = off ] || classes=CONFIG_FEATURE_TR_CLASSES=y
  sed -i "/CONFIG_FEATURE_TR_CLASSES/d; s/^# CONFIG_TR is not set/CONFIG_TR=y\n$classes/" .config
  yes '' | make -s oldconfig >/dev/null 2>&1
  make -s busybox >/dev/null 2>&1
  cp busybox "../busybox-$1"
}
built on
built off
# try CLASSES FROM TO EXPECTED
try() {
  seen=$(printf localhost | "../busybox-$1" tr "$2" "$3")
  echo "classes $1, $2: $seen"
  [ "$seen" = "$4" ]
}
try on '[:lower:]' '[:upper:]' LOCALHOST
try off '[:lower:]' '[:upper:]' upcauhpst
try off a-z A-Z LOCALHOST
