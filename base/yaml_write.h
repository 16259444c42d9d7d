/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes nodes as YAML that reads back as the same nodes. */
#pragma once

#include <stdio.h>

#include "base/yaml.h"

/* On one line, without its end. */
void spot_yaml_write_flow(const spot_node_t *node, FILE *out);

/* The entries of a map, one a line from num_blanks blanks on; what is within a list, and
 * a map without entries, on one line. */
void spot_yaml_write_block(const spot_node_t *map, int num_blanks, FILE *out);
