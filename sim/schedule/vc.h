/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One virtual cluster (VC): its nodes, the jobs that wait and those that run, in whole
 * seconds of the simulation clock. VCs share nothing, but they have one clock.
 *
 * The phases of a second t: endings, node events, arrivals, the policy's decision,
 * lending of nodes. A job that starts at t works from t + 1 on. Running jobs are brought
 * forward only when something touches them (vc_work.c), so that a second without an
 * event costs nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/calendar.h"
#include "base/error.h"
#include "sim/schedule/core_job.h"
#include "sim/schedule/estimates.h"
#include "sim/schedule/gpu_nodes.h"
#include "sim/schedule/scenario.h"
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

void spot_vc_init(spot_vc_t *self, const spot_schedule_scenario_t *scenario,
    const spot_policy_t *policy, const char *name, int32_t vc_id);
void spot_vc_free(spot_vc_t *self);

/* Starts a replication at start_s, without jobs, and with num_nodes reserved nodes. */
void spot_vc_start_clock(
    spot_vc_t *self, const spot_job_log_t *log, int32_t num_nodes, int64_t start_s);

/* Adds a job of the log, which arrives at enter_s >= the clock; jobs of one second
 * arrive in the order of the log. duration_s: at its nominal GPUs. estimate_s: of its
 * duration; NAN: the policy asks for it. O(1) for jobs in order. */
void spot_vc_add_job(
    spot_vc_t *self, int32_t row_id, int64_t enter_s, int64_t duration_s, double estimate_s);

/* The next second after now_s at which the VC has something to do by itself; INT64_MAX:
 * never. Node events are the caller's. */
int64_t spot_vc_next_due_s(const spot_vc_t *self);

/* The phases of a second. The caller's node events come between the first two. */
void spot_vc_begin_second(spot_vc_t *self, int64_t now_s); /* jobs end */
void spot_vc_schedule(spot_vc_t *self);                    /* jobs arrive and the policy decides */

/* Closes the ledger at the end of the run: what runs is unsaved. */
void spot_vc_finish(spot_vc_t *self, int64_t end_s);

/* ---- Node events, in the second that has begun ---- */

void spot_vc_prepare_nodes(spot_vc_t *self, int32_t num_nodes); /* < 0: cancelled */

/* A node joins the end of the list; -1: no memory. */
int32_t spot_vc_add_node(spot_vc_t *self, int32_t pool_id, int32_t instance);

/* Nodes go together. A rigid job on them loses what is not durable and goes back to the
 * queue; an elastic one goes on with the GPUs that are left, if it may. */
void spot_vc_lose_nodes(spot_vc_t *self, size_t num_lost, const int32_t *node_ids);

/* Nodes take no new job; jobs on them that can checkpoint within notice_s do. */
void spot_vc_notice_nodes(
    spot_vc_t *self, size_t num_nodes, const int32_t *node_ids, int64_t notice_s);

/* Takes a node that holds no job out of the list. */
void spot_vc_remove_node(spot_vc_t *self, int32_t node_id);

/* ---- What a policy sees ---- */

static inline const spot_job_row_t *spot_vc_row(const spot_vc_t *self, int32_t job)
{
    return &self->log->jobs[self->jobs[job].row_id];
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

/* Remaining work of a job with its overhead, and its attained service in GPU-seconds, at
 * the end of second now_s. */
double spot_vc_rest(const spot_vc_t *self, int32_t job);
int64_t spot_vc_service_gpu_s(const spot_vc_t *self, int32_t job);

/* The smallest size that a job may have, and the next one above gpus; 0: none. The only
 * size of a rigid job is its own. O(sizes). */
int32_t spot_vc_next_size(const spot_vc_t *self, int32_t job, int32_t gpus);

/* The largest allowed size up to gpus; 0: none. O(sizes). */
int32_t spot_vc_largest_size(const spot_vc_t *self, int32_t job, int32_t gpus);

/* Throughput of an elastic job at an allowed size, in any unit. O(sizes). */
double spot_vc_throughput(const spot_vc_t *self, int32_t job, int32_t gpus);

/* The next job of the queue, at place, which moves on; -1: there is none. Jobs that start meanwhile
 * stay in it until the decision ends. */
int32_t spot_vc_next_queued(const spot_vc_t *self, spot_queue_place_t *place);

/* The next one with at most so many GPUs. */
int32_t spot_vc_next_queued_up_to(
    const spot_vc_t *self, spot_queue_place_t *place, int32_t most_gpus);

/* Where the jobs are that have joined since the queue was sorted, perhaps with one before them. */
spot_queue_place_t spot_vc_unsorted_queue(const spot_vc_t *self);

/* Puts the queue in order of the keys; the order of equals stays. Call it after keys
 * have been set and before a job starts; from_scratch: keys of jobs that were sorted before have
 * changed too. O(log queue) for a job. */
void spot_vc_sort_queue(spot_vc_t *self, bool from_scratch);

/* ---- What a policy does ---- */

/* Starts a queued job on GPUs of its own, or on another allowed number of them; false:
 * they cannot be placed and it stays in the queue. */
bool spot_vc_start(spot_vc_t *self, int32_t job);
bool spot_vc_start_with(spot_vc_t *self, int32_t job, int32_t gpus);

/* Starts jobs from the head of the queue until one cannot be placed. */
void spot_vc_start_head(spot_vc_t *self);

/* Starts a queued job on the GPUs of a running one that has them for itself. speeds: of
 * the two together, relative to running alone. */
void spot_vc_start_beside(
    spot_vc_t *self, int32_t guest, int32_t host, double guest_speed, double host_speed);

/* Stops a running job, which loses no work, and puts it at the end of the queue. */
void spot_vc_stop(spot_vc_t *self, int32_t job);

/* Gives a running job another number of GPUs; false: it keeps those that it has. */
bool spot_vc_resize(spot_vc_t *self, int32_t job, int32_t gpus);

/* Aborts if an invariant does not hold. O(jobs + nodes). */
void spot_vc_verify(const spot_vc_t *self);
