/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs before all else of a page under test, and remembers whatever goes wrong. */
"use strict";

const recorded = { errors: [], wasExecuted: false };

for (const name of ["error", "warn"]) {
    console[name] = (...words) => recorded.errors.push("console." + name + ": " + words.join(" "));
}
addEventListener("error", (event) => recorded.errors.push("error: " + (event.message || event.target.outerHTML)), true);
addEventListener("unhandledrejection", (event) => recorded.errors.push("rejection: " + event.reason));
addEventListener("securitypolicyviolation",
    (event) => recorded.errors.push("policy: " + event.violatedDirective + " " + event.blockedURI));

/* What markup of a hostile study would call. */
window.alert = () => { recorded.wasExecuted = true; };
