#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# with_reader.sh PAGE FILE...: writes the page with a reader that plays in it once it is there. The files
# are its scripts. They stand before the page's policy, which lets nothing but the page's own scripts
# run: what it forbids them would be in the browser's log. Frames are rare in virtual time.
set -eu
page=$1
shift
sed '/<head>/q' "$page"
echo "<script>"
echo '"use strict";'
echo "window.requestAnimationFrame = (draw) => setTimeout(draw, 5);"
echo 'addEventListener("DOMContentLoaded", () => {'
sed 's|</*script>||g' "$@"
echo "});"
echo "</script>"
sed '1,/<head>/d' "$page"
