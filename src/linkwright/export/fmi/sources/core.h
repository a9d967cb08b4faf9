/* State of one mechanism and how it moves: shared by the interfaces of FMI 2 and FMI 3.
 *
 * equations.h, which is made for every mechanism, defines its sizes (LW_NQ coordinates, LW_NV velocities, LW_NA efforts,
 * LW_NP parameters, ...) and the functions lw_accelerations, lw_coordinate_rates, lw_project, lw_residuals, lw_close,
 * lw_blocks, lw_all_velocities, lw_results, lw_reactions and lw_limits, and of some the derivatives along a direction,
 * lw_..._tangent. Ill-conditioned results have NaN as their first number.
 */
#ifndef LW_CORE_H
#define LW_CORE_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "equations.h"

#define LW_NX (LW_NQ + LW_NV)
#define LW_SIZE(n) ((n) > 0 ? (n) : 1)

/* loops count as closed below this residual, m or rad; velocities of large sizes leave residuals of rounding */
#define LW_CLOSED (1e-12 * (LW_LENGTH > 1.0 ? LW_LENGTH : 1.0))
#define LW_CLOSING_STEPS 60
#define LW_STRIDES 16
#define LW_PROJECTIONS 6

/* of co-simulation: steps inside one communication step at most, and the shortest of them as a share of it */
#define LW_MOST_STEPS 100000
#define LW_SHORTEST 1e-12

typedef enum { LW_OK, LW_OPEN, LW_BRANCH_LOST, LW_SINGULAR, LW_NOT_FINITE, LW_TOO_MANY_STEPS } lw_status;

typedef struct {
    double time;
    double x[LW_NX];                      /* coordinates, velocities */
    double tau[LW_SIZE(LW_NA)];           /* efforts */
    double p[LW_SIZE(LW_NP)];             /* parameters */
    double pull;                          /* rate at which open loops are closed in model exchange, 1/s */
    double tolerance;                     /* of co-simulation */
    double step;                          /* next step of co-simulation, s; 0 if unknown */
    double rates[LW_NX];                  /* time derivatives of x in model exchange */
    double results[LW_SIZE(LW_N_RESULTS)];
    double reactions[LW_SIZE(LW_N_REACTIONS)];
    double limits[LW_SIZE(LW_N_LIMITS)];  /* distances to limits of joints, positive inside */
    double closed[LW_NQ];                 /* coordinates before states or parameters were set */
    int moved;                            /* states or parameters were set: loops have to be closed */
    int guessed;                          /* coordinates that follow from others were set, as guesses */
    int have_rates, have_results, have_reactions, have_limits;
} lw_data;

/* A direction of states, efforts and parameters, and the derivatives along it. */
typedef struct {
    double time;
    double x[LW_NX];
    double tau[LW_SIZE(LW_NA)];
    double p[LW_SIZE(LW_NP)];
    double pull;
    double rates[LW_NX];
    double results[LW_SIZE(LW_N_RESULTS)];
    double reactions[LW_SIZE(LW_N_REACTIONS)];
    double limits[LW_SIZE(LW_N_LIMITS)];
} lw_direction;

/* what derivatives are needed of */
#define LW_NEED_RATES 1
#define LW_NEED_RESULTS 2
#define LW_NEED_REACTIONS 4
#define LW_NEED_LIMITS 8

static const char *lw_message(lw_status status)
{
    switch (status) {
    case LW_OPEN:
        return "the loops do not close from these coordinates: start nearer to a closed configuration";
    case LW_BRANCH_LOST:
        return "the loops close there only in another assembly mode: give guesses of the other coordinates too";
    case LW_SINGULAR:
        return "the mechanism stands next to a singular position, where its accelerations are not determined";
    case LW_NOT_FINITE:
        return "a state, an effort or a parameter is not finite";
    case LW_TOO_MANY_STEPS:
        return "the motion needs too many steps inside one communication step: shorten it or loosen the tolerance";
    default:
        return "";
    }
}

static int lw_finite(const double *x, size_t n)
{
    size_t i;
    for (i = 0; i < n; ++i) {
        if (!(x[i] - x[i] == 0.0)) {
            return 0;
        }
    }
    return 1;
}

