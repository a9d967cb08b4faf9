// Commands at the joints to the motors and back as states, in an order other than the plug-in's; prints all numbers.
#include <cmath>
#include <cstdio>
#include <limits>
#include "transmission_interface/transmission_loader.hpp"

transmission_interface::TransmissionLoader * make_plugin();

int main(int count, char ** given)
{
  using namespace transmission_interface;
  const char * joints[] = {"ankle.second", "ankle.first"}, * motors[] = {"motor2", "motor1"};
  const char * quantities[] = {"position", "velocity", "effort"};
  hardware_interface::TransmissionInfo info;
  for (int i = 0; i < 2; ++i) {
    info.joints.push_back({joints[i], 0.02});
    info.actuators.push_back({motors[i], 6.0});
  }
  double x[2][3] = {}, y[2][3] = {}, back[2][3] = {}, far[2][3] = {};
  for (int i = 0; i < 6 && i + 1 < count; ++i) {
    std::sscanf(given[i + 1], "%lf", &x[i / 3][i % 3]);
  }
  const auto transmission = make_plugin()->load(info);
  const auto connect = [&](double (*values)[3]) {
    std::vector<JointHandle> joint;
    std::vector<ActuatorHandle> motor;
    for (int i = 0; i < 2; ++i) {
      for (int k = 0; k < 3; ++k) {
        joint.emplace_back(joints[i], quantities[k], &values[i][k]);
        motor.emplace_back(motors[i], quantities[k], &y[i][k]);
      }
    }
    transmission->configure(joint, motor);
  };
  connect(x);
  transmission->joint_to_actuator();
  connect(back);
  transmission->actuator_to_joint();
  const double before = y[0][0];
  far[0][0] = 3.0;  // out of reach: motors keep their values
  connect(far);
  transmission->joint_to_actuator();
  far[0][0] = std::numeric_limits<double>::quiet_NaN();
  transmission->joint_to_actuator();
  for (const auto & rows : {y, back}) {
    for (int i = 0; i < 2; ++i) {
      std::printf("%.17g %.17g %.17g\n", rows[i][0], rows[i][1], rows[i][2]);
    }
  }
  info.joints.pop_back();
  return make_plugin()->load(info) == nullptr && y[0][0] == before ? 0 : 1;
}
