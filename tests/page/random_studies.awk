# SPDX-License-Identifier: GPL-3.0-or-later
# awk -v num=N -v seed=S -v scenario=FILE -v folder=FOLDER -f random_studies.awk: N small studies,
# FOLDER/K.yaml, of swept keys, metrics and pictures at random; the same for the same seed.
function below(limit) { return int(rand() * limit) }

# Sets part[] to num different items of a list.
function draw(list, num,    items, count, j, at) {
    count = split(list, items, " ")
    delete part
    for (j = 1; j <= num && j <= count; j++) {
        at = j + below(count - j + 1)
        part[j] = items[at]
        items[at] = items[j]
    }
    return j - 1
}

function values(key) {
    if (key == "trace.preemption.per_minute") {
        return "{from: 0, to: " (1 + below(9)) / 10 ", points: " 2 + below(9) "}"
    }
    if (key == "job.pipeline_depth") return below(2) ? "[8, 16]" : "[4, 8, 16, 32]"
    if (key == "fleet.initial") return "[16, 32, 48, 64]"
    if (key == "job.reload") return "[1 s, 47 s, 10 min]"
    if (key == "job.checkpoint.write") return "[10 s, 20 s, 50 s, 100 s, 200 s]"
    return "[checkpoint, varuna, bamboo, ideal, on-demand]"
}

function write_study(file,    num_keys, keys, num_metrics, metrics, j) {
    print "study: a-study-with-number-" below(1000) >file
    print "question: " questions[1 + below(num_questions)] >file
    print "scenario: " scenario >file
    print "sweep:" >file
    num_keys = draw(all_keys, 1 + below(3))
    for (j = 1; j <= num_keys; j++) {
        keys[j] = part[j]
        print "  " keys[j] ": " values(keys[j]) >file
    }
    print "replications: {count: " 2 + below(6) ", seed: " 1 + below(99) "}" >file
    num_metrics = draw(all_metrics, 1 + below(5))
    for (j = 1; j <= num_metrics; j++) metrics[j] = part[j]
    printf "metrics: [%s", metrics[1] >file
    for (j = 2; j <= num_metrics; j++) printf ", %s", metrics[j] >file
    print "]" >file
    if (below(3) > 0) {
        printf "plot: {x: %s, y: %s", keys[1], metrics[1] >file
        if (below(3) == 0 && metrics[1] == "idle_fraction") {
            printf ", stack: [prepping_fraction, standby_fraction, reconfiguring_fraction]" >file
        }
        if (below(3) == 0 && num_metrics > 1) printf ", second_x: %s", metrics[2] >file
        if (below(4) == 0) {
            printf ", x_label: an axis with a name that is longer than any picture of a phone is wide" >file
        }
        print "}" >file
    }
    close(file)
}

BEGIN {
    srand(seed)
    all_keys = "trace.preemption.per_minute job.pipeline_depth fleet.initial job.reload " \
        "job.checkpoint.write recovery.system"
    all_metrics = "idle_fraction goodput_fraction lost_fraction usd_per_1000_samples samples_per_s " \
        "usd_per_h preempted_per_h cost_usd"
    num_questions = split("What moves?|How does idle time grow with the preemption rate, and what does " \
        "each of the parameters of the job change about that, from the shortest to the longest reload?|" \
        "Größer <als> \\& kleiner?", questions, "|")
    for (n = 1; n <= num; n++) write_study(folder "/" n ".yaml")
}