static void lw_changed(lw_data *m)
{
    m->have_rates = m->have_results = m->have_reactions = m->have_limits = 0;
}

static void lw_begin(lw_data *m)
{
    memset(m, 0, sizeof *m);
    memcpy(m->x, lw_home, sizeof lw_home);
    memcpy(m->closed, lw_home, sizeof lw_home);
    memcpy(m->p, lw_nominal, sizeof lw_nominal);
    m->pull = LW_PULL;
    m->tolerance = LW_TOLERANCE;
    m->moved = 1;
}

/* Time derivatives of a state, with open loops pulled together at the rate `pull`. */
static lw_status lw_derivatives(const lw_data *m, const double *x, double pull, double *rates)
{
    double *a = rates + LW_NQ;
    lw_coordinate_rates(x, x + LW_NQ, m->p, rates);
    lw_accelerations(x, x + LW_NQ, m->tau, &pull, m->p, a);
    if (!lw_finite(a, LW_NV)) {
        lw_accelerations_again(x, x + LW_NQ, m->tau, m->p, a);
    }
    if (lw_finite(rates, LW_NX)) {
        return LW_OK;
    }
    return lw_finite(x, LW_NX) && lw_finite(m->tau, LW_NA) && lw_finite(m->p, LW_NP) ? LW_SINGULAR : LW_NOT_FINITE;
}

static double lw_residual(const lw_data *m, const double *x)
{
    double found[2], fastest = 0.0;
    int i;
    lw_residuals(x, x + LW_NQ, m->p, found);
    for (i = LW_NQ; i < LW_NX; ++i) {
        fastest = fabs(x[i]) > fastest ? fabs(x[i]) : fastest;
    }
    found[1] /= 1.0 + fastest;
    return found[0] > found[1] ? found[0] : found[1];
}

/* Bring coordinates and velocities to closed loops and unit quaternions, along the least kinetic energy. */
static lw_status lw_projected(const lw_data *m, double *x)
{
    double next[LW_NX];
    int k;
    for (k = 0; k < LW_PROJECTIONS; ++k) {
        lw_project(x, x + LW_NQ, m->p, next + LW_NQ, next);
        if (!lw_finite(next, LW_NX)) {
            return lw_finite(x, LW_NX) ? LW_SINGULAR : LW_NOT_FINITE;
        }
        memcpy(x, next, sizeof next);
        if (lw_residual(m, x) <= LW_CLOSED) {
            return LW_OK;
        }
    }
    return lw_residual(m, x) <= 1e3 * LW_CLOSED ? LW_OK : LW_OPEN;
}

/* Close the loops with the independent coordinates kept, by damped Newton steps. */
static lw_status lw_newton(const lw_data *m, double *q)
{
    double from[LW_NQ], to[LW_NQ], next[LW_NQ], residual, before = 0.0, share = 1.0;
    int i, k;
    memcpy(from, q, sizeof from);
    memcpy(to, q, sizeof to);
    for (k = 0; k <= LW_CLOSING_STEPS; ++k) {
        for (i = 0; i < LW_NQ; ++i) {
            q[i] = from[i] + share * (to[i] - from[i]);
        }
        lw_close(q, m->p, &residual, next);
        if (!lw_finite(next, LW_NQ)) {
            return lw_finite(q, LW_NQ) && lw_finite(m->p, LW_NP) ? LW_SINGULAR : LW_NOT_FINITE;
        }
        if (k > 0 && residual > before && share > 1e-3 && residual > LW_CLOSED) {
            share *= 0.5;
            continue;
        }
        if (residual <= LW_CLOSED) {
            memcpy(q, next, sizeof next);
            return LW_OK;
        }
        memcpy(from, q, sizeof from);
        memcpy(to, next, sizeof to);
        before = residual;
        share = 1.0;
    }
    return LW_OPEN;
}

