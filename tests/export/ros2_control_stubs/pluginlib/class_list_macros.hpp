#pragma once
#define PLUGINLIB_EXPORT_CLASS(Derived, Base) Base * make_plugin() { return new Derived(); }
