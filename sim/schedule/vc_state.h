/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of one virtual cluster (VC): its nodes, the jobs that wait and those that run,
 * in whole seconds of the simulation clock. vc.h has what happens to it. A VC is zeroed
 * and initialised there; vc_queue.h has the order of what waits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/calendar.h"
#include "sim/schedule/estimates.h"
#include "sim/schedule/gpu_nodes.h"
#include "sim/schedule/scenario.h"
#include "sim/train/job/train.h"
#include "traces/jobs/job_log.h"

/* A restart takes 40 s for jobs up to this many GPUs, else 60 s; the log may say more.
 */
#define SPOT_SMALL_JOB_GPUS 8

typedef enum {
    SPOT_JOB_AHEAD, /* not arrived */
    SPOT_JOB_QUEUED,
    SPOT_JOB_RUNNING,
    SPOT_JOB_ENDED
} spot_vc_job_status_t;

/* A job in a VC. Work is in units of the mode: thousandths of a second at the nominal
 * number of GPUs, or seconds in the compatible mode (vc->unit). */
typedef struct {
    int32_t row_id;   /* of the log */
    int32_t gpus;     /* held while it runs; wanted while it is queued */
    int32_t core_id;  /* of the VC, if the training engine simulates it; -1: it does not */
    int32_t block_id; /* of the queue that it is in, or one of those below */
    int64_t enter_s;  /* arrival in this VC */
    spot_vc_job_status_t status;
    int32_t queued_gpus; /* those that it had when it joined the queue */

    /* The queue is in order of key, then tie, then arrival: of the policy. */
    double key;
    double tie;
    double estimate_s; /* of its duration, where the policy has estimates; NAN: none */

    /* Work, at the end of second touched_s. */
    int64_t touched_s;
    double left;           /* remaining work R */
    double saved;          /* R at the last durable checkpoint, S */
    double rate;           /* work done a second, > 0 */
    int64_t overhead_s;    /* to be paid before progress, o */
    int64_t progress_s;    /* seconds of progress since the start or resize */
    int64_t durable_s;     /* when the checkpoint in flight is durable; INT64_MAX: none */
    double captured;       /* R that it holds */
    int64_t service_gpu_s; /* GPUs held, by second */

    /* The ledger of the job, half GPU-seconds. */
    int32_t half_gpus;        /* paid a second: two a GPU, one a shared GPU */
    int64_t pending;          /* neither durable nor lost */
    int64_t captured_pending; /* of it: in the checkpoint in flight */

    int32_t first_part;     /* of its GPUs; -1: none */
    int32_t handle;         /* of its end in the calendar */
    int32_t previous, next; /* in the list of running jobs; -1: none */
    int64_t started;        /* counts starts: the order of the list */
    int32_t partner;        /* shares its GPUs; -1: none */
    bool is_exclusive;      /* it may be a host */
    bool is_guest;          /* of its partner */
    double scale;           /* of the rate, by size: thousandths, 1000 at the nominal size */
    double shared_speed;    /* of the rate, with a partner: a share of 1 */
    int64_t resized_s;      /* the latest start or change of size */
    int64_t held_since_s;   /* its GPUs, as far as they have not been reported */

    /* Results. */
    int64_t start_s; /* first start; -1: none */
    int64_t end_s;   /* -1: none */
    int64_t queue_s; /* time in the queue, without the wait that is under way */
    int64_t waits_since_s;
    int64_t overhead_paid_s;
    double lost;              /* work */
    int32_t preemptions;      /* by the policy */
    int32_t node_preemptions; /* stopped by the loss of a node */
    int32_t resizes;
    int32_t host_row_id; /* of the first host it was packed on; -1: none */
} spot_vc_job_t;

#define SPOT_NOT_QUEUED (-1)
#define SPOT_QUEUE_TAIL (-2) /* behind what is in order */

/* ---- The queue ---- */

enum { SPOT_QUEUE_BLOCK_JOBS = 128, SPOT_QUEUE_SIZES = 64 };

/* Jobs that follow each other in the order. No job of an earlier block goes behind the lower bound,
 * and none of this one before it. */
