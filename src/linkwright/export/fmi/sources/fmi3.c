/* The mechanism of equations.h behind the Functional Mock-up Interface 3.0: model exchange and co-simulation. */
#include "fmi3.h"

#include "core.h"

#define STATUS fmi3Status
#define FMI_OK fmi3OK
#define FMI_DISCARD fmi3Discard
#define FMI_ERROR fmi3Error

typedef struct {
    lw_data data;
    int initializing; /* 1 in initialization mode */
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
    int steps; /* 1 for co-simulation */
    int logging;
} unit;

typedef const fmi3ValueReference *references;

static void say(unit *c, fmi3Status status, const char *message)
{
    if (c->log && (c->logging || status >= fmi3Error)) {
        c->log(c->environment, status, "logAll", message);
    }
}

#include "unit.h"

LW_EXPORT const char *FMI3(fmi3GetVersion)(void)
{
    return "3.0";
}

LW_EXPORT fmi3Status FMI3(fmi3SetDebugLogging)(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String names[])
{
    (void)n;
    (void)names;
    if (!c) {
        return fmi3Error;
    }
    ((unit *)c)->logging = on;
    return fmi3OK;
}

static fmi3Instance made(fmi3String token, fmi3Boolean logging, fmi3InstanceEnvironment environment,
                         fmi3LogMessageCallback log, int steps)
{
    unit *c = (unit *)calloc(1, sizeof(unit));
    if (!c) {
        return NULL;
    }
    c->environment = environment;
    c->log = log;
    c->steps = steps;
    c->logging = logging;
    if (!token || strcmp(token, LW_TOKEN) != 0) {
        say(c, fmi3Error, "the instantiation token of modelDescription.xml is not that of this code: " LW_TOKEN);
        free(c);
        return NULL;
    }
    lw_begin(&c->data);
    return c;
}

LW_EXPORT fmi3Instance FMI3(fmi3InstantiateModelExchange)(fmi3String name, fmi3String token, fmi3String resources,
                                                          fmi3Boolean visible, fmi3Boolean logging,
                                                          fmi3InstanceEnvironment environment,
                                                          fmi3LogMessageCallback log)
{
    (void)name;
    (void)resources;
    (void)visible;
    return made(token, logging, environment, log, 0);
}

LW_EXPORT fmi3Instance FMI3(fmi3InstantiateCoSimulation)(fmi3String name, fmi3String token, fmi3String resources,
                                                         fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events,
                                                         fmi3Boolean early, const fmi3ValueReference vr[], size_t n,
                                                         fmi3InstanceEnvironment environment,
                                                         fmi3LogMessageCallback log,
                                                         fmi3IntermediateUpdateCallback update)
{
    (void)name;
    (void)resources;
    (void)visible;
    (void)events;
    (void)early;
    (void)vr;
    (void)n;
    (void)update;
    return made(token, logging, environment, log, 1);
}

LW_EXPORT fmi3Instance FMI3(fmi3InstantiateScheduledExecution)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3ClockUpdateCallback update,
    fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock)
{
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)update;
    (void)lock;
    (void)unlock;
    if (log) {
        log(environment, fmi3Error, "logAll", "scheduled execution is not provided");
    }
    return NULL;
}

LW_EXPORT void FMI3(fmi3FreeInstance)(fmi3Instance c)
{
    free(c);
}

LW_EXPORT fmi3Status FMI3(fmi3EnterInitializationMode)(fmi3Instance instance, fmi3Boolean limited,
                                                       fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean ends,
                                                       fmi3Float64 stop)
{
    (void)ends;
    (void)stop;
    if (instance) {
        ((unit *)instance)->initializing = 1;
    }
    return initialization(instance, limited, tolerance, start);
}

/* Modes in which nothing is computed. */
#define NOTHING(name)                                                                                                  \
    LW_EXPORT fmi3Status FMI3(name)(fmi3Instance c)                                                                    \
    {                                                                                                                  \
        return c ? fmi3OK : fmi3Error;                                                                                 \
    }

NOTHING(fmi3EnterEventMode)
NOTHING(fmi3Terminate)
NOTHING(fmi3EnterConfigurationMode)
NOTHING(fmi3ExitConfigurationMode)
NOTHING(fmi3EvaluateDiscreteStates)
NOTHING(fmi3EnterContinuousTimeMode)
NOTHING(fmi3EnterStepMode)

