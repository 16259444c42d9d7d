#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# install.sh CMAKE BUILD_DIR SOURCE_DIR: `cmake --install` into a prefix of its own. What lies below
# share/spotsim is what git tracks, byte for byte, also where results lie among the studies; headers
# are tracked too; every link of an installed guide leads to an installed file.
set -eu
cmake=$1
build=$2
source=$(cd "$3" && pwd)
if ! git -C "$source" -c safe.directory="$source" rev-parse --show-prefix >/dev/null 2>&1; then
    echo "skipped: the sources are not in git"
    exit 77
fi
work=$(mktemp -d)
made=$source/reports/studies/idle-vs-preemption/made-by-a-test.csv
trap 'rm -rf "$work" "$made"' EXIT INT TERM
echo "1" >"$made"
"$cmake" --install "$build" --prefix "$work/prefix" >"$work/log"
cd "$work/prefix"

git -C "$source" -c safe.directory="$source" -c core.quotePath=off ls-files -- README.md CHANGELOG.md \
    CONTRIBUTING.md SECURITY.md COPYING docs reports/studies models/sample share/slurm share/examples share/jobs share/python >"$work/tracked"
sed 's,^share/,,' "$work/tracked" | sort >"$work/expected"
(cd share/spotsim && find . -type f | sed 's,^\./,,' | sort) >"$work/installed"
diff "$work/expected" "$work/installed"
while read -r name; do
    cmp "$source/$name" "share/spotsim/${name#share/}"
done <"$work/tracked"

(cd include/spotsim && find . -type f | sed 's,^\./,,') | while read -r name; do
    cmp "$source/$name" "include/spotsim/$name"
done

# Nothing else.
find . -type f ! -path './share/spotsim/*' ! -path './include/spotsim/*' ! -path './share/man/man[15]/*' \
    ! -path './bin/spotsim' ! -path './lib*/libspotsim.so.*' ! -path './lib*/pkgconfig/spotsim.pc' \
    ! -path './share/bash-completion/completions/spotsim' ! -path './share/zsh/*/_spotsim' \
    ! -path './share/fish/vendor_completions.d/spotsim.fish' >"$work/others"
if [ -s "$work/others" ]; then
    echo "installed besides what is known:" >&2
    cat "$work/others" >&2
    exit 1
fi

for guide in share/spotsim/README.md share/spotsim/docs/*.md; do
    folder=$(dirname "$guide")
    grep -o '](\([^)#]*\)' "$guide" | sed 's/^](//' | grep -v -e '^$' -e '://' | while read -r target; do
        test -e "$folder/$target" || {
            echo "$guide: there is no $target" >&2
            exit 1
        }
    done
done
echo "$(wc -l <"$work/installed") shipped files are installed, as git tracks them"
