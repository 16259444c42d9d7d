/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The texts of the manual pages, the scenario of `spotsim init` and the scripts of shells, as bytes of the program: C17 has no #embed. */
    .section .rodata

    .macro page name, file
    .global \name
\name:
    .incbin "\file"
    .byte 0
    .endm

    page spot_manual_spotsim, SPOT_MANUAL_SPOTSIM
    page spot_manual_scenario, SPOT_MANUAL_SCENARIO
    page spot_manual_study, SPOT_MANUAL_STUDY
    page spot_manual_trace, SPOT_MANUAL_TRACE
    page spot_manual_engine, SPOT_MANUAL_ENGINE
    page spot_template_train, SPOT_TEMPLATE_TRAIN
    page spot_completion_bash, SPOT_COMPLETION_BASH
    page spot_completion_zsh, SPOT_COMPLETION_ZSH
    page spot_completion_fish, SPOT_COMPLETION_FISH

    .section .note.GNU-stack, "", %progbits
