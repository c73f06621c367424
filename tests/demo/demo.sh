#!/bin/bash
# tests/demo/demo.sh [IOLAT] : `sudo make demo`. Shows iolat a data loader that is slow for a reason.
#
# Two scratch disks hold the same small files; the reads of one of them take 20 ms longer. Of a loader's four
# worker processes one reads there. iolat watches the loader for a few seconds: its table tells which.
#
#   slow: nbdkit (delay) - unix socket - nbdfuse - loop - ext4      fast: loop - ext4
#
# Everything lives in one tmpfs at $DIR, and cleaning up goes by what is found there, not by what this run did:
# so it also removes what a demo that was killed has left.
set -eu -o pipefail
export LC_ALL=C

HERE=$(cd "$(dirname "$0")" && pwd)
IOLAT=${1:-$HERE/../../build/iolat}
DIR=/run/iolat-demo
DELAY=20ms
FILES=300 FILE_KIB=24

die() { echo "demo: $*" >&2; exit 1; }

check_host() {
	local program
	[ "$(id -u)" = 0 ] || die "it makes scratch disks and traces the kernel: run it with sudo (sudo make demo)"
	[ -x "$IOLAT" ] || die "$IOLAT is not built: run make first"
	for program in nbdkit nbdfuse losetup mkfs.ext4 flock python3; do
		command -v $program > /dev/null || die "$program is missing: make deps installs it"
	done
	[ -c /dev/fuse ] || die "no /dev/fuse here (a container without it, or modprobe fuse): the slow disk needs FUSE"
	[ -c /dev/loop-control ] || die "no /dev/loop-control here (a container without it, or modprobe loop): the disks need it"
}

# --- tearing down ----------------------------------------------------------------------------------------------

# Ends what PIDFILE names, if that is still a process of the demo.
stop() { # PIDFILE
	local pid n=0
	[ -s "$1" ] || return 0
	pid=$(cat "$1")
	while grep -q "$DIR" "/proc/$pid/cmdline" 2>/dev/null && [ $n -lt 50 ]; do
		[ $n != 40 ] || kill -KILL "$pid" 2>/dev/null || :
		[ $n != 0 ] || kill -TERM "$pid" 2>/dev/null || :
		sleep 0.1
		n=$((n + 1))
	done
}

unmount() {
	! mountpoint -q "$1" || umount "$1" 2>/dev/null || umount -l "$1"
}

clean_up() {
	local loop
	[ -d $DIR ] || return 0
	stop $DIR/loader.pid
	unmount $DIR/fast
	unmount $DIR/slow
	losetup -n -l -O NAME,BACK-FILE | awk -v dir=$DIR/ 'index($2, dir) == 1 { print $1 }' | while read -r loop; do
		losetup -d "$loop"
	done
	unmount $DIR/nbd
	stop $DIR/nbdfuse.pid
	stop $DIR/nbdkit.pid
	unmount $DIR
	rmdir $DIR
}

# --- setting up: every daemon in a session of its own, so that ^C reaches iolat and this script alone -----------

wait_for() { # WHAT COMMAND...
	local what=$1 n=0
	shift
	until "$@" 2> /dev/null; do
		[ $n -lt 100 ] || die "$what did not come up within 10 s: $(tail -n 3 $DIR/log)"
		sleep 0.1
		n=$((n + 1))
	done
}

make_files() {
	local i
	mkdir $DIR/files
	for ((i = 0; i < FILES; i++)); do
		head -c ${FILE_KIB}K /dev/urandom > "$DIR/files/$i.jpg"
	done
}

make_image() { # IMAGE
	truncate -s 32M "$1"
	mkfs.ext4 -q -F -O ^has_journal -d $DIR/files "$1"
}

mount_disk() { # IMAGE MOUNTPOINT LOSETUP-OPTION...
	local image=$1 mountpoint=$2 loop
	shift 2
	loop=$(losetup --find --show --read-only "$@" "$image") || die "no loop device for $image"
	mkdir "$mountpoint"
	mount -t ext4 -o ro "$loop" "$mountpoint"
	echo "$loop"
}

start_slow_server() {
	setsid nbdkit --readonly --unix $DIR/nbd.sock --pidfile $DIR/nbdkit.pid --filter=delay \
		file $DIR/slow.img rdelay=$DELAY >> $DIR/log 2>&1 9>&- || die "nbdkit: $(tail -n 3 $DIR/log)"
	mkdir $DIR/nbd
	setsid nbdfuse --readonly --pidfile $DIR/nbdfuse.pid $DIR/nbd/disk "nbd+unix:///?socket=$DIR/nbd.sock" \
		>> $DIR/log 2>&1 9>&- &
	wait_for nbdfuse test -s $DIR/nbdfuse.pid
}

start_loader() {
	setsid python3 "$HERE/loader.py" $DIR/fast $DIR/slow > $DIR/loader.out 2>> $DIR/log 9>&- &
	LOADER=$!
	echo $LOADER > $DIR/loader.pid
	wait_for 'the loader' grep -q ready $DIR/loader.out
}

check_host
exec 9> /run/iolat-demo.lock
flock -n 9 || die "another demo is running"
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
clean_up

mkdir -m 700 $DIR
mount -t tmpfs -o size=128M,mode=700 iolat-demo $DIR
make_files
make_image $DIR/fast.img
cp $DIR/fast.img $DIR/slow.img
start_slow_server
fast=$(mount_disk $DIR/fast.img $DIR/fast)
slow=$(mount_disk $DIR/nbd/disk $DIR/slow --direct-io=on)
start_loader

cat << END
Two scratch disks with the same $FILES files: $fast, and $slow, on which each read takes $DELAY longer.
A data loader (pid $LOADER) has four workers; one of them was given the slow disk. Which?
  iolat --pid $LOADER -i 2s -D 6s

END
"$IOLAT" --pid $LOADER -i 2s -D 6s 9>&- | tee -i $DIR/iolat.out
cat << END

Three workers read from $fast in well under a millisecond, one reads from $slow and waits over $DELAY for each
request. Which one it is, iolat says itself, in the first finding below the last table:

  $(grep '^worker-stuck: ' $DIR/iolat.out | tail -n 1 || echo 'none: the run was too short')
END
