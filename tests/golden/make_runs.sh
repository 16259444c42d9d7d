#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# make_runs.sh FOLDER: writes invented measured runs of a data loader, of the data set
# tiny in the mode local: two processes, three runs of each kind at sim 0.5 s, two of the
# baseline at 1 s. Run 3 of ours claims blocks, but its arrays were not merged.
set -eu

# npy FILE VALUE...: one axis of little-endian doubles, of which two bytes are not 0.
npy() {
    file=$1
    shift
    {
        printf '\223NUMPY\001\000\166\000%-117s\n' \
            "{'descr': '<f8', 'fortran_order': False, 'shape': ($#,), }"
        for value in "$@"; do
            case $value in
                0) printf '\0\0\0\0\0\0\0\0' ;;
                0.0625) printf '\0\0\0\0\0\0\260\077' ;;
                0.125) printf '\0\0\0\0\0\0\300\077' ;;
                0.25) printf '\0\0\0\0\0\0\320\077' ;;
                0.5) printf '\0\0\0\0\0\0\340\077' ;;
                0.75) printf '\0\0\0\0\0\0\350\077' ;;
                1) printf '\0\0\0\0\0\0\360\077' ;;
                2) printf '\0\0\0\0\0\0\0\100' ;;
                4) printf '\0\0\0\0\0\0\020\100' ;;
            esac
        done
    } >"$file"
}

# run KIND RUN SIM COMPUTE WAIT...: all files but io_time and processing_time.
run() {
    folder=$root/$1/tiny/run$2/local/sim_compute_time=$3
    mkdir -p "$folder"
    npy "$folder/compute_time.npy" "$4" "$4" "$4" "$4" "$4"
    shift 4
    npy "$folder/data_load_time.npy" "$@"
    printf '%s\n' '{"loader": "1048576"}' '{"loader": "1048576", "trainer": "3145728"}' \
        >"$folder/memory.jsonl"
}

unmerged() {
    npy "$folder/io_time.npy" 0.0625 0.0625 0.125 0.0625
    npy "$folder/processing_time.npy" 0.25 0.125 0.25 0.25
}

merged() {
    npy "$folder/io_time.npy" 0.125 0.25
    npy "$folder/processing_time.npy" 0.25 0.125 0.25 0
    echo "$1" >"$folder/opt_config"
    printf '%s\n' threadpool_size,block_size,batch_completion_time 1,2,1.25 2,3,1.5 \
        >"$folder/search.csv"
}

root=$1
run baseline1 1 0.5 0.5 4 0.5 1 0.25 1 0
unmerged
run baseline1 2 0.5 0.5 4 0.5 1 0.25 0.75 0
unmerged
run baseline1 3 0.5 0.5 2 0.5 1 0.25 1 0
unmerged
run baseline1 1 1.0 1 2 0 0 0 0.0625 0
unmerged
run baseline1 2 1.0 1 2 0 0 0 0 0
unmerged
run ours 1 0.5 0.5 2 0.25 0.5 0 0.5 0
merged 1,2
run ours 2 0.5 0.5 2 0.25 0.25 0 0.5 0
merged 2,2
run ours 3 0.5 0.5 4 0.25 1 0 1 0
merged 1,2
unmerged
