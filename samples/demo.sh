#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Host and DPU on this machine: installs a build to a folder, builds the samples of this folder
# against it for both sides, as a user's programs are built, and runs them.
#
# usage: demo.sh BUILD [--count PING-PONGS]
#
# --check, for ./dev: looks at the arguments and does nothing.

set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# Not by the number of this process: in a container that shares the network, others have it, too.
printf -v NAME 'demo-%06x' $(((RANDOM << 15 | RANDOM) & 0xffffff))
PATIENCE=60 # seconds that a program may take, on a machine that is busy with something else

usage() {
	cat <<-END
	usage: demo.sh BUILD [--count PING-PONGS]
	Installs BUILD to a folder, builds samples/hello and samples/latency against it, for
	the host and for the DPU, and runs them.
	  --count PING-PONGS  how often the latency is measured; 100000 if not given
	END
}

bold='' faint='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} && ${TERM:-} != dumb ]]; then
	bold=$'\e[1m' faint=$'\e[2m' plain=$'\e[0m'
fi

title() { printf '\n%s%s%s  %s%s%s\n\n' "$bold" "$1" "$plain" "$faint" "$2" "$plain"; }

die() {
	echo "demo: $*" >&2
	exit 1
}

# The arguments are wrong.
misused() {
	echo "demo: $*" >&2
	exit 2
}

# Runs a command with its output in a file, which is shown when the command fails.
quietly() {
	local log=$1
	shift
	"$@" >"$log" 2>&1 || {
		tail -n 30 "$log" >&2
		die "failed: $*"
	}
}

# ---- building --------------------------------------------------------------------------------

install_build() {
	quietly "$work/install.log" meson install -C "$build" --no-rebuild --only-changed \
		--destdir "$work/stage"
	libdir=$(dirname "$(find "$work/stage" -type d -name pkgconfig-dpu -print -quit)")
	[[ -d $libdir ]] || die "$build has installed no pkg-config modules: $work/install.log"
	tool=$(find "$work/stage" -type f -name softfield -perm -u+x -print -quit)
	export LD_LIBRARY_PATH=$libdir
}

build_sample() { # SAMPLE SIDE: what a user does by hand
	local dir=$work/$2/$1 modules=$libdir/pkgconfig
	[[ $2 == host ]] || modules+=-dpu
	if [[ ! -e $dir/build.ninja ]]; then
		PKG_CONFIG_PATH=$modules quietly "$dir.log" meson setup "$dir" "$here/$1"
	fi
	quietly "$dir.log" ninja -C "$dir"
}

build_samples() {
	local sample side jobs=() job
	mkdir -p "$work/host" "$work/dpu"
	for sample in hello latency; do
		for side in host dpu; do
			build_sample "$sample" "$side" &
			jobs+=($!)
		done
	done
	for job in "${jobs[@]}"; do
		wait "$job" || exit 1
	done
}

# ---- running ---------------------------------------------------------------------------------

show_devices() {
	"$tool" devices | awk '
		NR == 1 { side = index($0, "SIDE"); iface = index($0, "IFACE")
		          rep = index($0, "REPRESENTOR") }
		{ print "  " substr($0, side, iface - side) substr($0, rep) }'
}

# run SAMPLE HOST-OPTION...: the two programs, one process each; when one fails, both end
run() {
	local sample=$1 status=0 both=()
	shift
	timeout "$PATIENCE" "$work/dpu/$sample/doca_$sample" --name "$NAME" &
	both+=($!)
	SOFTFIELD_CONNECT_WAIT=10s timeout "$PATIENCE" \
		"$work/host/$sample/doca_$sample" --name "$NAME" "$@" &
	both+=($!)
	wait -n "${both[@]}" || status=$?
	((status == 0)) || kill "${both[@]}" 2>/dev/null || true
	wait "${both[0]}" || ((status)) || status=$?
	wait "${both[1]}" || ((status)) || status=$?
	((status == 0)) || die "$sample failed with status $status"
}

stop_all() {
	local left
	mapfile -t left < <(jobs -p)
	((${#left[@]} == 0)) || kill "${left[@]}" 2>/dev/null || true
}
trap stop_all EXIT
trap 'exit 130' INT TERM

build='' count=100000 check=''
while (($#)); do
	case $1 in
	-h | --help) usage && exit ;;
	--count)
		[[ ${2:-} =~ ^[1-9][0-9]{3,6}$ || ${2:-} == 10000000 ]] ||
			misused "--count needs a number from 1000 to 10000000, not '${2:-}'"
		count=$2
		shift
		;;
	--check) check=1 ;;
	-*) misused "no option '$1'; there are: --count --help" ;;
	*)
		[[ -z $build ]] || misused "unexpected '$1'"
		build=$1
		;;
	esac
	shift
done
[[ -z ${build//[ -~]/} && $build != *[\'\"\\\|:,]* ]] ||
	die "meson does not find libraries in $build: clone to a folder whose name is ASCII" \
		"and has none of ' \" \\ | : ,"
[[ -z $check ]] || exit 0
[[ -n $build ]] || { usage >&2 && exit 2; }
[[ -e $build/build.ninja ]] || die "'$build' is not a build folder: there is no build.ninja in it"
build=$(readlink -f "$build")
work=$build/demo
mkdir -p "$work"

echo "${faint}building samples/hello and samples/latency for host and for DPU$plain"
install_build
build_samples

title "Devices" "what programs find on this machine; there is no card"
show_devices
title "A conversation" "samples/hello, built for host and for DPU: two processes"
run hello
title "How fast" "samples/latency; both sides use the public calls, tasks and callbacks"
run latency --count "$count"
title "It works." "What next"
cat <<END
  samples/README.md   the two programs, and how to build them by hand
  ./dev stage DIR     an installation for a program of yours: README.md
  ./dev test          the tests
END