LW_EXPORT fmi3Status FMI3(fmi3ExitInitializationMode)(fmi3Instance instance)
{
    return initialized(instance);
}

LW_EXPORT fmi3Status FMI3(fmi3Reset)(fmi3Instance c)
{
    return reset(c);
}

LW_EXPORT fmi3Status FMI3(fmi3GetFloat64)(fmi3Instance instance, const fmi3ValueReference vr[], size_t n,
                                          fmi3Float64 values[], size_t size)
{
    if (size != n) {
        return unsupported(instance, "as many values as variables are read: all are scalars");
    }
    return values_read(instance, vr, n, values);
}

LW_EXPORT fmi3Status FMI3(fmi3SetFloat64)(fmi3Instance instance, const fmi3ValueReference vr[], size_t n,
                                          const fmi3Float64 values[], size_t size)
{
    if (size != n) {
        return unsupported(instance, "as many values as variables are set: all are scalars");
    }
    return values_set(instance, vr, n, values);
}

/* There are only variables of type Float64. */
#define NO_VARIABLES(kind, type)                                                                                       \
    LW_EXPORT fmi3Status FMI3(fmi3Get##kind)(fmi3Instance c, references vr, size_t n, type values[], size_t size)      \
    {                                                                                                                  \
        (void)vr;                                                                                                      \
        (void)values;                                                                                                  \
        (void)size;                                                                                                    \
        return n == 0 ? fmi3OK : unsupported(c, "there is no variable of this type");                                  \
    }                                                                                                                  \
    LW_EXPORT fmi3Status FMI3(fmi3Set##kind)(fmi3Instance c, references vr, size_t n, const type values[],             \
                                             size_t size)                                                              \
    {                                                                                                                  \
        (void)vr;                                                                                                      \
        (void)values;                                                                                                  \
        (void)size;                                                                                                    \
        return n == 0 ? fmi3OK : unsupported(c, "there is no variable of this type");                                  \
    }

NO_VARIABLES(Float32, fmi3Float32)
NO_VARIABLES(Int8, fmi3Int8)
NO_VARIABLES(UInt8, fmi3UInt8)
NO_VARIABLES(Int16, fmi3Int16)
NO_VARIABLES(UInt16, fmi3UInt16)
NO_VARIABLES(Int32, fmi3Int32)
NO_VARIABLES(UInt32, fmi3UInt32)
NO_VARIABLES(Int64, fmi3Int64)
NO_VARIABLES(UInt64, fmi3UInt64)
NO_VARIABLES(Boolean, fmi3Boolean)
NO_VARIABLES(String, fmi3String)

LW_EXPORT fmi3Status FMI3(fmi3GetBinary)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, size_t sizes[],
                                         fmi3Binary values[], size_t size)
{
    (void)vr;
    (void)sizes;
    (void)values;
    (void)size;
    return n == 0 ? fmi3OK : unsupported(c, "there is no variable of this type");
}

LW_EXPORT fmi3Status FMI3(fmi3SetBinary)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const size_t sizes[],
                                         const fmi3Binary values[], size_t size)
{
    (void)vr;
    (void)sizes;
    (void)values;
    (void)size;
    return n == 0 ? fmi3OK : unsupported(c, "there is no variable of this type");
}

LW_EXPORT fmi3Status FMI3(fmi3GetClock)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Clock values[])
{
    (void)vr;
    (void)values;
    return n == 0 ? fmi3OK : unsupported(c, "there are no clocks");
}

LW_EXPORT fmi3Status FMI3(fmi3SetClock)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                        const fmi3Clock values[])
{
    (void)vr;
    (void)values;
    return n == 0 ? fmi3OK : unsupported(c, "there are no clocks");
}

LW_EXPORT fmi3Status FMI3(fmi3GetNumberOfVariableDependencies)(fmi3Instance c, fmi3ValueReference vr, size_t *n)
{
    (void)vr;
    (void)n;
    return unsupported(c, "dependencies of single elements are not provided");
}

LW_EXPORT fmi3Status FMI3(fmi3GetVariableDependencies)(fmi3Instance c, fmi3ValueReference dependent, size_t elements[],
                                                       fmi3ValueReference independents[], size_t others[],
                                                       fmi3DependencyKind kinds[], size_t n)
{
    (void)dependent;
    (void)elements;
    (void)independents;
    (void)others;
    (void)kinds;
    (void)n;
    return unsupported(c, "dependencies of single elements are not provided");
}

