#!/bin/sh
# make_venv.sh PYTHON DIR: a virtual environment with pip. Debian's python3 comes without ensurepip.
set -eu
python=$1
dir=$2
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "error: $python is older than Python 3.11; run make with PYTHON=/path/to/python3.11 or newer" >&2
    exit 1
}
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "installing python3-venv (this python3 comes without ensurepip)" >&2
        apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv >&2
    else
        echo "error: $python has no ensurepip; run: sudo apt install python3-venv" >&2
        exit 1
    fi
fi
rm -rf "$dir"
"$python" -m venv "$dir"
