#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the build to a folder, moves the folder, and builds and runs a program against it for
# both sides: by its .pc files, by plain -I and -L, and by the env file in bash and in sh. Links of
# the installed pages must lead somewhere.
# usage: install.sh SOURCE BUILD PREFIX LIBDIR INCLUDEDIR
set -euo pipefail

source=$1 build=$2 prefix=$3 libdir=$4 includedir=$5
program=$source/tests/e2e/install/program
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CPATH LIBRARY_PATH LD_LIBRARY_PATH PKG_CONFIG_PATH
export CFLAGS=-DDOCA_ALLOW_EXPERIMENTAL_API

fail() {
	echo "FAILED: $*"
	exit 1
}

meson install -C "$build" --no-rebuild --quiet --destdir "$work/first" >/dev/null
mv "$work/first" "$work/moved"
root=$work/moved$prefix

role_of() { "$@" | head -n 1; }

build_with_meson() { # SIDE PC-FOLDER
	export PKG_CONFIG_PATH=$root/$libdir/$2
	meson setup "$work/$1" "$program" >"$work/log" 2>&1 || fail "setup: $(cat "$work/log")"
	ninja -C "$work/$1" >"$work/log" 2>&1 || fail "build: $(cat "$work/log")"
	[[ $(LD_LIBRARY_PATH=$root/$libdir role_of "$work/$1/program") == "$1" ]] ||
		fail "the $1 flavour built a program of another role"
}

build_by_hand() { # SIDE OPTION...
	local side=$1
	shift
	gcc $CFLAGS -DEXPECTED_ROLE="\"$side\"" -o "$work/by-hand" "$program/program.c" "$@" \
		-ldoca_common -ldoca_argp -ldoca_comch -ldoca_dma
	[[ $(LD_LIBRARY_PATH=$root/$libdir role_of "$work/by-hand") == "$side" ]] ||
		fail "gcc $* built a program of another role than $side"
}

build_in_env() { # SHELL SIDE
	"$1" -c ". '$work/moved/env' $2 && gcc $CFLAGS -DEXPECTED_ROLE='\"$2\"' \
		-o '$work/in-env' '$program/program.c' \$(pkg-config --cflags --libs doca) &&
		'$work/in-env'" >"$work/log" ||
		fail "$1: . env $2"
	[[ $(head -n 1 "$work/log") == "$2" ]] || fail "$1: . env $2 built another role"
}

# What `pkg-config --static` says is all that a program needs: with the shared library, with
# libdoca_sta.a by its name and all of it, as large programs do, and as the guide says.
build_static() {
	local cflags libs
	export PKG_CONFIG_PATH=$root/$libdir/pkgconfig
	read -ra cflags < <(pkg-config --cflags doca-sta)
	read -ra libs < <(pkg-config --static --libs doca-sta)
	gcc "$CFLAGS" "${cflags[@]}" -o "$work/shared" "$program/target.c" "${libs[@]}"
	run_target "$work/shared"
	gcc "$CFLAGS" "${cflags[@]}" -o "$work/static" "$program/target.c" \
		-Wl,--whole-archive "$root/$libdir/libdoca_sta.a" -Wl,--no-whole-archive \
		-Wl,--as-needed "${libs[@]}"
	run_static_target "$work/static"
	gcc "$CFLAGS" "${cflags[@]}" -o "$work/static" "$program/target.c" -L"$root/$libdir" \
		-Wl,-Bstatic -ldoca_sta -Wl,-Bdynamic -Wl,--as-needed "${libs[@]}"
	run_static_target "$work/static"
}

run_target() { LD_LIBRARY_PATH=$root/$libdir "$1" || fail "the target $1 does not start"; }

run_static_target() {
	! readelf -d "$1" | grep -q 'NEEDED.*libdoca_sta' || fail "not linked statically"
	run_target "$1"
}

links_lead_somewhere() { # of the pages that are installed
	local docs=$root/share/doc/softfield page link count=0
	while IFS=: read -r page link; do
		[[ -e $(dirname "$page")/$link ]] ||
			fail "${page#"$docs"/}: link to $link, which is not installed"
		count=$((count + 1))
	done < <(grep -roP '\]\(\K[^)#:\s]+(?=[)#])' --include='*.md' "$docs")
	((count)) || fail "no pages in $docs"
}

build_where_dpus_look() {
	local arm=$root/lib/aarch64-linux-gnu cflags
	read -ra cflags < <(PKG_CONFIG_PATH=$arm/pkgconfig pkg-config --cflags doca-common)
	build_by_hand dpu "${cflags[@]}" -L"$arm"
}

links_lead_somewhere
build_with_meson host pkgconfig
build_with_meson dpu pkgconfig-dpu
build_static
build_by_hand host -I"$root/$includedir" -L"$root/$libdir"
build_by_hand dpu -DDOCA_ARCH_DPU -I"$root/$includedir" -L"$root/$libdir"
CPATH=$root/include/doca-role/dpu:$root/$includedir \
	build_by_hand dpu -I"$root/$includedir" -L"$root/$libdir"

if [[ $prefix == /opt/mellanox/doca ]]; then
	build_by_hand host -I"$root/$includedir" -L"$root/lib64"
	[[ $(<"$root/applications/VERSION") == [0-9].[0-9]* ]] || fail "applications/VERSION"
	[[ $libdir == lib/aarch64-linux-gnu ]] || build_where_dpus_look
	sed "s|@DIR@|$work/moved|" "$source/pkgconfig/env.in" >"$work/moved/env"
	for shell in bash sh; do
		build_in_env "$shell" host
		build_in_env "$shell" dpu
		! "$shell" -c ". '$work/moved/env'" 2>/dev/null || fail "$shell: env without a side"
	done
fi
echo "installed, moved and used from $prefix"
