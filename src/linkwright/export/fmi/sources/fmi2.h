/* Types of the Functional Mock-up Interface 2.0 (fmi-standard.org), as far as this code uses them. */
#ifndef LW_FMI2_H
#define LW_FMI2_H

#include <stddef.h>

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char *fmi2String;
typedef char fmi2Byte;

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef struct {
    void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct {
    fmi2Boolean newDiscreteStatesNeeded;
    fmi2Boolean terminateSimulation;
    fmi2Boolean nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged;
    fmi2Boolean nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

#define fmi2True 1
#define fmi2False 0

#if defined(_WIN32)
#define LW_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define LW_EXPORT __attribute__((visibility("default")))
#else
#define LW_EXPORT
#endif

/* Names have a prefix where sources of several units are linked into one program: -DFMI2_FUNCTION_PREFIX=name_ */
#if defined(FMI2_FUNCTION_PREFIX) && !defined(FMI2_OVERRIDE_FUNCTION_PREFIX)
#define LW_PASTED(a, b) a##b
#define LW_JOINED(a, b) LW_PASTED(a, b)
#define FMI2(name) LW_JOINED(FMI2_FUNCTION_PREFIX, name)
#else
#define FMI2(name) name
#endif

#endif
