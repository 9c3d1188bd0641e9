// Pinocchio's articulated-body algorithm behind a C interface, timed inside C++ so that no Python call is counted.
// Pinocchio is compiled from its headers with the flags of build.py, chosen to show it at its best.
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>

#include <chrono>
#include <string>
#include <vector>

using namespace pinocchio;

namespace {

struct Mechanism {
  Model model;
  Data data;
  explicit Mechanism(const Model& built) : model(built), data(model) {}
};

JointIndex add_revolute(Model& model, JointIndex parent, int axis, const SE3& placement, const std::string& name) {
  switch (axis) {
    case 0: return model.addJoint(parent, JointModelRX(), placement, name);
    case 1: return model.addJoint(parent, JointModelRY(), placement, name);
    default: return model.addJoint(parent, JointModelRZ(), placement, name);
  }
}

}  // namespace

extern "C" {

// Arrays run over the links, three values each for origin, centre of mass and principal inertia; parent -1 is the world.
void* pinocchio_new(int links, const int* parent, const int* axis, const double* origin, const double* mass,
                    const double* centre, const double* inertia, const double* gravity) {
  typedef Eigen::Map<const Eigen::Vector3d> Vector;
  Model model;
  std::vector<JointIndex> joint(links);
  for (int i = 0; i < links; ++i) {
    const SE3 placement(Eigen::Matrix3d::Identity(), Vector(origin + 3 * i));
    const JointIndex above = parent[i] < 0 ? 0 : joint[parent[i]];
    joint[i] = add_revolute(model, above, axis[i], placement, "joint" + std::to_string(i));
    const Eigen::Matrix3d about_centre = Vector(inertia + 3 * i).asDiagonal();
    model.appendBodyToJoint(joint[i], Inertia(mass[i], Vector(centre + 3 * i), about_centre), SE3::Identity());
  }
  model.gravity.linear() = Vector(gravity);
  return new Mechanism(model);
}

void pinocchio_delete(void* handle) { delete static_cast<Mechanism*>(handle); }

// Nanoseconds per call over `calls` calls that cycle through `sets` rows of q, v, tau; the last acceleration is kept.
double pinocchio_aba(void* handle, int world, long calls, int sets, const double* q, const double* v,
                     const double* tau, double* acceleration) {
  typedef Eigen::Map<const Eigen::VectorXd> Row;
  Mechanism& mechanism = *static_cast<Mechanism*>(handle);
  const int n = mechanism.model.nv;
  const Convention convention = world ? Convention::WORLD : Convention::LOCAL;
  Eigen::Map<Eigen::VectorXd> result(acceleration, n);
  const auto start = std::chrono::steady_clock::now();
  for (long k = 0; k < calls; ++k) {
    const long row = (k % sets) * n;
    result = aba(mechanism.model, mechanism.data, Row(q + row, n), Row(v + row, n), Row(tau + row, n), convention);
  }
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / calls;
}

}