LW_EXPORT fmi3Status FMI3(fmi3GetFMUState)(fmi3Instance instance, fmi3FMUState *state)
{
    return state_copied(instance, state);
}

LW_EXPORT fmi3Status FMI3(fmi3SetFMUState)(fmi3Instance instance, fmi3FMUState state)
{
    return state_restored(instance, state);
}

LW_EXPORT fmi3Status FMI3(fmi3FreeFMUState)(fmi3Instance c, fmi3FMUState *state)
{
    return state_freed(c, state);
}

LW_EXPORT fmi3Status FMI3(fmi3SerializedFMUStateSize)(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    return state_size(c, state, size);
}

LW_EXPORT fmi3Status FMI3(fmi3SerializeFMUState)(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    return state_as_bytes(c, state, bytes, size);
}

LW_EXPORT fmi3Status FMI3(fmi3DeserializeFMUState)(fmi3Instance c, const fmi3Byte bytes[], size_t size,
                                                   fmi3FMUState *state)
{
    return state_of_bytes(c, bytes, size, state);
}

LW_EXPORT fmi3Status FMI3(fmi3GetDirectionalDerivative)(fmi3Instance c, references unknown, size_t n, references known,
                                                        size_t m, const fmi3Float64 seed[], size_t seeds,
                                                        fmi3Float64 found[], size_t size)
{
    if (seeds != m || size != n) {
        return unsupported(c, "as many numbers as variables are given: all are scalars");
    }
    return directional(c, unknown, n, known, m, seed, found);
}

/* One direction after the other: as many evaluations as there are knowns. */
LW_EXPORT fmi3Status FMI3(fmi3GetAdjointDerivative)(fmi3Instance c, references unknown, size_t n, references known,
                                                    size_t m, const fmi3Float64 seed[], size_t seeds,
                                                    fmi3Float64 found[], size_t size)
{
    size_t i, j;
    double *column;
    fmi3Status status = fmi3OK;
    if (seeds != n || size != m) {
        return unsupported(c, "as many numbers as variables are given: all are scalars");
    }
    column = (double *)malloc((n > 0 ? n : 1) * sizeof *column);
    if (!column) {
        return unsupported(c, "no memory for a column of derivatives");
    }
    for (j = 0; j < m && status == fmi3OK; ++j) {
        const double one = 1.0;
        status = directional(c, unknown, n, known + j, 1, &one, column);
        found[j] = 0.0;
        for (i = 0; i < n; ++i) {
            found[j] += seed[i] * column[i];
        }
    }
    free(column);
    return status;
}

LW_EXPORT fmi3Status FMI3(fmi3GetIntervalDecimal)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                                  fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
{
    (void)vr;
    (void)n;
    (void)intervals;
    (void)qualifiers;
    return unsupported(c, "there are no clocks");
}

LW_EXPORT fmi3Status FMI3(fmi3GetIntervalFraction)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                                   fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                                   fmi3IntervalQualifier qualifiers[])
{
    (void)vr;
    (void)n;
    (void)counters;
    (void)resolutions;
    (void)qualifiers;
    return unsupported(c, "there are no clocks");
}

LW_EXPORT fmi3Status FMI3(fmi3GetShiftDecimal)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                               fmi3Float64 shifts[])
{
    (void)vr;
    (void)n;
    (void)shifts;
    return unsupported(c, "there are no clocks");
}

LW_EXPORT fmi3Status FMI3(fmi3GetShiftFraction)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                                fmi3UInt64 counters[], fmi3UInt64 resolutions[])
{
    (void)vr;
    (void)n;
    (void)counters;
    (void)resolutions;
    return unsupported(c, "there are no clocks");
}