/* Follow the independent coordinates from the last closed ones in strides, on the branch of these. */
static lw_status lw_followed(const lw_data *m, double *q)
{
    double goal[LW_NQ], first[LW_SIZE(LW_N_BLOCKS)], now[LW_SIZE(LW_N_BLOCKS)];
    lw_status status;
    int i, k;
    memcpy(goal, q, sizeof goal);
    memcpy(q, m->closed, sizeof goal);
    lw_blocks(q, m->p, first);
    for (k = 1; k <= LW_STRIDES; ++k) {
        for (i = 0; i < LW_NQ; ++i) {
            if (lw_exact[i]) {
                q[i] = k == LW_STRIDES ? goal[i] : m->closed[i] + k * (goal[i] - m->closed[i]) / LW_STRIDES;
            }
        }
        status = lw_newton(m, q);
        if (status != LW_OK) {
            return status;
        }
        lw_blocks(q, m->p, now);
        for (i = 0; i < LW_N_BLOCKS; ++i) {
            if (!(first[i] * now[i] > 0.0)) {
                return LW_BRANCH_LOST;
            }
        }
    }
    return LW_OK;
}

/* Close the loops with the independent coordinates and velocities kept; guesses of the others decide the branch. */
static lw_status lw_closed(const lw_data *m, double *x)
{
    double v[LW_SIZE(LW_N_INDEPENDENT)];
    lw_status status;
    int i;
    if (!LW_LOOPS) {
        return lw_projected(m, x);
    }
    status = m->guessed ? lw_newton(m, x) : lw_followed(m, x);
    if (status != LW_OK) {
        return status;
    }
    for (i = 0; i < LW_N_INDEPENDENT; ++i) {
        v[i] = x[LW_NQ + lw_independent[i]];
    }
    lw_all_velocities(x, v, m->p, x + LW_NQ);
    return lw_finite(x, LW_NX) ? LW_OK : LW_SINGULAR;
}

/* Close the loops after an initialization or a change of parameters. */
static lw_status lw_settle(lw_data *m)
{
    double x[LW_NX];
    lw_status status;
    if (!m->moved) {
        return LW_OK;
    }
    memcpy(x, m->x, sizeof x);
    status = lw_closed(m, x);
    if (status == LW_OK) {
        memcpy(m->x, x, sizeof x);
        m->moved = m->guessed = 0;
        m->step = 0.0;
        lw_changed(m);
    }
    return status;
}

static lw_status lw_have_rates(lw_data *m)
{
    lw_status status = m->have_rates ? LW_OK : lw_derivatives(m, m->x, m->pull, m->rates);
    m->have_rates = status == LW_OK;
    return status;
}

/* Poses and positions of actuators, and with them the reactions, of the state brought to closed loops. */
static lw_status lw_have_results(lw_data *m, int reactions)
{
    double x[LW_NX], rates[LW_NX];
    lw_status status;
    if (reactions ? m->have_reactions : m->have_results) {
        return LW_OK;
    }
    memcpy(x, m->x, sizeof x);
    status = lw_projected(m, x);
    if (status == LW_OK && reactions) {
        status = lw_derivatives(m, x, 0.0, rates);
        if (status == LW_OK) {
            lw_reactions(x, x + LW_NQ, rates + LW_NQ, m->tau, m->p, m->reactions);
            status = lw_finite(m->reactions, LW_N_REACTIONS) ? LW_OK : LW_SINGULAR;
            m->have_reactions = status == LW_OK;
        }
    } else if (status == LW_OK) {
        lw_results(x, x + LW_NQ, m->p, m->results);
        m->have_results = 1;
    }
    return status;
}

static void lw_have_limits(lw_data *m)
{
    if (!m->have_limits) {
        lw_limits(m->x, m->x + LW_NQ, m->p, m->limits);
        m->have_limits = 1;
    }
}

/* The direction in which states move when the loops are closed again, with the independent ones kept: at closed loops
 * one Newton step has the derivative of the closed state. */