typedef struct {
    double low_key, low_tie;
    int32_t first;
    int32_t num_jobs;
    int32_t least_gpus; /* of a job; INT32_MAX: it has none */
    int32_t num_least;  /* jobs with so many */
    int32_t next_free;  /* if it is in no order; -1: none */
    double keys[SPOT_QUEUE_BLOCK_JOBS];
    int32_t jobs[SPOT_QUEUE_BLOCK_JOBS]; /* [num_jobs] from first on */
    int32_t gpus[SPOT_QUEUE_BLOCK_JOBS];
} spot_queue_block_t;

/* What waits: jobs in order, then those that have joined since they were sorted. A job that starts
 * leaves at the end of the decision. */
typedef struct {
    size_t num_jobs;                          /* that wait, without those that are gone */
    size_t num_of_size[SPOT_QUEUE_SIZES + 1]; /* of them: with so many GPUs; the last: with more */
    size_t num_blocks;
    size_t max_blocks;
    spot_queue_block_t *blocks; /* [num_blocks] */
    int32_t free_block;         /* the first one in no order; -1: none */
    size_t first_order;
    size_t num_order;
    size_t max_order;
    int32_t *order;   /* [num_order] blocks, from first_order on */
    size_t num_empty; /* of them: without jobs */
    size_t first_tail;
    size_t num_tail;
    size_t max_tail;
    int32_t *tail; /* [num_tail] jobs that are not sorted, from first_tail on */
    size_t num_gone;
    size_t max_gone;
    int32_t *gone; /* [num_gone] jobs that have started in this decision */
} spot_vc_queue_t;

/* Where one is in the queue; zero it to start. */
typedef struct {
    size_t block; /* from the first one on */
    size_t index; /* in the block, or behind the last block in the tail */
} spot_queue_place_t;

typedef enum { /* of paid time of nodes, in half GPU-seconds */
    SPOT_GPU_PREPPING,
    SPOT_GPU_STANDBY, /* free GPUs of nodes that are ready */
    SPOT_GPU_USEFUL,
    SPOT_GPU_LOST,
    SPOT_GPU_OVERHEAD,
    SPOT_GPU_UNSAVED,
    SPOT_NUM_GPU_TIMES
} spot_gpu_time_t;

extern const char *const spot_gpu_time_names[SPOT_NUM_GPU_TIMES];

typedef struct spot_policy spot_policy_t;
typedef struct spot_vc spot_vc_t;

/* What a VC reports while it runs, for samples and lanes. Functions may be NULL. */
typedef struct {
    void *context;
    /* The VC has not changed since the last call and will at now_s. */
    void (*on_time)(void *context, const spot_vc_t *vc, int64_t now_s);
    /* A job gives its GPUs back, which it held since since_s < vc->now_s; called before.
     */
    void (*on_release)(void *context, const spot_vc_t *vc, int32_t job, int64_t since_s);
} spot_vc_watch_t;

/* What the training engine meets of a job: a node comes or goes, on the clock of the job. */
typedef struct {
    int64_t time_ms;
    int32_t node_id;
    spot_event_kind_t kind;
    bool is_held; /* an addition: the job still has the node */
} spot_core_event_t;

/* A job that the training engine simulates. */
typedef struct {
    const spot_trainer_t *trainer;
    bool is_prepared; /* nodes come ready; else the training engine prepares them */
    int64_t start_s;  /* of its clock; -1: it has not started */
    size_t num_initial;
    size_t num_events;
    size_t max_events;
    spot_core_event_t *events; /* [num_events] by time, first the num_initial nodes with
                                  which it starts */
    spot_train_result_t result;
    int error; /* NO_MEMORY */
} spot_core_job_t;

/* Nodes that the training engine itself prepares: all of them belong to one job of the
 * VC at a time, as they come. */
typedef struct {
    void *context;
    /* Writes what happens to them into a job that starts now, up to last_ms of its clock
     * at least. */
    void (*read)(void *context, spot_core_job_t *core, int64_t now_s, int64_t last_ms);
} spot_vc_fleet_t;