#define NO_CLOCK(name)                                                                                                 \
    LW_EXPORT fmi3Status FMI3(name##Decimal)(fmi3Instance c, references vr, size_t n, const fmi3Float64 values[])      \
    {                                                                                                                  \
        (void)vr;                                                                                                      \
        (void)n;                                                                                                       \
        (void)values;                                                                                                  \
        return unsupported(c, "there are no clocks");                                                                  \
    }                                                                                                                  \
    LW_EXPORT fmi3Status FMI3(name##Fraction)(fmi3Instance c, references vr, size_t n, const fmi3UInt64 counters[],    \
                                              const fmi3UInt64 resolutions[])                                          \
    {                                                                                                                  \
        (void)vr;                                                                                                      \
        (void)n;                                                                                                       \
        (void)counters;                                                                                                \
        (void)resolutions;                                                                                             \
        return unsupported(c, "there are no clocks");                                                                  \
    }

NO_CLOCK(fmi3SetInterval)
NO_CLOCK(fmi3SetShift)

LW_EXPORT fmi3Status FMI3(fmi3UpdateDiscreteStates)(fmi3Instance instance, fmi3Boolean *again, fmi3Boolean *terminate,
                                                    fmi3Boolean *nominals, fmi3Boolean *values, fmi3Boolean *timed,
                                                    fmi3Float64 *time)
{
    unit *c = (unit *)instance;
    if (!c) {
        return fmi3Error;
    }
    *again = *terminate = *nominals = *timed = false;
    *values = c->data.moved != 0;
    *time = 0.0;
    return reported(c, lw_settle(&c->data), fmi3Error);
}

/* Model exchange */

LW_EXPORT fmi3Status FMI3(fmi3CompletedIntegratorStep)(fmi3Instance c, fmi3Boolean final, fmi3Boolean *event,
                                                       fmi3Boolean *terminate)
{
    (void)final;
    if (!c || !event || !terminate) {
        return fmi3Error;
    }
    *event = *terminate = false;
    return fmi3OK;
}

LW_EXPORT fmi3Status FMI3(fmi3SetTime)(fmi3Instance c, fmi3Float64 time)
{
    return time_set(c, time);
}

LW_EXPORT fmi3Status FMI3(fmi3SetContinuousStates)(fmi3Instance instance, const fmi3Float64 x[], size_t n)
{
    return states_set(instance, x, n);
}

LW_EXPORT fmi3Status FMI3(fmi3GetContinuousStateDerivatives)(fmi3Instance instance, fmi3Float64 rates[], size_t n)
{
    return rates_read(instance, rates, n);
}

LW_EXPORT fmi3Status FMI3(fmi3GetEventIndicators)(fmi3Instance c, fmi3Float64 indicators[], size_t n)
{
    return indicators_read(c, indicators, n);
}

LW_EXPORT fmi3Status FMI3(fmi3GetContinuousStates)(fmi3Instance instance, fmi3Float64 x[], size_t n)
{
    return states_read(instance, x, n);
}

LW_EXPORT fmi3Status FMI3(fmi3GetNominalsOfContinuousStates)(fmi3Instance c, fmi3Float64 nominals[], size_t n)
{
    return nominals_read(c, nominals, n);
}

LW_EXPORT fmi3Status FMI3(fmi3GetNumberOfEventIndicators)(fmi3Instance c, size_t *n)
{
    if (!c || !n) {
        return fmi3Error;
    }
    *n = LW_N_LIMITS;
    return fmi3OK;
}

LW_EXPORT fmi3Status FMI3(fmi3GetNumberOfContinuousStates)(fmi3Instance c, size_t *n)
{
    if (!c || !n) {
        return fmi3Error;
    }
    *n = LW_NX;
    return fmi3OK;
}

/* Co-simulation */

LW_EXPORT fmi3Status FMI3(fmi3GetOutputDerivatives)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                                    const fmi3Int32 orders[], fmi3Float64 values[], size_t size)
{
    (void)vr;
    (void)n;
    (void)orders;
    (void)values;
    (void)size;
    return unsupported(c, "derivatives of outputs are not provided");
}

LW_EXPORT fmi3Status FMI3(fmi3DoStep)(fmi3Instance instance, fmi3Float64 time, fmi3Float64 step, fmi3Boolean final,
                                      fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early,
                                      fmi3Float64 *reached)
{
    unit *c = (unit *)instance;
    fmi3Status status;
    (void)final;
    if (!c || !c->steps || !(step >= 0.0)) {
        return unsupported(c, "a step needs an instance of co-simulation and a length that is not negative");
    }
    status = reported(c, lw_advance(&c->data, step), fmi3Error);
    c->data.time = status == fmi3OK ? time + step : time;
    *event = *terminate = *early = false;
    *reached = c->data.time;
    return status;
}

LW_EXPORT fmi3Status FMI3(fmi3ActivateModelPartition)(fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time)
{
    (void)clock;
    (void)time;
    return unsupported(c, "scheduled execution is not provided");
}
