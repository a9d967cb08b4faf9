/* The mechanism of equations.h behind the Functional Mock-up Interface 2.0: model exchange and co-simulation. */
#include "fmi2.h"

#include "core.h"

#define STATUS fmi2Status
#define FMI_OK fmi2OK
#define FMI_DISCARD fmi2Discard
#define FMI_ERROR fmi2Error

typedef struct {
    lw_data data;
    int initializing; /* 1 in initialization mode */
    fmi2CallbackFunctions functions;
    fmi2Type type;
    int logging;
    char name[128];
} unit;

static void say(unit *c, fmi2Status status, const char *message)
{
    if (c->functions.logger && (c->logging || status >= fmi2Error)) {
        c->functions.logger(c->functions.componentEnvironment, c->name, status, "logAll", "%s", message);
    }
}

#include "unit.h"

LW_EXPORT const char *FMI2(fmi2GetTypesPlatform)(void)
{
    return "default";
}

LW_EXPORT const char *FMI2(fmi2GetVersion)(void)
{
    return "2.0";
}

LW_EXPORT fmi2Status FMI2(fmi2SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String names[])
{
    (void)n;
    (void)names;
    if (!c) {
        return fmi2Error;
    }
    ((unit *)c)->logging = on;
    return fmi2OK;
}

LW_EXPORT fmi2Component FMI2(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                                              fmi2Boolean logging)
{
    unit *c;
    (void)resources;
    (void)visible;
    if (!name || !functions || !guid) {
        return NULL;
    }
    c = (unit *)(functions->allocateMemory ? functions->allocateMemory(1, sizeof(unit)) : calloc(1, sizeof(unit)));
    if (!c) {
        return NULL;
    }
    c->functions = *functions;
    c->type = type;
    c->logging = logging;
    strncpy(c->name, name, sizeof c->name - 1);
    if (strcmp(guid, LW_TOKEN) != 0) {
        say(c, fmi2Error, "the guid of modelDescription.xml is not that of this code, which is " LW_TOKEN);
        if (functions->allocateMemory && functions->freeMemory) {
            functions->freeMemory(c);
        } else if (!functions->allocateMemory) {
            free(c);
        }
        return NULL;
    }
    lw_begin(&c->data);
    return c;
}

LW_EXPORT void FMI2(fmi2FreeInstance)(fmi2Component component)
{
    unit *c = (unit *)component;
    if (!c) {
        return;
    }
    if (c->functions.allocateMemory) {
        if (c->functions.freeMemory) {
            c->functions.freeMemory(c);
        }
    } else {
        free(c);
    }
}

LW_EXPORT fmi2Status FMI2(fmi2SetupExperiment)(fmi2Component component, fmi2Boolean limited, fmi2Real tolerance,
                                               fmi2Real start, fmi2Boolean ends, fmi2Real stop)
{
    (void)ends;
    (void)stop;
    return initialization(component, limited, tolerance, start);
}

LW_EXPORT fmi2Status FMI2(fmi2EnterInitializationMode)(fmi2Component c)
{
    if (!c) {
        return fmi2Error;
    }
    ((unit *)c)->initializing = 1;
    return fmi2OK;
}

LW_EXPORT fmi2Status FMI2(fmi2ExitInitializationMode)(fmi2Component component)
{
    return initialized(component);
}

LW_EXPORT fmi2Status FMI2(fmi2Terminate)(fmi2Component c)
{
    return c ? fmi2OK : fmi2Error;
}

LW_EXPORT fmi2Status FMI2(fmi2Reset)(fmi2Component c)
{
    return reset(c);
}

LW_EXPORT fmi2Status FMI2(fmi2GetReal)(fmi2Component component, const fmi2ValueReference vr[], size_t n,
                                       fmi2Real values[])
{
    return values_read(component, vr, n, values);
}

LW_EXPORT fmi2Status FMI2(fmi2SetReal)(fmi2Component component, const fmi2ValueReference vr[], size_t n,
                                       const fmi2Real values[])
{
    return values_set(component, vr, n, values);
}

