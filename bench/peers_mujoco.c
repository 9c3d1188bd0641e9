/* MuJoCo's forward dynamics behind the same C interface; MuJoCo itself comes compiled, as its authors ship it. */
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    mjModel *model;
    mjData *data;
} Mechanism;

static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* From an MJCF file; NULL after printing MuJoCo's message when it cannot be read. */
void *mujoco_new(const char *path) {
    char message[1000] = "";
    Mechanism *mechanism = malloc(sizeof *mechanism);
    mechanism->model = mj_loadXML(path, NULL, message, sizeof message);
    if (!mechanism->model) {
        fputs(message, stderr);
        free(mechanism);
        return NULL;
    }
    mechanism->data = mj_makeData(mechanism->model);
    return mechanism;
}

/* Nanoseconds per call over `calls` calls that cycle through `sets` rows of q and v; the last acceleration is kept. */
double mujoco_forward(void *handle, long calls, int sets, const double *q, const double *v, double *acceleration) {
    const Mechanism *mechanism = handle;
    const int n = mechanism->model->nv;
    const double start = nanoseconds();
    for (long k = 0; k < calls; ++k) {
        memcpy(mechanism->data->qpos, q + (k % sets) * n, n * sizeof *q);
        memcpy(mechanism->data->qvel, v + (k % sets) * n, n * sizeof *v);
        mj_forward(mechanism->model, mechanism->data);
    }
    const double elapsed = nanoseconds() - start;
    memcpy(acceleration, mechanism->data->qacc, n * sizeof *acceleration);
    return elapsed / (double)calls;
}