struct spot_vc {
    const spot_schedule_scenario_t *scenario; /* must outlive self, as log and policy */
    const spot_job_log_t *log;
    const spot_policy_t *policy;
    const char *name;
    int32_t vc_id;
    double unit; /* of work: 1000, or 1 */
    spot_placer_t placer;
    bool ends_late; /* quirk Q1: the end is tested before the work is taken off */
    spot_vc_watch_t watch;
    void *owner; /* its engine, which on_end() reports a job to; on_end may be NULL */
    void (*on_end)(void *owner, const spot_vc_t *self, int32_t job);
    spot_estimates_t *durations; /* of durations */
    void *state;                 /* of the policy */

    int64_t now_s;
    size_t num_jobs;
    size_t max_jobs;
    spot_vc_job_t *jobs; /* [num_jobs] in the order in which they were added */
    size_t num_arrivals;
    size_t max_arrivals;
    int32_t *arrivals; /* [num_arrivals] jobs by enter_s */
    size_t next_arrival;
    int32_t num_running;
    int32_t first_running, last_running; /* -1: none */
    int64_t num_starts;
    spot_vc_queue_t queue;
    size_t num_fresh; /* jobs that arrived in this second, for the first time */
    size_t num_alone; /* jobs that have come to hold their GPUs alone since the latest */
    size_t max_alone; /* decision, or changed their size; some may have ended */
    int32_t *alone;   /* [num_alone] */
    size_t num_ended;
    bool is_changed; /* in this second, by an event or by the policy */
    spot_calendar_t ends;
    spot_gpu_nodes_t nodes;
    int32_t num_prepping; /* nodes */

    const spot_trainers_t *trainers; /* NULL: no job is one of the training engine */
    uint64_t seed, replication;      /* for their runs */
    spot_vc_fleet_t fleet;           /* read is NULL: there is none */
    size_t num_cores;
    size_t max_cores;
    spot_core_job_t *cores; /* [num_cores] */

    int64_t accounted_s; /* the ledger holds all time before */
    int64_t ledger[SPOT_NUM_GPU_TIMES];
    int64_t living; /* half GPU-seconds of all nodes, prepping ones included */
    int64_t preemptions, node_preemptions, resizes;
    int64_t last_end_s; /* -1: no job has ended */
    int error;          /* NO_MEMORY */
};

static inline const spot_job_row_t *spot_vc_row(const spot_vc_t *self, int32_t job)
{
    return &self->log->jobs[self->jobs[job].row_id];
}

/* What the log says of a job and nodes that come and go. */
static inline const spot_job_terms_row_t *spot_vc_terms(
    const spot_vc_t *self, const spot_vc_job_t *job)
{
    static const spot_job_terms_row_t rigid = {.scaling_id = -1, .restart_s = -1};
    const int32_t terms_id = self->log->jobs[job->row_id].terms_id;

    return terms_id < 0 ? &rigid : &self->log->terms[terms_id];
}

/* Jobs in the queue. */
static inline size_t spot_vc_num_queued(const spot_vc_t *self)
{
    return self->queue.num_jobs;
}

/* GPUs of the nodes that take jobs. */
static inline int32_t spot_vc_quota(const spot_vc_t *self)
{
    return self->nodes.num_open * self->nodes.gpus_per_node;
}

/* The estimated duration of a job, at the present second. */
static inline double spot_vc_estimate_s(const spot_vc_t *self, int32_t job)
{
    return spot_estimates_estimate_s(self->durations, self->jobs[job].row_id, self->now_s);
}

/* Whether a job has GPUs of one of these nodes. O(parts * nodes). */
static inline bool spot_vc_holds_one(
    const spot_vc_t *self, const spot_vc_job_t *job, size_t num_nodes, const int32_t *node_ids)
{
    for (int32_t part = job->first_part; part >= 0; part = self->nodes.parts[part].next) {
        for (size_t j = 0; j < num_nodes; j++) {
            if (self->nodes.parts[part].node_id == node_ids[j]) {
                return true;
            }
        }
    }
    return false;
}