static void lw_closed_direction(const lw_data *m, double *x, const double *p)
{
    double q[LW_NQ], next[LW_NX], v[LW_SIZE(LW_N_INDEPENDENT)], rates[LW_SIZE(LW_N_INDEPENDENT)], residual;
    int i;
    if (!LW_LOOPS) {
        lw_project_tangent(m->x, m->x + LW_NQ, m->p, x, x + LW_NQ, p, next + LW_NQ, next);
        memcpy(x, next, sizeof next);
        return;
    }
    for (i = 0; i < LW_NQ; ++i) {
        q[i] = lw_exact[i] ? x[i] : 0.0;
    }
    for (i = 0; i < LW_N_INDEPENDENT; ++i) {
        v[i] = m->x[LW_NQ + lw_independent[i]];
        rates[i] = x[LW_NQ + lw_independent[i]];
    }
    lw_close_tangent(m->x, m->p, q, p, &residual, next);
    lw_all_velocities_tangent(m->x, v, m->p, next, rates, p, next + LW_NQ);
    memcpy(x, next, sizeof next);
}

/* Derivatives along a direction. In initialization mode, and where parameters change, the loops are closed again. */
static lw_status lw_directional(lw_data *m, int initializing, int needs, lw_direction *d)
{
    double x[LW_NX], y[LW_NX], base[LW_NX], a[LW_NV], moved[LW_NX], nothing[LW_SIZE(LW_NP)];
    const double zero = 0.0;
    lw_status status = lw_settle(m);
    int i;
    if (status != LW_OK) {
        return status;
    }
    memset(nothing, 0, sizeof nothing);
    if (initializing) {
        lw_closed_direction(m, d->x, d->p);
    } else if (memcmp(nothing, d->p, sizeof nothing) != 0) {
        memset(moved, 0, sizeof moved);
        lw_closed_direction(m, moved, d->p);
        for (i = 0; i < LW_NX; ++i) {
            d->x[i] += moved[i];
        }
    }
    if (needs & LW_NEED_RATES) {
        lw_coordinate_rates_tangent(m->x, m->x + LW_NQ, m->p, d->x, d->x + LW_NQ, d->p, d->rates);
        lw_accelerations_tangent(m->x, m->x + LW_NQ, m->tau, &m->pull, m->p, d->x, d->x + LW_NQ, d->tau, &d->pull, d->p,
                                 d->rates + LW_NQ);
    }
    if (needs & LW_NEED_LIMITS) {
        lw_limits_tangent(m->x, m->x + LW_NQ, m->p, d->x, d->x + LW_NQ, d->p, d->limits);
    }
    if (needs & (LW_NEED_RESULTS | LW_NEED_REACTIONS)) {
        memcpy(x, m->x, sizeof x);
        status = lw_projected(m, x);
        if (status != LW_OK) {
            return status;
        }
        lw_project_tangent(x, x + LW_NQ, m->p, d->x, d->x + LW_NQ, d->p, y + LW_NQ, y);
        lw_results_tangent(x, x + LW_NQ, m->p, y, y + LW_NQ, d->p, d->results);
    }
    if (needs & LW_NEED_REACTIONS) {
        status = lw_derivatives(m, x, 0.0, base);
        if (status != LW_OK) {
            return status;
        }
        lw_reactions(x, x + LW_NQ, base + LW_NQ, m->tau, m->p, d->reactions);
        if (!lw_finite(d->reactions, LW_N_REACTIONS)) {
            return LW_SINGULAR;
        }
        lw_accelerations_tangent(x, x + LW_NQ, m->tau, &zero, m->p, y, y + LW_NQ, d->tau, &zero, d->p, a);
        lw_reactions_tangent(x, x + LW_NQ, base + LW_NQ, m->tau, m->p, y, y + LW_NQ, a, d->tau, d->p, d->reactions);
    }
    if (lw_finite(d->x, LW_NX) && lw_finite(d->rates, LW_NX) && lw_finite(d->results, LW_N_RESULTS)
        && lw_finite(d->reactions, LW_N_REACTIONS) && lw_finite(d->limits, LW_N_LIMITS)) {
        return LW_OK;
    }
    return lw_finite(m->x, LW_NX) && lw_finite(m->tau, LW_NA) && lw_finite(m->p, LW_NP) ? LW_SINGULAR : LW_NOT_FINITE;
}

