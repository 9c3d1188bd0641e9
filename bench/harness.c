/* Times a compiled derivative through its pointer, so that no Python call is counted. */
#include <time.h>

typedef void (*derivative)(const double *t, const double *x, const double *p, double *xdot, double *work);

static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* Nanoseconds per call over `calls` calls that cycle through `sets` rows of x; the last derivative is kept. */
double time_derivative(derivative f, long calls, int sets, int states, const double *x, const double *p, double *xdot,
                       double *work) {
    const double t = 0.0;
    const double start = nanoseconds();
    for (long k = 0; k < calls; ++k) f(&t, x + (k % sets) * states, p, xdot, work);
    return (nanoseconds() - start) / (double)calls;
}
