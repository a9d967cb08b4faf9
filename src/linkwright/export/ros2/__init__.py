"""A mechanism for ROS 2: a node that closes its loops, a URDF of simple joints, a launch file."""
