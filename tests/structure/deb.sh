#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# deb.sh CPACK BUILD_DIR SOURCE_DIR: the Debian package. dpkg installs it into an empty root, whose
# database knows the packages of this machine: so what the package depends on is there under the
# names that it says. Then the program of that root runs, as root in a chroot that has nothing but it
# and the libraries that it loads. lintian finds no error but that of the maintainer's address.
set -eu
cpack=$1
build=$2
for tool in dpkg dpkg-deb dpkg-shlibdeps file gzip; do
    command -v "$tool" >/dev/null || {
        echo "skipped: there is no $tool"
        exit 77
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
umask 022
fail() {
    echo "$*" >&2
    exit 1
}

"$cpack" --config "$build/CPackConfig.cmake" -G DEB -B "$work" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
}
package=$(ls "$work"/spotsim_*.deb)
dpkg-deb --field "$package" Package Version Depends

root=$work/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers"
cp /var/lib/dpkg/status "$root/var/lib/dpkg/status"
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v fakeroot >/dev/null || {
        echo "skipped: neither root nor fakeroot"
        exit 77
    }
    as_root=fakeroot
fi
$as_root dpkg --root="$root" --force-not-root --no-triggers --install "$package" >"$work/log" 2>&1 || {
    grep -v 'files list file for package' "$work/log" >&2
    exit 1
}
dpkg --root="$root" --status spotsim | grep -q '^Status: install ok' || fail "it is not installed"
[ -z "$(dpkg --root="$root" --verify spotsim)" ] || fail "its files are not those of the package"

for file in usr/bin/spotsim usr/include/spotsim/spotsim.h usr/share/man/man1/spotsim.1.gz \
    usr/share/man/man5/spotsim-scenario.5.gz usr/share/doc/spotsim/copyright \
    usr/share/doc/spotsim/changelog.gz usr/share/doc/spotsim/README.md \
    usr/share/doc/spotsim/docs/studies.md usr/share/spotsim/slurm/spotsim-array.sbatch \
    usr/share/bash-completion/completions/spotsim usr/share/zsh/vendor-completions/_spotsim \
    usr/share/fish/vendor_completions.d/spotsim.fish usr/share/spotsim/python/spotsim/__init__.py usr/share/spotsim/models/sample/seed-64/reconfig.csv; do
    test -r "$root/$file" || fail "there is no $file"
done
ls "$root"/usr/lib/libspotsim.so.* "$root"/usr/lib/*/libspotsim.so.* >"$work/libraries" 2>/dev/null || true
test -s "$work/libraries" || fail "there is no library"
gzip -dc "$root/usr/share/doc/spotsim/changelog.gz" | cmp - "$3/CHANGELOG.md"
zcat "$root/usr/share/man/man1/spotsim.1.gz" | grep -q '^\.SH NAME'

# The program, and what it loads.
in_root="env -i HOME=/tmp COLUMNS=1000 $root/usr/bin/spotsim"
folder=$root/tmp
path=$root/usr/share/spotsim
mkdir -p "$folder"
if [ "$(id -u)" -eq 0 ]; then
    ldd "$root/usr/bin/spotsim" | sed -n 's/.*[[:blank:]]\(\/[^ ]*\) (.*/\1/p' | while read -r library; do
        mkdir -p "$root$(dirname "$library")"
        cp -L "$library" "$root$library"
    done
    if chroot "$root" /usr/bin/spotsim --version >/dev/null 2>&1; then
        in_root="env -i HOME=/tmp COLUMNS=1000 $(command -v chroot) $root /usr/bin/spotsim"
        folder=/tmp
        path=/usr/share/spotsim
    fi
fi
study=$path/reports/studies/idle-vs-preemption
$in_root --version
$in_root run "$study/seed-64.yaml" >"$work/run.txt"
grep -q 'idle fraction' "$work/run.txt" || fail "it does not run a scenario"
$in_root study "$study/study.yaml" -o "$folder/results.csv" >"$work/study.txt" 2>&1 || fail "$(cat "$work/study.txt")"
cmp "$root/tmp/results.csv" "$3/reports/studies/idle-vs-preemption/expected.csv"
$in_root study "$study/study.yaml" -o "$folder/results.db" >"$work/study.txt" 2>&1 || fail "$(cat "$work/study.txt")"
$in_root report "$folder/results.db" >"$work/report.txt"
answer=$(cat "$3/reports/studies/idle-vs-preemption/answer.txt")
grep -qF "$answer" "$work/report.txt" || fail "the report lacks the answer"
echo "installed in an empty root by dpkg, and run: $in_root" | sed "s,$work,...,g"

if command -v lintian >/dev/null; then
    lintian --fail-on none --tag-display-limit 0 --allow-root "$package" >"$work/lintian" 2>"$work/log" || fail "$(cat "$work/log")"
    cat "$work/lintian"
    if grep '^E: ' "$work/lintian" | grep -v -e maintainer-address -e bogus-mail-host; then
        fail "lintian finds errors"
    fi
else
    echo "lintian is not installed"
fi
