/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a recording: the first byte chooses the importer (!: recognised, with
 * --now), two files are divided by a zero byte; those of a mapping have --columns and
 * --events before them, each with a zero byte behind. No crash, a refusal says why, what
 * is accepted holds all invariants, and nothing is changed by converting it as --kind
 * counts. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/diag.h"
#include "traces/convert/convert.h"
#include "traces/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes);

static const spot_importer_t *choose_importer(uint8_t byte)
{
    size_t num_importers = 0;

    while (spot_importers[num_importers] != NULL) {
        num_importers++;
    }
    /* Below A, as in the corpus: recognised, however many there are. */
    return byte < 'A' ? NULL : spot_importers[(byte - 'A') % num_importers];
}

static void convert(
    const spot_convert_t *task, const spot_record_input_t *inputs, size_t num_inputs)
{
    spot_convert_report_t report;
    spot_trace_t trace;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = spot_convert(task, num_inputs, inputs, &trace, &report, &diag);
    if (ret == 0) {
        spot_trace_verify(&trace);
    }
    spot_bug_assert((ret == 0) == (diag.num_errors == 0));
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
    spot_diag_free(&diag);
}

/* Takes --columns, which has been cut off the file, and cuts --events off it. */
static void take_mapping(spot_convert_t *task, spot_record_input_t *input, const char *columns)
{
    const char *end = input->num_bytes == 0 ? NULL : memchr(input->bytes, '\0', input->num_bytes);

    task->columns = columns;
    if (end != NULL) {
        task->events = *input->bytes == '\0' ? NULL : input->bytes;
        input->num_bytes -= (size_t) (end - input->bytes) + 1;
        input->bytes = end + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes)
{
    static const char path[] = "availability/4-node/aws-02-29-2024/zone_type.json";
    spot_convert_t task = {.kind = -1, .window_ms = -1};
    const spot_importer_t *importer;
    spot_record_input_t inputs[2];
    const char *text, *second;
    size_t num_text, num_inputs = 1;

    if (num_bytes == 0) {
        return 0;
    }
    importer = choose_importer(bytes[0]);
    text = (const char *) bytes + 1;
    num_text = num_bytes - 1;
    second = num_text == 0 ? NULL : memchr(text, '\0', num_text);
    inputs[0] = (spot_record_input_t){path, text, num_text};
    inputs[1] = (spot_record_input_t){path, "", 0};
    if (second != NULL) {
        inputs[0].num_bytes = (size_t) (second - text);
        inputs[1] = (spot_record_input_t){path, second + 1, num_text - inputs[0].num_bytes - 1};
    }
    task.now = bytes[0] == '!' ? "2025-01-02T03:00:00Z" : NULL;
    if (importer != NULL) {
        task.format = importer->name;
        if (strcmp(importer->name, "mapping") == 0 && second != NULL) {
            take_mapping(&task, &inputs[1], text);
            inputs[0] = inputs[1];
            second = NULL;
        }
        num_inputs =
            importer->num_inputs == 0 ? 1 + (size_t) (second != NULL) : importer->num_inputs;
    }
    convert(&task, inputs, num_inputs);
    task.kind = SPOT_TRACE_COUNTS;
    convert(&task, inputs, num_inputs);
    return 0;
}