/* Where the direction of a variable that derivatives are taken by is stored, null if there are none. */
static double *lw_known(lw_direction *d, unsigned reference)
{
    if (reference == LW_VR_TIME) {
        return &d->time;
    }
    if (reference < LW_VR_PARAMETERS) {
        return d->tau + (reference - LW_VR_EFFORTS);
    }
    if (reference < LW_VR_PULL) {
        return d->p + (reference - LW_VR_PARAMETERS);
    }
    if (reference == LW_VR_PULL) {
        return &d->pull;
    }
    return reference < LW_VR_RATES ? d->x + (reference - LW_VR_STATES) : NULL;
}

/* Where the derivative of a variable is stored, null if it has none. */
static double *lw_unknown(lw_direction *d, unsigned reference)
{
    if (reference < LW_VR_STATES || reference >= LW_VR_END) {
        return NULL;
    }
    if (reference < LW_VR_RATES) {
        return d->x + (reference - LW_VR_STATES);
    }
    if (reference < LW_VR_RESULTS) {
        return d->rates + (reference - LW_VR_RATES);
    }
    if (reference < LW_VR_REACTIONS) {
        return d->results + (reference - LW_VR_RESULTS);
    }
    if (reference < LW_VR_LIMITS) {
        return d->reactions + (reference - LW_VR_REACTIONS);
    }
    return d->limits + (reference - LW_VR_LIMITS);
}

/* What the derivative of a variable needs. */
static int lw_need(unsigned reference)
{
    if (reference < LW_VR_RATES) {
        return 0;
    }
    if (reference < LW_VR_RESULTS) {
        return LW_NEED_RATES;
    }
    if (reference < LW_VR_REACTIONS) {
        return LW_NEED_RESULTS;
    }
    return reference < LW_VR_LIMITS ? LW_NEED_REACTIONS : LW_NEED_LIMITS;
}

