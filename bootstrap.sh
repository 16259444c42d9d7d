#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The two commands of the README, each complete on a fresh Debian 12:
#   sh bootstrap.sh demo   build spotsim and run the main study
#   sh bootstrap.sh test   build with sanitizers and without, run all tests but the statistical ones
# Missing packages are installed with apt-get (through sudo unless root); nothing else outside
# this checkout is changed. Ubuntu has packages of the same names but is untested.
set -eu
cd "$(dirname "$0")"

build_packages="gcc libc6-dev cmake ninja-build pkg-config libyaml-dev libgsl-dev libcsv-dev
    librandom123-dev zlib1g-dev libzstd-dev liblzma-dev libmd-dev libsqlite3-dev fonts-inter libjs-chart.js"
test_packages="g++ libcmocka-dev sqlite3 librsvg2-bin"

say() {
    printf '\n==> %s\n' "$*"
}

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Installs those of the named packages that are missing.
install_packages() {
    if ! command -v apt-get >/dev/null 2>&1; then
        say "This is no Debian: install the equivalents of: $* (not checked)"
        return 0
    fi
    missing=
    for package in "$@"; do
        is_installed "$package" || missing="$missing $package"
    done
    if [ -z "$missing" ]; then
        say "All packages are installed"
        return 0
    fi
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        as_root=sudo
        command -v sudo >/dev/null 2>&1 || {
            echo "bootstrap.sh: not root and no sudo: as root, run: apt-get install$missing" >&2
            exit 1
        }
    fi
    say "Installing packages:$missing"
    $as_root apt-get update -q
    # shellcheck disable=SC2086 # words are meant to be split
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends $missing
}

# build PRESET TARGET [CMAKE_OPTION...]
build() {
    preset=$1
    target=$2
    shift 2
    say "Building ($preset) in build/$preset"
    cmake --preset "$preset" "$@"
    cmake --build --preset "$preset" --target "$target"
}

demo() {
    # shellcheck disable=SC2086
    install_packages $build_packages
    build release all -DBUILD_TESTING=OFF
    mkdir -p results
    study=reports/studies/idle-vs-preemption/study.yaml
    result=results/idle-vs-preemption
    say "Running the study $study"
    build/release/spotsim study $study -o $result.csv --plot $result.svg >$result.txt
    rm -f $result.db
    build/release/spotsim study $study -o $result.db >/dev/null
    build/release/spotsim report $result.db -o $result.html
    cat $result.txt
    say "table     $PWD/$result.txt"
    echo "    CSV       $PWD/$result.csv"
    echo "    picture   $PWD/$result.svg"
    echo "    page      $PWD/$result.html"
    echo "    database  $PWD/$result.db"
    say "To use it in this shell, and to begin with the first example of README.md:"
    echo "    export PATH=\"$PWD/build/release:\$PATH\""
    echo "    cd $PWD/reports/studies/idle-vs-preemption"
    echo "or install it: cmake --install build/release --prefix ~/.local"
}

run_tests() {
    # shellcheck disable=SC2086
    install_packages $build_packages $test_packages
    build dev all
    build release spotsim -DBUILD_TESTING=ON
    # One more than there are processors: some tests wait.
    jobs=$(($(nproc) + 1))
    say "Running the tests with sanitizers (docs/developers.md, Tests)"
    ctest --preset dev -j $jobs
    say "Running the tests of the whole program, with what users run"
    ctest --preset program -j $jobs
}

case "${1-}" in
    demo) demo ;;
    test) run_tests ;;
    packages) shift && install_packages "$@" ;;
    *)
        echo "usage: sh bootstrap.sh demo | test | packages NAME..." >&2
        exit 2
        ;;
esac
