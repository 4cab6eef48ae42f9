/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one piece of state behind the clock.
 */
#include "base/clock.h"

struct clock_virtual priv_clock_virtual;