/* Dormand and Prince's method of order 5 with an error estimate of order 4 (J. Comp. Appl. Math. 6, 1980). */
#define LW_STAGES 7
static const double lw_weights[LW_STAGES][LW_STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
static const double lw_errors[LW_STAGES] = {71.0 / 57600,      0,        -71.0 / 16695, 71.0 / 1920,
                                            -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

/* One step from m->x; k[0] holds the derivative there. The error is relative to the tolerance. */
static lw_status lw_stepped(const lw_data *m, double h, double k[LW_STAGES][LW_NX], double *x, double *error)
{
    lw_status status;
    int s, j, i;
    for (s = 1; s < LW_STAGES; ++s) {
        for (i = 0; i < LW_NX; ++i) {
            double sum = 0.0;
            for (j = 0; j < s; ++j) {
                sum += lw_weights[s][j] * k[j][i];
            }
            x[i] = m->x[i] + h * sum;
        }
        status = lw_derivatives(m, x, 0.0, k[s]);
        if (status != LW_OK) {
            return status;
        }
    }
    *error = 0.0;
    for (i = 0; i < LW_NX; ++i) {
        const double old = fabs(m->x[i]), now = fabs(x[i]);
        double sum = 0.0;
        for (j = 0; j < LW_STAGES; ++j) {
            sum += lw_errors[j] * k[j][i];
        }
        sum = fabs(h * sum) / (m->tolerance * (1.0 + (old > now ? old : now)));
        *error = sum > *error ? sum : *error;
    }
    return LW_OK;
}

/* Advance by a communication step with constant efforts; after a failure the state is that before it. */
static lw_status lw_advance(lw_data *m, double length)
{
    double k[LW_STAGES][LW_NX], x[LW_NX], start[LW_NX], error, done = 0.0;
    lw_status status = lw_settle(m);
    int count, fresh = 0;
    if (status != LW_OK) {
        return status;
    }
    memcpy(start, m->x, sizeof start);
    for (count = 0; done < length && count < LW_MOST_STEPS; ++count) {
        const double left = length - done;
        double h = m->step > 0.0 && m->step < left ? m->step : left;
        if (left - h < 1e-9 * length) {
            h = left;
        }
        if (!fresh) {
            status = lw_derivatives(m, m->x, 0.0, k[0]);
            fresh = status == LW_OK;
        }
        if (status == LW_OK) {
            status = lw_stepped(m, h, k, x, &error);
        }
        if (status == LW_OK && error <= 1.0) {
            status = lw_projected(m, x);
        }
        if (status == LW_OK && error <= 1.0) {
            const double factor = 0.9 * pow(error > 1e-10 ? error : 1e-10, -0.2);
            memcpy(m->x, x, sizeof x);
            done = h == left ? length : done + h;
            if (h < left || factor < 1.0 || m->step <= h) {
                m->step = h * (factor < 5.0 ? factor : 5.0);
            }
            fresh = 0;
            continue;
        }
        if (status == LW_OK) {
            const double factor = 0.9 * pow(error, -0.2);
            m->step = h * (factor > 0.2 ? factor : 0.2);
        } else {
            m->step = 0.25 * h;
        }
        if (!fresh || m->step < LW_SHORTEST * length) {
            status = status == LW_OK ? LW_TOO_MANY_STEPS : status;
            break;
        }
        status = LW_OK;
    }
    if (status == LW_OK && done < length) {
        status = LW_TOO_MANY_STEPS;
    }
    if (status != LW_OK) {
        memcpy(m->x, start, sizeof start);
    }
    lw_changed(m);
    return status;
}

/* The number of a value reference: where it is stored after everything it needs was computed, null if unknown. */
static const double *lw_value(lw_data *m, unsigned reference, lw_status *status)
{
    *status = LW_OK;
    if (reference == LW_VR_TIME) {
        return &m->time;
    }
    if (reference < LW_VR_PARAMETERS) {
        return m->tau + (reference - LW_VR_EFFORTS);
    }
    if (reference < LW_VR_PULL) {
        return m->p + (reference - LW_VR_PARAMETERS);
    }
    if (reference == LW_VR_PULL) {
        return &m->pull;
    }
    if (m->moved && reference < LW_VR_END) {
        *status = lw_settle(m);
    }
    if (reference < LW_VR_RATES) {
        return m->x + (reference - LW_VR_STATES);
    }
    if (*status == LW_OK && reference < LW_VR_RESULTS) {
        *status = lw_have_rates(m);
        return m->rates + (reference - LW_VR_RATES);
    }
    if (*status == LW_OK && reference < LW_VR_REACTIONS) {
        *status = lw_have_results(m, 0);
        return m->results + (reference - LW_VR_RESULTS);
    }
    if (*status == LW_OK && reference < LW_VR_LIMITS) {
        *status = lw_have_results(m, 1);
        return m->reactions + (reference - LW_VR_REACTIONS);
    }
    if (*status == LW_OK && reference < LW_VR_END) {
        lw_have_limits(m);
        return m->limits + (reference - LW_VR_LIMITS);
    }
    return *status == LW_OK ? NULL : m->x;
}

/* Set the number of a value reference; 0 if it cannot be set. */
static int lw_set(lw_data *m, unsigned reference, double value)
{
    double *at = &m->pull;
    if (reference == LW_VR_TIME || reference >= LW_VR_RATES) {
        return 0;
    }
    if (reference < LW_VR_PARAMETERS) {
        at = m->tau + (reference - LW_VR_EFFORTS);
    } else if (reference < LW_VR_PULL) {
        at = m->p + (reference - LW_VR_PARAMETERS);
    } else if (reference >= LW_VR_STATES) {
        at = m->x + (reference - LW_VR_STATES);
    }
    if (*at != value) {
        const int moves = (reference >= LW_VR_PARAMETERS && reference < LW_VR_PULL) || reference >= LW_VR_STATES;
        if (moves && !m->moved) {
            memcpy(m->closed, m->x, sizeof m->closed);
        }
        *at = value;
        lw_changed(m);
        m->moved |= moves;
        m->guessed |= reference >= LW_VR_STATES && reference < LW_VR_STATES + LW_NQ && !lw_exact[reference - LW_VR_STATES];
    }
    return 1;
}

#endif
