/* What the interfaces of FMI 2 and FMI 3 have in common: values, copies of the state, derivatives.
 *
 * The file that includes this one defines `unit`, whose first member is the lw_data `data` and whose member
 * `initializing` is 1 in initialization mode, `say`, the type STATUS and its values FMI_OK, FMI_DISCARD and FMI_ERROR.
 */
#ifndef LW_UNIT_H
#define LW_UNIT_H

#include <stdlib.h>

/* What could not be computed may succeed from another state: importers try a shorter step. */
static STATUS reported(unit *c, lw_status status, STATUS failed)
{
    if (status == LW_OK) {
        return FMI_OK;
    }
    say(c, failed, lw_message(status));
    return failed;
}

static STATUS unsupported(void *component, const char *message)
{
    if (component) {
        say((unit *)component, FMI_ERROR, message);
    }
    return FMI_ERROR;
}

static STATUS initialization(void *component, int limited, double tolerance, double start)
{
    unit *c = (unit *)component;
    if (!c) {
        return FMI_ERROR;
    }
    if (limited && tolerance > 0.0) {
        c->data.tolerance = tolerance > 1e-13 ? tolerance : 1e-13;
    }
    c->data.time = start;
    return FMI_OK;
}

static STATUS initialized(void *component)
{
    unit *c = (unit *)component;
    if (!c) {
        return FMI_ERROR;
    }
    c->initializing = 0;
    return reported(c, lw_settle(&c->data), FMI_ERROR);
}

static STATUS reset(void *component)
{
    if (!component) {
        return FMI_ERROR;
    }
    ((unit *)component)->initializing = 0;
    lw_begin(&((unit *)component)->data);
    return FMI_OK;
}

static STATUS values_read(void *component, const unsigned vr[], size_t n, double values[])
{
    unit *c = (unit *)component;
    size_t i;
    if (!c) {
        return FMI_ERROR;
    }
    for (i = 0; i < n; ++i) {
        lw_status status;
        const double *found = lw_value(&c->data, vr[i], &status);
        if (!found) {
            return unsupported(c, "unknown value reference");
        }
        if (status != LW_OK) {
            return reported(c, status, FMI_DISCARD);
        }
        values[i] = *found;
    }
    return FMI_OK;
}

static STATUS values_set(void *component, const unsigned vr[], size_t n, const double values[])
{
    unit *c = (unit *)component;
    size_t i;
    if (!c) {
        return FMI_ERROR;
    }
    for (i = 0; i < n; ++i) {
        if (!lw_set(&c->data, vr[i], values[i])) {
            return unsupported(c, "this variable cannot be set, or the value reference is unknown");
        }
    }
    return FMI_OK;
}

/* Copies of the state */

static STATUS state_copied(void *component, void **state)
{
    unit *c = (unit *)component;
    if (!c || !state) {
        return FMI_ERROR;
    }
    if (!*state) {
        *state = malloc(sizeof c->data);
    }
    if (!*state) {
        return unsupported(c, "no memory for a copy of the state");
    }
    memcpy(*state, &c->data, sizeof c->data);
    return FMI_OK;
}

static STATUS state_restored(void *component, const void *state)
{
    unit *c = (unit *)component;
    if (!c || !state) {
        return FMI_ERROR;
    }
    memcpy(&c->data, state, sizeof c->data);
    return FMI_OK;
}

static STATUS state_freed(void *component, void **state)
{
    if (!component || !state) {
        return FMI_ERROR;
    }
    free(*state);
    *state = NULL;
    return FMI_OK;
}

static STATUS state_size(void *component, const void *state, size_t *size)
{
    if (!component || !state || !size) {
        return FMI_ERROR;
    }
    *size = sizeof(lw_data);
    return FMI_OK;
}

static STATUS state_as_bytes(void *component, const void *state, void *bytes, size_t size)
{
    if (!component || !state || size < sizeof(lw_data)) {
        return FMI_ERROR;
    }
    memcpy(bytes, state, sizeof(lw_data));
    return FMI_OK;
}

static STATUS state_of_bytes(void *component, const void *bytes, size_t size, void **state)
{
    if (!component || !state || size != sizeof(lw_data)) {
        return unsupported(component, "these bytes are not a state of this unit");
    }
    if (!*state) {
        *state = malloc(sizeof(lw_data));
    }
    if (!*state) {
        return unsupported(component, "no memory for a copy of the state");
    }
    memcpy(*state, bytes, sizeof(lw_data));
    return FMI_OK;
}

/* Derivatives of the unknowns along a direction of the knowns. */
static STATUS directional(void *component, const unsigned unknown[], size_t n, const unsigned known[], size_t m,
                          const double seed[], double found[])
{
    unit *c = (unit *)component;
    lw_direction d;
    lw_status status;
    size_t i;
    int needs = 0;
    if (!c || !LW_DERIVATIVES) {
        return unsupported(c, "this unit was exported without derivatives");
    }
    memset(&d, 0, sizeof d);
    for (i = 0; i < m; ++i) {
        double *at = lw_known(&d, known[i]);
        if (!at) {
            return unsupported(c, "derivatives are by efforts, parameters, states and time");
        }
        *at += seed[i];
    }
    for (i = 0; i < n; ++i) {
        if (!lw_unknown(&d, unknown[i])) {
            return unsupported(c, "derivatives are of states, their rates and outputs");
        }
        needs |= lw_need(unknown[i]);
    }
    status = lw_directional(&c->data, c->initializing, needs, &d);
    for (i = 0; i < n; ++i) {
        found[i] = *lw_unknown(&d, unknown[i]);
    }
    return reported(c, status, FMI_DISCARD);
}

/* Model exchange */

static STATUS time_set(void *component, double time)
{
    if (!component) {
        return FMI_ERROR;
    }
    ((unit *)component)->data.time = time;
    return FMI_OK;
}

static STATUS wrong_size(void *component)
{
    return unsupported(component, "the number of continuous states or event indicators is another one");
}

static STATUS states_set(void *component, const double x[], size_t n)
{
    unit *c = (unit *)component;
    if (!c || n != LW_NX) {
        return wrong_size(c);
    }
    memcpy(c->data.x, x, sizeof c->data.x);
    lw_changed(&c->data);
    return FMI_OK;
}

static STATUS states_read(void *component, double x[], size_t n)
{
    unit *c = (unit *)component;
    if (!c || n != LW_NX) {
        return wrong_size(c);
    }
    memcpy(x, c->data.x, sizeof c->data.x);
    return FMI_OK;
}

static STATUS rates_read(void *component, double rates[], size_t n)
{
    unit *c = (unit *)component;
    lw_status status;
    if (!c || n != LW_NX) {
        return wrong_size(c);
    }
    status = lw_have_rates(&c->data);
    memcpy(rates, c->data.rates, sizeof c->data.rates);
    return reported(c, status, FMI_DISCARD);
}

static STATUS nominals_read(void *component, double nominals[], size_t n)
{
    size_t i;
    if (!component || n != LW_NX) {
        return wrong_size(component);
    }
    for (i = 0; i < n; ++i) {
        nominals[i] = 1.0;
    }
    return FMI_OK;
}

/* Distances to the limits of joints: positive inside. */
static STATUS indicators_read(void *component, double indicators[], size_t n)
{
    unit *c = (unit *)component;
    if (!c || n != LW_N_LIMITS) {
        return wrong_size(c);
    }
    lw_have_limits(&c->data);
    if (n > 0) {
        memcpy(indicators, c->data.limits, n * sizeof *indicators);
    }
    return FMI_OK;
}

#endif
