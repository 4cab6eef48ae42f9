#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# check.sh [WORD]: has spin try every interleaving of the models, or of those runs that contain
# WORD, and shows what it has found. A model must hold; a mutant, in which one step is missing, must
# fail, or the model would prove nothing. Needs spin and gcc; seconds.

set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"

HOLD=(
	"ring"
	"ring -DSENDER_CAN=0"
	"ring -DRECEIVER_CAN=0"
	"ring -DSENDER_CAN=0 -DRECEIVER_CAN=0"
	"lane -DK=2"
	"lane -DK=2 -DPRODUCER_CAN=0"
	"lane -DK=2 -DCONSUMER_CAN=0"
	"lane -DK=2 -DPRODUCER_CAN=0 -DCONSUMER_CAN=0"
	"lane -DPATIENT"
	"lane -DPATIENT -DPRODUCER_CAN=0"
	"lane -DPATIENT -DCONSUMER_CAN=0"
	"lane -DPATIENT -DPRODUCER_CAN=0 -DCONSUMER_CAN=0"
	"lane -DPRODUCERS=2 -DLINES=2 -DAWAKE -DK=2"
	"lane -DRUNS -DLINES=2 -DPOSTS=3 -DAWAKE -DK=2"
	"lane -DRUNS -DLINES=2 -DPATIENT -DK=2"
	"owner"
	"owner -DPRODUCERS=3 -DK=1"
)
FAIL=(
	"ring -DMUTANT_NO_BARRIER"
	"ring -DMUTANT_ASK_WITHOUT_BARRIER"
	"ring -DMUTANT_DEAF_SENDER"
	"ring -DMUTANT_FORGET_REVOCATION"
	"ring -DMUTANT_LOOK_FIRST"
	"ring -DMUTANT_EARLY_TAIL"
	"ring -DMUTANT_EARLY_SEQ"
	"ring -DMUTANT_NO_FENCE -DSENDER_CAN=0"
	"ring -DMUTANT_NO_FENCE -DRECEIVER_CAN=0"
	"ring -DMUTANT_FENCE_FOR_ONESELF -DSENDER_CAN=0"
	"ring -DMUTANT_FENCE_FOR_ONESELF -DRECEIVER_CAN=0"
	"lane -DMUTANT_CLOSE_WITHOUT_BARRIER"
	"lane -DMUTANT_SLEEP_WITHOUT_BARRIER -DPATIENT"
	"lane -DMUTANT_EARLY_POST"
	"lane -DMUTANT_LATE_RELEASE"
	"lane -DMUTANT_SILENT_RETREAT"
	"lane -DMUTANT_IGNORE_CLAIMS"
	"lane -DMUTANT_NO_FENCE -DPRODUCER_CAN=0 -DPATIENT"
	"lane -DMUTANT_NO_FENCE -DCONSUMER_CAN=0 -DPATIENT"
	"lane -DMUTANT_FENCE_FOR_ONESELF -DPRODUCER_CAN=0 -DPATIENT"
	"lane -DMUTANT_FENCE_FOR_ONESELF -DCONSUMER_CAN=0"
	"lane -DMUTANT_RELEASE_WITHIN_RUN -DRUNS -DLINES=2 -DAWAKE -DK=2"
	"lane -DMUTANT_CLAIM_ONE -DRUNS -DLINES=2 -DAWAKE -DK=2"
	"owner -DMUTANT_NO_BARRIER"
	"owner -DMUTANT_NO_WAIT"
	"owner -DMUTANT_EARLY_END"
	"owner -DMUTANT_BUSY_TOO_LATE"
	"owner -DMUTANT_DISOWN_WITHOUT_LOCK"
)

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# explore MODEL OPTION...: what spin says of all its states
explore() {
	local dir
	dir=$(mktemp -d -p "$WORK")
	cp ./*.pml "$dir"
	(
		cd "$dir"
		spin "${@:2}" -a "$1.pml" && gcc -w -O1 -DSAFETY -o pan pan.c && ./pan -m200000
	)
}

# judge EXPECTED-ERRORS RUN: one line, or all that spin says and 1
judge() {
	local expected=$1 run=$2 text states
	# shellcheck disable=SC2086 # its words
	text=$(explore $run 2>&1) || true
	states=$(sed -nE 's/^ *([0-9]+) states, stored.*/\1/p' <<<"$text")
	if grep -q "search depth too small\|out of memory\|VECTORSZ" <<<"$text" ||
		! grep -q "errors: $expected$" <<<"$text"; then
		printf '%s\n%s: errors: %s were expected\n' "$text" "$run" "$expected"
		return 1
	fi
	if ((expected)); then
		echo "$run: fails, as it must: $(sed -nE 's/^pan:1: (.*) \(at.*/\1/p' <<<"$text")"
	else
		echo "$run: holds in all $states states"
	fi
}

export -f judge explore
export WORK

runs() {
	printf '0\t%s\n' "${HOLD[@]}"
	printf '1\t%s\n' "${FAIL[@]}"
}

# shellcheck disable=SC2016 # bash -c expands it
runs | grep -e "${1:-}" | tr '\t\n' '\0\0' | xargs -0 -r -n 2 -P 2 bash -c 'judge "$1" "$2"' judge