/* There are only real variables. */
#define NO_VARIABLES(kind, type)                                                                                       \
    LW_EXPORT fmi2Status FMI2(fmi2Get##kind)(fmi2Component c, const fmi2ValueReference vr[], size_t n, type values[])  \
    {                                                                                                                  \
        (void)vr;                                                                                                      \
        (void)values;                                                                                                  \
        return n == 0 ? fmi2OK : unsupported(c, "there is no variable of this type");                                  \
    }                                                                                                                  \
    LW_EXPORT fmi2Status FMI2(fmi2Set##kind)(fmi2Component c, const fmi2ValueReference vr[], size_t n,                 \
                                             const type values[])                                                      \
    {                                                                                                                  \
        (void)vr;                                                                                                      \
        (void)values;                                                                                                  \
        return n == 0 ? fmi2OK : unsupported(c, "there is no variable of this type");                                  \
    }

NO_VARIABLES(Integer, fmi2Integer)
NO_VARIABLES(Boolean, fmi2Boolean)
NO_VARIABLES(String, fmi2String)

LW_EXPORT fmi2Status FMI2(fmi2GetFMUstate)(fmi2Component component, fmi2FMUstate *state)
{
    return state_copied(component, state);
}

LW_EXPORT fmi2Status FMI2(fmi2SetFMUstate)(fmi2Component component, fmi2FMUstate state)
{
    return state_restored(component, state);
}

LW_EXPORT fmi2Status FMI2(fmi2FreeFMUstate)(fmi2Component c, fmi2FMUstate *state)
{
    return state_freed(c, state);
}

LW_EXPORT fmi2Status FMI2(fmi2SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    return state_size(c, state, size);
}

LW_EXPORT fmi2Status FMI2(fmi2SerializeFMUstate)(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    return state_as_bytes(c, state, bytes, size);
}

LW_EXPORT fmi2Status FMI2(fmi2DeSerializeFMUstate)(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                                   fmi2FMUstate *state)
{
    return state_of_bytes(c, bytes, size, state);
}

LW_EXPORT fmi2Status FMI2(fmi2GetDirectionalDerivative)(fmi2Component c, const fmi2ValueReference unknown[], size_t n,
                                                        const fmi2ValueReference known[], size_t m,
                                                        const fmi2Real seed[], fmi2Real derivative[])
{
    return directional(c, unknown, n, known, m, seed, derivative);
}

/* Model exchange */

LW_EXPORT fmi2Status FMI2(fmi2EnterEventMode)(fmi2Component c)
{
    return c ? fmi2OK : fmi2Error;
}

LW_EXPORT fmi2Status FMI2(fmi2NewDiscreteStates)(fmi2Component component, fmi2EventInfo *info)
{
    unit *c = (unit *)component;
    int moved;
    if (!c || !info) {
        return fmi2Error;
    }
    moved = c->data.moved;
    info->newDiscreteStatesNeeded = fmi2False;
    info->terminateSimulation = fmi2False;
    info->nominalsOfContinuousStatesChanged = fmi2False;
    info->valuesOfContinuousStatesChanged = moved ? fmi2True : fmi2False;
    info->nextEventTimeDefined = fmi2False;
    info->nextEventTime = 0.0;
    return reported(c, lw_settle(&c->data), fmi2Error);
}

LW_EXPORT fmi2Status FMI2(fmi2EnterContinuousTimeMode)(fmi2Component c)
{
    return c ? fmi2OK : fmi2Error;
}

LW_EXPORT fmi2Status FMI2(fmi2CompletedIntegratorStep)(fmi2Component c, fmi2Boolean final, fmi2Boolean *event,
                                                       fmi2Boolean *terminate)
{
    (void)final;
    if (!c || !event || !terminate) {
        return fmi2Error;
    }
    *event = fmi2False;
    *terminate = fmi2False;
    return fmi2OK;
}

LW_EXPORT fmi2Status FMI2(fmi2SetTime)(fmi2Component c, fmi2Real time)
{
    return time_set(c, time);
}

LW_EXPORT fmi2Status FMI2(fmi2SetContinuousStates)(fmi2Component component, const fmi2Real x[], size_t n)
{
    return states_set(component, x, n);
}

LW_EXPORT fmi2Status FMI2(fmi2GetDerivatives)(fmi2Component component, fmi2Real rates[], size_t n)
{
    return rates_read(component, rates, n);
}

LW_EXPORT fmi2Status FMI2(fmi2GetEventIndicators)(fmi2Component c, fmi2Real indicators[], size_t n)
{
    return indicators_read(c, indicators, n);
}

LW_EXPORT fmi2Status FMI2(fmi2GetContinuousStates)(fmi2Component component, fmi2Real x[], size_t n)
{
    return states_read(component, x, n);
}

LW_EXPORT fmi2Status FMI2(fmi2GetNominalsOfContinuousStates)(fmi2Component c, fmi2Real nominals[], size_t n)
{
    return nominals_read(c, nominals, n);
}

/* Co-simulation */

LW_EXPORT fmi2Status FMI2(fmi2SetRealInputDerivatives)(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                                       const fmi2Integer order[], const fmi2Real values[])
{
    (void)vr;
    (void)n;
    (void)order;
    (void)values;
    return unsupported(c, "efforts are constant during a communication step: their derivatives are not used");
}

LW_EXPORT fmi2Status FMI2(fmi2GetRealOutputDerivatives)(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                                        const fmi2Integer order[], fmi2Real values[])
{
    (void)vr;
    (void)n;
    (void)order;
    (void)values;
    return unsupported(c, "derivatives of outputs are not provided");
}

LW_EXPORT fmi2Status FMI2(fmi2DoStep)(fmi2Component component, fmi2Real time, fmi2Real step, fmi2Boolean final)
{
    unit *c = (unit *)component;
    fmi2Status status;
    (void)final;
    if (!c || c->type != fmi2CoSimulation || !(step >= 0.0)) {
        return unsupported(c, "a step needs an instance of co-simulation and a length that is not negative");
    }
    status = reported(c, lw_advance(&c->data, step), fmi2Error);
    c->data.time = status == fmi2OK ? time + step : time;
    return status;
}

LW_EXPORT fmi2Status FMI2(fmi2CancelStep)(fmi2Component c)
{
    return unsupported(c, "steps are never pending");
}

LW_EXPORT fmi2Status FMI2(fmi2GetStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
    (void)kind;
    (void)value;
    (void)c;
    return fmi2Discard;
}

LW_EXPORT fmi2Status FMI2(fmi2GetRealStatus)(fmi2Component component, const fmi2StatusKind kind, fmi2Real *value)
{
    unit *c = (unit *)component;
    if (!c || kind != fmi2LastSuccessfulTime) {
        return fmi2Discard;
    }
    *value = c->data.time;
    return fmi2OK;
}

LW_EXPORT fmi2Status FMI2(fmi2GetIntegerStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
    (void)c;
    (void)kind;
    (void)value;
    return fmi2Discard;
}

LW_EXPORT fmi2Status FMI2(fmi2GetBooleanStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    if (!c || kind != fmi2Terminated) {
        return fmi2Discard;
    }
    *value = fmi2False;
    return fmi2OK;
}

LW_EXPORT fmi2Status FMI2(fmi2GetStringStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
    (void)c;
    (void)kind;
    (void)value;
    return fmi2Discard;
}
