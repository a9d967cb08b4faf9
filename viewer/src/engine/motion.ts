// What teachers draw into a mechanism: rates of its bodies, and forces in its joints (page_readouts.py has the programs).

import type { Actuation } from "./actuation";
import type { EngineData, Runtime } from "./runtime";

export class MotionReadouts {
  constructor(
    private readonly data: EngineData,
    private readonly runtime: Runtime,
    private readonly actuation: Actuation,
  ) {}

  /** Velocities of all coordinates where one actuator has the rate one and the others rest; null where none follow. */
  ratesOf(q: Float64Array, actuator: number): Float64Array | null {
    if (!this.runtime.has("rates")) return null;
    const program = this.runtime.program("rates");
    program.inputs.q.set(q);
    program.inputs.target_rate.fill(0)[actuator] = 1;
    program.inputs.target_acceleration.fill(0);
    program.run();
    const found = program.outputs.out.slice(0, this.data.sizes.v);
    return found.every(Number.isFinite) ? found : null;
  }

  /** Angular velocity, then velocity of the origin, of every body in the world. */
  bodyRates(q: Float64Array, v: Float64Array): Float64Array {
    const program = this.runtime.program("body_rates");
    program.inputs.q.set(q);
    program.inputs.v.set(v);
    program.run();
    return program.outputs.out.slice();
  }

  /** Accelerations of all coordinates where the actuators go on at their rates; null where they do not follow. */
  steadyAccelerations(q: Float64Array, v: Float64Array): Float64Array | null {
    if (v.every((x) => x === 0)) return new Float64Array(v.length);
    if (!this.runtime.has("rates")) return null;
    const program = this.runtime.program("rates");
    program.inputs.q.set(q);
    program.inputs.target_rate.set(this.actuation.speeds(v));
    program.inputs.target_acceleration.fill(0);
    program.run();
    return program.outputs.out.slice(v.length);
  }

  /** Accelerations of all coordinates under efforts. */
  private accelerations(q: Float64Array, v: Float64Array, efforts: Float64Array): Float64Array {
    const program = this.runtime.program("run.dynamics");
    program.inputs.q.set(q);
    program.inputs.v.set(v);
    program.inputs.tau.fill(0).set(efforts);
    program.run();
    return program.outputs.out.slice(0, v.length);
  }

  /**
   * Moment and force of the drawn parent on the drawn child at every joint, at the joint in the child's axes: under
   * efforts that act in a run, else with actuators that go on at their rates. Null where they are not known.
   */
  reactions(q: Float64Array, v: Float64Array, efforts: Float64Array, running: boolean): Float64Array | null {
    const { runtime } = this;
    if (!runtime.has("reactions") || !efforts.every(Number.isFinite) || (running && !this.actuation.weightAlone)) return null;
    const a = running ? this.accelerations(q, v, efforts) : this.steadyAccelerations(q, v);
    if (a === null) return null;
    const program = runtime.program("reactions");
    program.inputs.a.set(a);
    program.inputs.q.set(q);
    program.inputs.v.set(v);
    program.inputs.tau.set(efforts);
    program.run();
    const found = program.outputs.out.slice();
    return found.every(Number.isFinite) ? found : null;
  }
}
