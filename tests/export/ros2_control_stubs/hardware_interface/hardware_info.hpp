// Stand-in for the header of ros2_control, with what a transmission's plug-in reads of it.
#pragma once
#include <string>
#include <vector>
namespace hardware_interface
{
struct JointInfo
{
  std::string name;
  double offset = 0.0;
};
struct ActuatorInfo
{
  std::string name;
  double mechanical_reduction = 1.0;
};
struct TransmissionInfo
{
  std::vector<JointInfo> joints;
  std::vector<ActuatorInfo> actuators;
};
}  // namespace hardware_interface
