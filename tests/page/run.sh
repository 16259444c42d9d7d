#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh SPOTSIM WORK_DIR: opens pages in headless Chromium and uses them as readers do;
# skipped (77) where Chromium is not installed.
set -u
spotsim=$1
mkdir -p "$2" || exit 1
work=$(cd "$2" && pwd) || exit 1
cd "$(dirname "$0")" || exit 1
num_failed=0
num_checks=0
is_narrow=

chromium=
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null 2>&1; then
        chromium=$name
        break
    fi
done
if [ -z "$chromium" ]; then
    echo "skipped: chromium is not installed"
    exit 77
fi

fail() {
    num_failed=$((num_failed + 1))
    echo "--- $*"
}

# report STUDY NAME OPTION...: the page of a study.
report() {
    study=$1
    name=$2
    shift 2
    rm -f "$work/$name.db" "$work/$name.html"
    "$spotsim" study "$study" -o "$work/$name.db" "$@" >"$work/$name.log" 2>&1 &&
        "$spotsim" report "$work/$name.db" -o "$work/$name.html" >>"$work/$name.log" 2>&1 || {
        fail "no page of $study"
        cat "$work/$name.log"
        exit 1
    }
}

# requests NAME: those of the page in the browser's log; its own have no origin.
requests() {
    grep -o '"initiator":"[^"]*"' "$work/net.json" | grep -v '"not an origin"' >"$work/requests"
}

no_request() {
    num_checks=$((num_checks + 1))
    if [ ! -s "$work/net.json" ]; then
        fail "$1: the browser kept no log of requests"
    elif requests; then
        fail "$1: the page asked for something"
        cat "$work/requests"
    fi
}

# The browser, with a folder and a log of its own; it reaches nobody.
browse() {
    rm -rf "$work/profile" "$work/net.json"
    timeout 100 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync --disable-default-apps \
        --host-resolver-rules="MAP * ~NOTFOUND" --user-data-dir="$work/profile" --log-net-log="$work/net.json" \
        --virtual-time-budget=20000 "$@" >"$work/dom" 2>"$work/browser.log"
}

# open_page CASE HTML ATTRIBUTES OPTION...: the page with the tests, and its verdict. They stand before the
# page's policy, which lets nothing but its own scripts run, and wait for all of it.
open_page() {
    what=$1
    html=$2
    attributes=$3
    opened=under-test.html
    [ -z "$is_narrow" ] || opened=frame.html
    shift 3
    {
        sed '/<head>/q' "$html"
        echo "<script>"
        cat record.js
        echo "</script>"
        echo "<script data-case=\"$what\" $attributes>"
        echo 'addEventListener("DOMContentLoaded", () => {'
        cat accessibility.js drive.js
        echo "});"
        echo "</script>"
        sed '1,/<head>/d' "$html"
    } >"$work/under-test.html"
    browse "$@" --dump-dom "file://$work/$opened"
    sed -n '/<pre id="verdict"/,/<\/pre>/p' "$work/dom" >"$work/verdict"
    if ! grep -qx end "$work/verdict"; then
        fail "$what $attributes: no verdict"
        tail -n 5 "$work/browser.log"
    fi
    num_checks=$((num_checks + $(grep -c '^ok ' "$work/verdict")))
    if grep '^FAIL ' "$work/verdict" >"$work/failures"; then
        fail "$what $attributes:"
        cat "$work/failures"
    fi
}

# The same in a frame as wide as a phone, which no window of Chromium can be: what stands in
# the frame tells its verdict to the page around it.
open_narrow() {
    {
        echo "<!DOCTYPE html><title>frame</title>"
        echo "<iframe src=\"under-test.html\" width=\"360\" height=\"740\" style=\"border: 0\"></iframe>"
        echo "<script>addEventListener('message', (event) => {"
        echo "const verdict = document.createElement('pre'); verdict.id = 'verdict';"
        echo "verdict.textContent = event.data; document.body.append(verdict); })</script>"
    } >"$work/frame.html"
    is_narrow=yes
    open_page "$1" "$2" "$3 data-width=\"360\"" --window-size=800,900 ${4:+"$4"}
    is_narrow=
}

# A study whose texts try to be markup: in its question, its name, values, and labels.
hostile_study() {
    for name in '<img src=x onerror=alert(2)>' "'\"<b>عربي 中文 $(printf '\342\200\256')"; do
        cp ../../reports/studies/trace-model/seed.yaml "$work/$name.yaml" || exit 1
    done
    long=$(head -c 100000 /dev/zero | tr '\0' x)
    cat <<END
study: 'hostile </script><b>"bold"'
question: "<script>alert(1)</script> </script> <!-- \"quotes' & عربي 中文 😀 \u202e drawkcab \u0001 \x07 \e <b>bold</b><img src=x onerror=alert(3)> $long"
scenario: $PWD/../../reports/studies/idle-vs-preemption/seed-64.yaml
sweep:
  job.pipeline_depth: [8, 16]
  trace: ["<img src=x onerror=alert(2)>.yaml", "'\"<b>عربي 中文 \u202e.yaml"]
replications: {count: 3, seed: 1}
metrics: [idle_fraction, goodput_fraction]
plot:
  x: job.pipeline_depth
  y: idle_fraction
  x_label: "<script>alert(1)</script> \"'\`\$(id)\` <img src=x onerror=alert(2)> \u202eאב عربي 日本語 😀 \x1b[31mRED \x07 </title></style></svg> ]]> --> \x9b31m "
END
}

