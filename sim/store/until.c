/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/until.h"

#include <math.h>
#include <stdbool.h>

double
spot_until_excess(const spot_until_t *self, const spot_moments_t *moments)
{
    const double half_width = spot_moments_half_width(moments, self->confidence);
    const double wanted = self->half_width > 0 ? self->half_width
                                               : self->relative_half_width *
                                                     fabs(spot_moments_mean(moments));

    if (half_width == 0) {
        const bool is_known =
            self->half_width > 0 ||
            (moments->mean != 0 &&
                self->relative_half_width * (double) moments->num_values >= 3);

        return is_known ? 0 : (double) INFINITY;
    }
    return isfinite(half_width) && wanted > 0 ? half_width / wanted : (double) INFINITY;
}
