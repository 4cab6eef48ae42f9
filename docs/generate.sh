#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Generates the API reference (html, man) in a folder; a warning of doxygen is an error.
# usage: generate.sh FOLDER
set -eu
cd "$(dirname "$0")/.."
{ cat docs/Doxyfile && echo "OUTPUT_DIRECTORY = $1"; } | doxygen -