dark=--blink-settings=preferredColorScheme=0

report study.yaml page
open_page page "$work/page.html" 'data-scheme="light"' --window-size=1200,900
no_request page
open_page look "$work/page.html" 'data-scheme="dark"' --window-size=1200,900 "$dark"
open_page look "$work/page.html" 'data-scheme="light"' --window-size=800,900
open_narrow look "$work/page.html" 'data-scheme="light"'
open_page faulty faulty.html '' --window-size=1200,900

# A study without replications yet, which has neither pictures nor a table of points.
rm -f "$work/nothing.db"
"$spotsim" study study.yaml --shard 1/1000000 -o "$work/nothing.db" >"$work/nothing.log" 2>&1
"$spotsim" report "$work/nothing.db" -o "$work/nothing.html" 2>&1 || fail "no page of nothing"
open_page nothing "$work/nothing.html" '' --window-size=1200,900

open_narrow look "$work/page.html" 'data-scheme="dark"' "$dark"

# print_page NAME: as a PDF, where no heading or caption stands alone at the end of a sheet.
print_page() {
    browse --no-pdf-header-footer --print-to-pdf="$work/$1.pdf" "file://$work/$1.html"
    LC_ALL=C grep -aE '^([0-9]+ 0 obj|/(S|P|Pg|K) )' "$work/$1.pdf" | LC_ALL=C tr -d '\000>' |
        awk -f lone_headings.awk >"$work/lone"
    num_checks=$((num_checks + 1))
}

# The pages of shipped studies: their height, their size, and the sheets of paper that they take.
report ../../reports/studies/recovery-vs-preemption/study.yaml recovery --set replications.count=10
report ../../reports/studies/idle-vs-preemption/study.yaml shipped
for name in recovery shipped; do
    open_page shipped "$work/$name.html" '' --window-size=1200,900
    print_page $name
    [ ! -s "$work/lone" ] || fail "$name: $(cat "$work/lone")"
done
num_checks=$((num_checks + 2))
num_sheets=$(grep -ac '/Type /Page$' "$work/shipped.pdf")
[ "$num_sheets" -ge 3 ] && [ "$num_sheets" -le 6 ] || fail "the page takes $num_sheets sheets of paper"
num_bytes=$(wc -c <"$work/shipped.html")
[ "$num_bytes" -le 500000 ] || fail "the page has $num_bytes bytes"

# That a lone heading would be seen.
echo '<p>a</p><h2 style="break-after: page">lone</h2><p>b</p>' >"$work/lone-heading.html"
print_page lone-heading
[ "$(cat "$work/lone")" = "H2 at the end of a sheet" ] || fail "a lone heading was not found"

report undefined.yaml undefined
open_page undefined "$work/undefined.html" '' --window-size=1200,900

hostile_study >"$work/hostile.yaml"
report "$work/hostile.yaml" hostile
named="$work/<img src=x onerror=alert(4)>'\"<b>.db"
mv "$work/hostile.db" "$named"
"$spotsim" report "$named" -o "$work/hostile.html" || fail "no page of a database with a hostile name"
rm -f "$named"
open_page hostile "$work/hostile.html" '' --window-size=1200,900
no_request hostile
open_narrow hostile "$work/hostile.html" ''

# What is not the page's own does not run and has no style, whoever wrote it into the page: the policy has
# no 'unsafe-inline'.
num_checks=$((num_checks + 1))
{
    sed '/<\/body>/,$d' "$work/page.html"
    echo '<script>document.title = "ran";</script><p onclick="void 0" style="color: red">styled</p>'
    echo "</body></html>"
} >"$work/added.html"
browse --enable-logging=stderr --dump-dom "file://$work/added.html"
! grep -q '<title>ran</title>' "$work/dom" || fail "a script that was added to the page has run"
num_refused=$(grep -c 'CONSOLE.*Content Security Policy directive' "$work/browser.log")
[ "$num_refused" -eq 3 ] || fail "of a script, a handler and a style that were added, $num_refused were refused"

# That a request would be seen: this one has no policy against it.
echo '<img src="http://nowhere.invalid/x.png" alt="">' >"$work/probe.html"
browse --dump-dom "file://$work/probe.html"
num_checks=$((num_checks + 1))
requests || fail "a request of a page is not in the log"

rm -rf "$work/profile"
echo "$num_checks checks, $num_failed failed"
[ "$num_failed" -eq 0 ]
