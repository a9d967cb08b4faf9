// src/engine/actuation.ts
function e(e, t) {
	let [n, r, i, a] = [
		e[0],
		-e[1],
		-e[2],
		-e[3]
	], o = [
		i * t[2] - a * t[1],
		a * t[0] - r * t[2],
		r * t[1] - i * t[0]
	];
	return [
		t[0] + 2 * (n * o[0] + i * o[2] - a * o[1]),
		t[1] + 2 * (n * o[1] + a * o[0] - r * o[2]),
		t[2] + 2 * (n * o[2] + r * o[1] - i * o[0])
	];
}
function t(e, t) {
	if ("amplitude" in e) {
		let n = 2 * Math.PI * e.frequency, [r, i] = [e.amplitude * Math.sin(n * t), e.amplitude * Math.cos(n * t)];
		return [
			e.offset + r,
			n * i,
			-n * n * r
		];
	}
	let { t: n, x: r } = e, i = n.length - 1;
	if (t <= n[0]) return [
		r[0],
		0,
		0
	];
	if (t >= n[i]) return [
		r[i],
		0,
		0
	];
	let a = 0;
	for (; n[a + 1] < t;) a++;
	let o = n[a + 1] - n[a], s = (t - n[a]) / o, c = (e) => e <= 0 || e >= i ? 0 : (r[e + 1] - r[e - 1]) / (n[e + 1] - n[e - 1]), l = c(a) * o, u = c(a + 1) * o, d = r[a + 1] - r[a], [f, p] = [3 * d - 2 * l - u, l + u - 2 * d];
	return [
		r[a] + s * (l + s * (f + s * p)),
		(l + s * (2 * f + 3 * s * p)) / o,
		(2 * f + 6 * s * p) / (o * o)
	];
}
var n = class {
	data;
	runtime;
	laws;
	pushes = /* @__PURE__ */ new Map();
	entries;
	options = {
		gravity: !0,
		stops: !0,
		motors: "free"
	};
	held;
	constructor(e, t) {
		this.data = e, this.runtime = t, this.laws = Array(e.sizes.actuators).fill(null), this.held = new Float64Array(e.sizes.actuators);
		let n = (e) => t.tableEntry((n) => (e(t.addresses(n, 5)), 1));
		this.entries = {
			effort: n((e) => this.efforts(e)),
			wrench: n((e) => this.wrenches(e))
		};
	}
	get canFollow() {
		return this.runtime.has("rates") && this.runtime.has("inverse_dynamics");
	}
	begin(e, t) {
		this.options = e, this.held = t.slice(), this.pushes.clear(), this.setFunctions();
	}
	push(e, t, n) {
		Math.hypot(...n) > 0 ? this.pushes.set(e, {
			point: t,
			force: n
		}) : this.pushes.delete(e), this.setFunctions();
	}
	setFunctions() {
		let e = this.options.motors !== "free" && this.canFollow, t = this.pushes.size > 0 || !this.options.gravity;
		this.runtime.whole("mechanics.effort")[0] = e ? this.entries.effort : 0n, this.runtime.whole("mechanics.wrench")[0] = t ? this.entries.wrench : 0n;
		let { actuators: n, bodies: r } = this.data.sizes;
		this.runtime.field("mechanics.tau", n + 6 * r).fill(0), this.runtime.field("step.fresh")[0] = 1;
	}
	efforts([e, n, r, i]) {
		let { runtime: a, data: o } = this, { sizes: s } = o, [c, l] = [a.program("rates"), a.program("inverse_dynamics")], u = a.numbers(e, 1)[0];
		c.inputs.q.set(a.numbers(n, s.q));
		let d = this.positions(a.numbers(n, s.q)), f = this.speeds(a.numbers(r, s.v));
		for (let e = 0; e < s.actuators; e++) {
			let n = this.options.motors === "driven" ? this.laws[e] : null, [r, i, a] = n === null ? [
				this.held[e],
				0,
				0
			] : t(n, u), s = r - d[e];
			o.actuators.repeats[e] && (s -= 2 * Math.PI * Math.round(s / (2 * Math.PI))), c.inputs.target_rate[e] = f[e], c.inputs.target_acceleration[e] = a + 80 * (i - f[e]) + 1600 * s;
		}
		c.run();
		let p = c.outputs.out;
		l.inputs.q.set(a.numbers(n, s.q)), l.inputs.v.set(a.numbers(r, s.v)), l.inputs.a.set(p.subarray(s.v)), l.run(), a.numbers(i, s.actuators).set(l.outputs.out);
	}
	positions(e) {
		let { coordinates: t } = this.data.actuators;
		if (!this.runtime.has("actuators")) return Float64Array.from(t, (t) => t === null ? NaN : e[t]);
		let n = this.runtime.program("actuators");
		return n.inputs.q.set(e), n.run(), n.outputs.out.slice();
	}
	speeds(e) {
		let { speeds: t } = this.data.actuators;
		if (!this.runtime.has("actuator_rates")) return Float64Array.from(t, (t) => t === null ? NaN : e[t]);
		let n = this.runtime.program("actuator_rates");
		return n.inputs.q.set(this.runtime.program("rates").inputs.q), n.inputs.v.set(e), n.run(), n.outputs.out.slice();
	}
	wrenches([, t, , n]) {
		let { runtime: r, data: i } = this, a = i.sizes.bodies, o = r.program("poses");
		o.inputs.q.set(r.numbers(t, i.sizes.q)), o.run();
		let s = r.numbers(n, 6 * a);
		s.fill(0);
		let c = (t, n, r) => {
			let i = e(o.outputs.out1.subarray(4 * t, 4 * t + 4), r), a = 6 * t;
			s[a] += n[1] * i[2] - n[2] * i[1], s[a + 1] += n[2] * i[0] - n[0] * i[2], s[a + 2] += n[0] * i[1] - n[1] * i[0];
			for (let e = 0; e < 3; e++) s[a + 3 + e] += i[e];
		};
		for (let [e, { point: t, force: n }] of this.pushes) c(e, t, n);
		this.options.gravity || i.bodies.forEach(({ mass: e, center: t }, n) => c(n, t, i.gravity.map((t) => -e * t)));
	}
	weightEnergy(t) {
		if (this.options.gravity) return 0;
		let n = 0;
		return this.data.bodies.forEach(({ mass: r, center: i }, a) => {
			let [o, s, c, l] = t.subarray(7 * a + 3, 7 * a + 7), u = e([
				o,
				-s,
				-c,
				-l
			], i);
			for (let e = 0; e < 3; e++) n -= r * this.data.gravity[e] * (t[7 * a + e] + u[e]);
		}), n;
	}
	get weightAlone() {
		return this.options.gravity && this.pushes.size === 0;
	}
	get acting() {
		return this.runtime.field("mechanics.tau", this.data.sizes.actuators).slice();
	}
}, r = 1e-4, i = 1, a = 2, o = 3, s = 4;
function c(e) {
	let t = Math.hypot(...e), n = e.map((e) => e / t), r = n.reduce((e, t, r) => Math.abs(t) < Math.abs(n[e]) ? r : e, 0), i = [
		0,
		1,
		2
	].map((e) => Number(e === r) - n[r] * n[e]), a = Math.hypot(...i), o = i.map((e) => e / a);
	return [
		...o,
		n[1] * o[2] - n[2] * o[1],
		n[2] * o[0] - n[0] * o[2],
		n[0] * o[1] - n[1] * o[0],
		...n
	];
}
function l(e, t) {
	return [
		e[0] * t[0] + e[1] * t[1] + e[2] * t[2] + e[3] * t[3],
		-e[0] * t[1] + e[1] * t[0] - e[2] * t[3] + e[3] * t[2],
		-e[0] * t[2] + e[2] * t[0] - e[3] * t[1] + e[1] * t[3],
		-e[0] * t[3] + e[3] * t[0] - e[1] * t[2] + e[2] * t[1]
	];
}
var u = class {
	data;
	runtime;
	alone;
	constructor(e, t) {
		this.data = e, this.runtime = t, this.alone = Number(t.whole("drag.step.n_alone")[0]);
	}
	get canPullActuators() {
		return this.data.actuators.coordinates.every((e) => e !== null);
	}
	pullActuator(e, t, n) {
		let { runtime: r, data: i } = this, a = i.actuators.speeds, o = a.filter((e, n) => n !== t);
		return r.whole("drag.goal.velocity")[0] = BigInt(a[t]), r.field("drag.goal.value")[0] = n, r.whole("drag.step.n_alone")[0] = BigInt(this.alone + o.length), r.whole("drag.step.bounds", this.alone + o.length).set(o.map(BigInt), this.alone), this.run(e, () => "an end of its range, or of what the loops allow with the others where they are");
	}
	pullBody(e, t, n, i, a) {
		let o = a !== void 0 && Math.hypot(...a) > 0, s = o ? c(a) : [
			1,
			0,
			0,
			0,
			1,
			0,
			0,
			0,
			1
		];
		return this.pull(e, t, n, i, s, [
			1,
			0,
			0,
			0
		], [
			1,
			1,
			o ? r : 1,
			0,
			0,
			0
		]);
	}
	pullPlatform(t, n, i, a, o) {
		let s = this.data.platform, c = n.subarray(7 * s, 7 * s + 7), u = Math.hypot(...a.slice(3)), d = e(c.subarray(3), [
			0,
			1,
			2
		].map((e) => i[e] - c[e])), [f, p, m, h] = l(a.slice(3).map((e) => e / u), i.subarray(3)), g = l([
			f,
			p,
			m,
			h
		], [
			c[3],
			-c[4],
			-c[5],
			-c[6]
		]), _ = this.data.mobility >= 6 ? 1 : r, [v, y] = o ? [_, 1] : [1, _], b = [
			v,
			v,
			v,
			y,
			y,
			y
		];
		return this.pull(t, s, d, a.slice(0, 3), [
			1,
			0,
			0,
			0,
			1,
			0,
			0,
			0,
			1
		], g, b);
	}
	pull(e, t, n, r, i, a, o) {
		let { runtime: s, data: c } = this, l = c.length;
		s.whole("drag.goal.velocity")[0] = -1n, s.whole("drag.step.n_alone")[0] = BigInt(this.alone), s.whole("drag.goal.body")[0] = BigInt(t), s.field("drag.goal.point", 3).set(n), s.field("drag.goal.xyz", 3).set(r), s.field("drag.goal.axes", 9).set(i), s.field("drag.goal.wxyz", 4).set(a), s.field("drag.goal.weights", 6).set(o.map((e, t) => t < 3 ? e / l : e)), s.whole("drag.goal.counts", 6).set(o.map((e) => BigInt(e >= 1)));
		let u = () => (s.field("drag.step.missed")[0] * l).toPrecision(3);
		return this.run(e, () => `as near as the mechanism comes: ${u()} m away`);
	}
	run(e, t) {
		let { runtime: n, data: r } = this, c = n.field("drag.step.q", r.sizes.q);
		c.set(e);
		let l = n.drive("pull_body", r.drag.base);
		return l === s || !c.every(Number.isFinite) ? {
			reached: !1,
			boundary: !0,
			message: "the equations have no solution here"
		} : (e.set(c), l === i ? {
			reached: !0,
			boundary: !1,
			message: ""
		} : l === o ? {
			reached: !1,
			boundary: !0,
			message: "stopped at a singular position: behind it lies another branch"
		} : {
			reached: !1,
			boundary: l === a,
			message: l === a ? t() : ""
		});
	}
}, d = 240, f = 24, p = 1e-12, m = 1e-6;
function h(e) {
	return () => {
		e = e + 1831565813 | 0;
		let t = Math.imul(e ^ e >>> 15, 1 | e);
		return t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t, ((t ^ t >>> 14) >>> 0) / 4294967296;
	};
}
function g(e, t, n, r, i) {
	let a = [{
		q: n.slice(),
		shape: x(e, i(n)),
		far: 0
	}], o = h(5);
	for (let s = 0; s < d; s++) {
		let c = _(e, o, r);
		s % 2 && v(e, c, n, o());
		let l = y(t, c, r);
		if (l === null || !b(t, l)) continue;
		let u = x(e, i(l));
		a.some((e) => e.shape.every((e, t) => Math.abs(e - u[t]) < m)) || a.push({
			q: l,
			shape: u,
			far: Math.hypot(...l.map((e, t) => e - n[t]))
		});
	}
	return a.sort((e, t) => e.far - t.far), a.map((e) => ({
		q: e.q,
		current: e.far === 0
	}));
}
function _(e, t, n) {
	let r = Float64Array.from(e.starts, (e) => e === null ? t() + t() + t() - 1.5 : e[0] + (e[1] - e[0]) * t());
	for (let t = 0; t < r.length; t++) if (e.starts[t] === null) {
		let e = Math.hypot(...r.subarray(t, t + 4));
		for (let n of [
			0,
			1,
			2,
			3
		]) r[t + n] /= e;
		t += 3;
	}
	return e.actuators.coordinates.forEach((e, t) => {
		e !== null && (r[e] = n[t]);
	}), r;
}
function v(e, t, n, r) {
	let i = 0;
	for (let a = 0; a < t.length; a++) i = (i * 16807 + 12345 + Math.floor(r * 1e9)) % 2147483647, (e.starts[a] === null || i % 1e3 < 1e3 * r) && (t[a] = n[a]);
}
function y(e, t, n) {
	let r = e.program("step");
	r.inputs.q.set(t), r.inputs.target.set(n);
	for (let e = 0; e < f; e++) {
		r.run();
		let [e, t] = r.outputs.out1;
		if (!(e < 1e6)) return null;
		if (Math.max(e, t) < p) return r.outputs.out0.slice();
		r.inputs.q.set(r.outputs.out0);
	}
	return null;
}
function b(e, t) {
	if (!e.has("senses")) return !0;
	let n = e.program("senses");
	return n.inputs.q.set(t), n.run(), n.outputs.out.every((e) => e > 0);
}
function x(e, t) {
	return (e.platform >= 0 ? [e.platform] : e.bodies.map((e, t) => t)).flatMap((n) => {
		let [r, i, a, o, s, c, l] = t.subarray(7 * n, 7 * n + 7), u = e.length;
		return [
			r / u,
			i / u,
			a / u,
			o * o + s * s,
			o * c - s * l,
			s * c + o * l,
			o * s - c * l,
			o * l - s * c,
			s * l + o * c,
			o * o + l * l
		];
	});
}
// src/engine/motion.ts
var ee = class {
	data;
	runtime;
	actuation;
	constructor(e, t, n) {
		this.data = e, this.runtime = t, this.actuation = n;
	}
	ratesOf(e, t) {
		if (!this.runtime.has("rates")) return null;
		let n = this.runtime.program("rates");
		n.inputs.q.set(e), n.inputs.target_rate.fill(0)[t] = 1, n.inputs.target_acceleration.fill(0), n.run();
		let r = n.outputs.out.slice(0, this.data.sizes.v);
		return r.every(Number.isFinite) ? r : null;
	}
	bodyRates(e, t) {
		let n = this.runtime.program("body_rates");
		return n.inputs.q.set(e), n.inputs.v.set(t), n.run(), n.outputs.out.slice();
	}
	steadyAccelerations(e, t) {
		if (t.every((e) => e === 0)) return new Float64Array(t.length);
		if (!this.runtime.has("rates")) return null;
		let n = this.runtime.program("rates");
		return n.inputs.q.set(e), n.inputs.target_rate.set(this.actuation.speeds(t)), n.inputs.target_acceleration.fill(0), n.run(), n.outputs.out.slice(t.length);
	}
	accelerations(e, t, n) {
		let r = this.runtime.program("run.dynamics");
		return r.inputs.q.set(e), r.inputs.v.set(t), r.inputs.tau.fill(0).set(n), r.run(), r.outputs.out.slice(0, t.length);
	}
	reactions(e, t, n, r) {
		let { runtime: i } = this;
		if (!i.has("reactions") || !n.every(Number.isFinite) || r && !this.actuation.weightAlone) return null;
		let a = r ? this.accelerations(e, t, n) : this.steadyAccelerations(e, t);
		if (a === null) return null;
		let o = i.program("reactions");
		o.inputs.a.set(a), o.inputs.q.set(e), o.inputs.v.set(t), o.inputs.tau.set(n), o.run();
		let s = o.outputs.out.slice();
		return s.every(Number.isFinite) ? s : null;
	}
}, S = 1e-14, C = 1e-9;
function w(e, t, n, r) {
	let i = n.map((n) => r.map((r) => e[n * t + r])), a = 1;
	for (let e = 0; e < i.length; e++) {
		let t = e;
		for (let n = e + 1; n < i.length; n++) Math.abs(i[n][e]) > Math.abs(i[t][e]) && (t = n);
		if (i[t][e] === 0) return 0;
		t !== e && ([i[e], i[t], a] = [
			i[t],
			i[e],
			-a
		]), a *= i[e][e];
		for (let t = e + 1; t < i.length; t++) {
			let n = i[t][e] / i[e][e];
			if (n !== 0) for (let r = e; r < i.length; r++) i[t][r] -= n * i[e][r];
		}
	}
	return a;
}
function T(e) {
	return String(Number(e.toPrecision(6)));
}
var E = class {
	data;
	runtime;
	constructor(e, t) {
		this.data = e, this.runtime = t;
	}
	singularity(e) {
		let { runtime: t, data: n } = this, { type1: r, type2: i, base: a } = n.measure;
		t.field("measure.given", e.length).set(e), t.call("measure_state_range", a, 0n, 1n);
		let o = t.field("measure.found", 6), s = [
			[
				"type 1",
				o[0],
				r
			],
			[
				"type 2",
				o[1],
				i
			],
			[
				"constraint",
				o[2],
				n.has_loops
			]
		];
		return {
			distances: Object.fromEntries(s.filter(([, e, t]) => t && e < 1).map(([e, t]) => [e, t])),
			condition: o[3]
		};
	}
	branch(e) {
		let { runtime: t, data: n } = this;
		if (n.branch.length === 0 || n.equations === null) return "";
		let r = t.program(n.equations);
		r.inputs.q.set(e), r.run();
		let i = n.branch.map(([e, t]) => {
			let i = w(r.outputs.out, n.sizes.v, e, t);
			return Math.abs(i) < S ? "0" : i > 0 ? "+" : "-";
		});
		return `${i.slice(0, -1).join("")}|${i[i.length - 1]}`;
	}
	limits(e) {
		let { runtime: t, data: n } = this;
		if (!t.has("limits")) return [];
		let r = t.program("limits");
		r.inputs.q.set(e), r.run();
		let i = r.outputs.out, a = i.length / 2;
		return n.limits.flatMap(([e, t], n) => e * (i[n] - i[a + n]) + C < 0 ? [t.replace("{0:.6g}", T(i[n])).replace("{1:.6g}", T(i[a + n])).replace(/([{}])\1/g, "$1")] : []);
	}
}, D = 1e-12, O = 1e-9, k = 20, A = .1, j = 1e-7, M = .5, te = 1 / 64, N = 72, ne = 2e4, P = 0, F = 1, I = 3, L = 6, R = 7, z = {
	reached: !0,
	boundary: !1,
	message: ""
}, B = class {
	data;
	runtime;
	actuation;
	readouts;
	motions;
	q;
	v;
	t = 0;
	acting = null;
	known = /* @__PURE__ */ new Map();
	constructor(e, t, n, r, i, a, o) {
		this.data = e, this.runtime = t, this.actuation = n, this.readouts = r, this.motions = i, this.q = a, this.v = o;
	}
	changed() {
		this.known.clear();
	}
	once(e, t) {
		return this.known.has(e) || this.known.set(e, t()), this.known.get(e);
	}
	get poses() {
		return this.once("poses", () => this.posesAt(this.q));
	}
	posesAt(e) {
		let t = this.runtime.program("poses"), n = this.data.sizes.bodies, r = new Float64Array(7 * n);
		t.inputs.q.set(e), t.run();
		for (let e = 0; e < n; e++) r.set(t.outputs.out0.subarray(3 * e, 3 * e + 3), 7 * e), r.set(t.outputs.out1.subarray(4 * e, 4 * e + 4), 7 * e + 3);
		return r;
	}
	get actuators() {
		return this.once("actuators", () => this.actuation.positions(this.q));
	}
	get efforts() {
		return this.once("efforts", () => {
			if (this.acting !== null) return this.acting;
			if (!this.runtime.has("inverse_dynamics")) return new Float64Array(this.data.sizes.actuators).fill(NaN);
			let e = this.runtime.program("inverse_dynamics"), t = this.motions.steadyAccelerations(this.q, this.v);
			return t === null ? e.outputs.out.slice().fill(NaN) : (e.inputs.q.set(this.q), e.inputs.v.set(this.v), e.inputs.a.set(t), e.run(), e.outputs.out.slice());
		});
	}
	get platform() {
		return this.once("platform", () => {
			if (!this.runtime.has("platform")) return null;
			let e = this.runtime.program("platform"), t = /* @__PURE__ */ new Float64Array(7);
			return e.inputs.q.set(this.q), e.run(), t.set(e.outputs.out0), t.set(e.outputs.out1, 3), t;
		});
	}
	get singularity() {
		return this.once("singularity", () => this.readouts.singularity(this.q));
	}
	get singularities() {
		return this.singularity.distances;
	}
	get condition() {
		return this.singularity.condition;
	}
	get branch() {
		return this.once("branch", () => this.readouts.branch(this.q));
	}
	get limits() {
		return this.once("limits", () => this.readouts.limits(this.q));
	}
	get monitored() {
		return this.once("monitored", () => {
			let e = this.runtime.program("run.monitor");
			return e.inputs.q.set(this.q), e.inputs.v.set(this.v), e.run(), e.outputs.out.slice();
		});
	}
	get gap() {
		return this.monitored[0];
	}
	get energy() {
		return [this.monitored[2], this.monitored[3] - this.actuation.weightEnergy(this.poses)];
	}
}, V = class {
	data;
	runtime;
	state;
	parameters;
	actuation;
	dragging;
	motions;
	q;
	v;
	image;
	running = !1;
	stops = !0;
	constructor(e, t) {
		this.data = e, this.runtime = t, this.actuation = new n(e, t), this.dragging = new u(e, t), this.motions = new ee(e, t, this.actuation), this.parameters = Float64Array.from(e.parameters), this.q = Float64Array.from(e.home), this.v = new Float64Array(e.sizes.v), this.state = new B(e, t, this.actuation, new E(e, t), this.motions, this.q, this.v), this.image = new Uint8Array(t.memory.buffer, e.base, e.size).slice();
	}
	setState(e, t) {
		this.rest();
		let n = this.q.slice();
		return this.q.set(e), t === void 0 ? this.v.fill(0) : this.v.set(t), this.close() ? z : (this.q.set(n), this.v.fill(0), {
			reached: !1,
			boundary: !1,
			message: "the loops do not close there"
		});
	}
	close() {
		let e = this.runtime.program("run.project"), t = Infinity;
		for (let n = 0; n < k; n++) {
			this.state.changed();
			let r = this.state.gap;
			if (r < D) return n > 0 || this.data.has_loops === !1 || this.projected();
			if (!(r < t)) return t < O;
			t = r, e.inputs.q.set(this.q), e.inputs.v.set(this.v), e.run(), this.q.set(e.outputs.out1), this.v.set(e.outputs.out0);
		}
		return !1;
	}
	projected() {
		if (this.v.every((e) => e === 0)) return !0;
		let e = this.runtime.program("run.project");
		return e.inputs.q.set(this.q), e.inputs.v.set(this.v), e.run(), this.v.set(e.outputs.out0), this.state.changed(), !0;
	}
	setParameters(e) {
		this.rest();
		let { parameters: t } = this, n = t.slice(), r = this.q.slice(), i = (e) => ({
			reached: !1,
			boundary: !1,
			message: e
		});
		if (t.length === 0) return i("the mechanism of this page has no parameters");
		if (!Array.from(e).every(Number.isFinite) || e.length !== t.length) return i(`${t.length} finite numbers are expected`);
		let a = this.state.actuators.slice(), o = 0, s = 1;
		for (; o < 1;) {
			let c = Math.min(1, o + s), l = t.slice();
			for (let r = 0; r < n.length; r++) t[r] = c === 1 ? e[r] : n[r] + c * (e[r] - n[r]);
			if (this.give(), this.closeAgain(a)) o = c;
			else if (t.set(l), s /= 2, s < te) return t.set(n), this.give(), this.q.set(r), this.state.changed(), i("the loops do not close with these values");
		}
		return this.v.fill(0), this.state.changed(), z;
	}
	closeAgain(e) {
		if (this.state.changed(), !this.data.has_loops || this.runtime.has("step") && this.closeWith(e)) return !0;
		let t = this.q.slice();
		return this.v.fill(0), this.close() && this.q.every((e, n) => Math.abs(e - t[n]) < M) ? !0 : (this.q.set(t), !1);
	}
	give() {
		let { parameters: e, data: t, runtime: n } = this, r = e.length;
		n.numbers(t.parameter_address, r).set(e), n.numbers(t.parameter_address + 8 * r, t.stops.length).set(t.stops.map((e) => this.stops ? e : 0)), this.runtime.giveParameters(), this.state.changed();
	}
	pullBody(e, t, n, r) {
		this.rest();
		let i = this.dragging.pullBody(this.q, e, t, n, r);
		return this.state.changed(), i;
	}
	pullPlatform(e, t) {
		this.rest();
		let { poses: n, platform: r } = this.state;
		if (r === null || this.data.platform < 0) return {
			reached: !1,
			boundary: !1,
			message: "this mechanism has no platform that could be pulled"
		};
		let i = this.dragging.pullPlatform(this.q, n, r, e, t);
		return this.state.changed(), i;
	}
	drive(e, t) {
		if (this.rest(), this.dragging.canPullActuators) {
			let n = this.dragging.pullActuator(this.q, e, t);
			return this.state.changed(), n;
		}
		return this.driveThroughCuts(e, t);
	}
	driveThroughCuts(e, t) {
		if (!this.runtime.has("step")) return {
			reached: !1,
			boundary: !1,
			message: "this actuator cannot be driven alone"
		};
		let n = this.state.actuators.slice(), { units: r, repeats: i } = this.data.actuators, a = t - n[e];
		i[e] && (a -= 2 * Math.PI * Math.round(a / (2 * Math.PI)));
		let o = n[e], s = Math.abs(a) / r[e], c = 0, l = Math.min(1, A / Math.max(s, A)), u = l;
		for (; c < 1;) {
			let t = c + l > 1 - 1e-12 ? 1 : c + l;
			if (n[e] = o + a * t, this.closeWith(n) ? [c, l] = [t, Math.min(u, 2 * l)] : l /= 2, l * s < j && c < 1) return {
				reached: !1,
				boundary: !0,
				message: "the loops do not close beyond this position"
			};
		}
		return z;
	}
	reach(e) {
		let t = this.q.slice(), n = this.state.actuators[e], { units: r, lengths: i } = this.data.actuators, a = i[e] ? this.data.length : 2 * Math.PI, o = [-1, 1].map((i) => {
			let o = 0;
			for (let t = 1; t <= N && (this.drive(e, n + i * a * t / N), o += this.state.actuators[e] - n - o, !(Math.abs(o - i * a * t / N) > j * r[e])); t++);
			return this.q.set(t), this.state.changed(), o;
		}), s = !i[e] && Math.min(-o[0], o[1]) >= a * .9999999;
		return s ? {
			low: n - Math.PI,
			high: n + Math.PI,
			whole: s
		} : {
			low: n + o[0],
			high: n + o[1],
			whole: s
		};
	}
	posesAt(e) {
		return this.state.posesAt(e);
	}
	ratesOf(e) {
		return this.motions.ratesOf(this.q, e);
	}
	bodyRates(e) {
		return this.motions.bodyRates(this.q, e);
	}
	reactions() {
		return this.motions.reactions(this.q, this.v, this.state.efforts, this.running);
	}
	closeWith(e) {
		let t = this.runtime.program("step"), n = this.q.slice(), r = null;
		for (let n = 0; n < k; n++) {
			t.inputs.q.set(this.q), t.inputs.target.set(e), t.run();
			let [n, i, a, ...o] = t.outputs.out1;
			if (r ??= Float64Array.from(o, Math.sign), !(a < M) || o.some((e, t) => !(e * r[t] > 0))) break;
			if (this.q.set(t.outputs.out0), Math.max(n, i) < D) return this.state.changed(), !0;
		}
		return this.q.set(n), !1;
	}
	assemblyModes() {
		return this.rest(), !this.data.has_loops || !this.runtime.has("step") ? [{
			q: this.q.slice(),
			current: !0
		}] : g(this.data, this.runtime, this.q, this.state.actuators.slice(), (e) => this.posesAt(e));
	}
	rest() {
		this.running && (this.running = !1, this.state.acting = null, this.v.fill(0), this.state.changed());
	}
	start(e) {
		let { runtime: t, data: n } = this;
		new Uint8Array(t.memory.buffer, n.base, n.size).set(this.image);
		let r = t.field("y", n.sizes.q + n.sizes.v);
		r.set(this.q), r.set(this.v, n.sizes.q), this.running = !0, this.state.t = 0, e.stops !== this.stops && (this.stops = e.stops, this.give()), this.actuation.begin(e, this.state.actuators), this.state.acting = this.actuation.acting, this.state.changed();
	}
	push(e, t, n) {
		this.running && this.actuation.push(e, t, n);
	}
	motion(e, t) {
		this.actuation.laws[e] = t, this.runtime.field("step.fresh")[0] = 1;
	}
	advance(e) {
		let { runtime: t, data: n } = this;
		if (!this.running) return {
			reached: !1,
			boundary: !1,
			message: "nothing runs: start a run first"
		};
		t.field("settings.t_end")[0] += e;
		let r = this.advanceSlices(), i = t.field("y", n.sizes.q + n.sizes.v);
		if (this.q.set(i.subarray(0, n.sizes.q)), this.v.set(i.subarray(n.sizes.q)), this.state.t = t.field("step.t")[0], this.state.acting = this.actuation.acting, this.state.changed(), r === F) return z;
		if (r === P) return {
			reached: !1,
			boundary: !1,
			message: "too many steps for one picture"
		};
		let a = r === I ? "its steps became too small" : "its equations have no solution here";
		return {
			reached: !1,
			boundary: !0,
			message: `the run ends at ${this.state.t.toPrecision(4)} s: ${a}`
		};
	}
	advanceSlices() {
		let { runtime: e } = this, t = e.whole("budget");
		for (t[0] = BigInt(ne);;) {
			let n = e.drive("advance_lanes");
			if (n !== R && n !== L) return n;
			if (t[0] <= 0n) return P;
			e.whole("events.n_found")[0] = 0n, e.whole("tangent.n_passed")[0] = 0n;
		}
	}
}, H = 9, U = class {
	bytes = /* @__PURE__ */ new Uint8Array(65536);
	length = 0;
	byte(e) {
		this.length === this.bytes.length && this.reserve(1), this.bytes[this.length++] = e;
	}
	append(e) {
		this.reserve(e.length), this.bytes.set(e, this.length), this.length += e.length;
	}
	number(e) {
		for (; e > 127; e = Math.floor(e / 128)) this.byte(e % 128 | 128);
		this.byte(e);
	}
	reserve(e) {
		if (this.length + e <= this.bytes.length) return;
		let t = new Uint8Array(2 * (this.length + e));
		t.set(this.bytes), this.bytes = t;
	}
	get written() {
		return this.bytes.subarray(0, this.length);
	}
}, W = class {
	bytes;
	at = 0;
	constructor(e) {
		this.bytes = e;
	}
	byte() {
		return this.bytes[this.at++];
	}
	take(e) {
		return this.bytes.subarray(this.at, this.at += e);
	}
	number() {
		let e = 0, t = 1, n = 128;
		for (; n > 127; t *= 128) e += ((n = this.byte()) & 127) * t;
		return e;
	}
};
function G(e) {
	let t = e >> 1, n = t & 1 ? -(t + 1 >> 1) : t >> 1;
	return e & 1 ? n : 8 * n;
}
function K(e) {
	let t = new DataView(e.buffer, e.byteOffset), n = 36, r = Array.from({ length: H }, (r, i) => {
		let a = t.getUint32(4 * i, !0);
		return e.subarray(n, n += a);
	}), i = new DataView(r[0].buffer, r[0].byteOffset), [a, , o] = [
		0,
		4,
		8
	].map((e) => i.getUint32(e, !0)), s = r[0].subarray(12), [c, l, u, d, f, p, m, h] = r.slice(1).map((e) => new W(e)), g = [0, 0], _ = new U();
	_.number(o);
	for (let e = 0; e < o; e++) {
		let e = new U(), t = [];
		e.append(c.take(c.number()));
		for (let n = c.number(); n > 0; n--) {
			let n = l.byte();
			if (e.byte(n), n >= 32 && n <= 34) e.number(q(u.number(), t));
			else if (n >= 40 && n < 63) {
				let t = Number(n >= 54);
				e.byte(m.byte()), e.number(g[t] += G((t ? p : f).number()));
			} else if (n === 12 || n === 13 || n === 16 || n === 35 || n === 36) e.number(d.number());
			else if (n >= 2 && n <= 4 || n === 63 || n === 64) e.byte(d.byte());
			else if (n === 17) e.number(d.number()), e.number(d.number());
			else if (n === 14) {
				let t = d.number();
				e.number(t);
				for (let n = 0; n <= t; n++) e.number(d.number());
			} else if (n === 65 || n === 66) {
				let t = 128;
				for (; t > 127;) e.byte(t = m.byte());
			} else if (n === 67 || n === 68) e.append(h.take(n === 67 ? 4 : 8));
			else if (n === 252) {
				let t = d.byte();
				e.byte(t), e.append(d.take(t === 10 ? 2 : +(t === 11)));
			}
		}
		_.number(e.length), _.append(e.written);
	}
	let v = new U();
	return v.append(s.subarray(0, a)), v.byte(10), v.number(_.length), v.append(_.written), v.append(s.subarray(a)), v.written;
}
function q(e, t) {
	for (; t.length <= e;) t.push(t.length);
	let n = t[e];
	return t.copyWithin(1, 0, e), t[0] = n, n;
}
// src/engine/runtime.ts
var J = 65536, Y = new Uint8Array([
	0,
	97,
	115,
	109,
	1,
	0,
	0,
	0,
	1,
	6,
	1,
	96,
	1,
	127,
	1,
	127,
	2,
	7,
	1,
	1,
	101,
	1,
	102,
	0,
	0,
	7,
	5,
	1,
	1,
	102,
	0,
	0
]), X = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%/()*+-;,=.?@^_`{|}~";
function Z(e) {
	let t = /* @__PURE__ */ new Uint8Array(128), n = Math.ceil(e.length / 5), r = /* @__PURE__ */ new DataView(/* @__PURE__ */ new ArrayBuffer(4 * n));
	for (let e = 0; e < 85; e++) t[X.charCodeAt(e)] = e;
	for (let i = 0; i < n; i++) {
		let n = 0;
		for (let r = 5 * i; r < 5 * i + 5; r++) n = 85 * n + (r < e.length ? t[e.charCodeAt(r)] : 84);
		r.setUint32(4 * i, n);
	}
	return new Uint8Array(r.buffer, 0, Math.floor(4 * e.length / 5));
}
async function Q(e) {
	let t = new Blob([Z(e)]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(t).arrayBuffer());
}
var re = class {
	data;
	memory;
	table;
	functions;
	drivers;
	programs = {};
	callbacks;
	constructor(e, t, n, r, i) {
		this.data = e, this.memory = t, this.table = n, this.functions = r, this.drivers = i, this.callbacks = e.table.length + 1;
		for (let [t, n] of Object.entries(e.programs)) this.programs[t] = {
			run: r[t],
			inputs: this.views(n.inputs),
			outputs: this.views(n.outputs)
		};
	}
	views(e) {
		let t = {};
		for (let [n, [r, i]] of Object.entries(e)) t[n] = this.numbers(r, i.reduce((e, t) => e * t, 1));
		return t;
	}
	numbers(e, t) {
		return new Float64Array(this.memory.buffer, e, t);
	}
	addresses(e, t) {
		return new Int32Array(this.memory.buffer, e, t);
	}
	has(e) {
		return e in this.programs;
	}
	program(e) {
		return this.programs[e];
	}
	field(e, t = 1) {
		return this.numbers(this.data.record[e], t);
	}
	whole(e, t = 1) {
		return new BigInt64Array(this.memory.buffer, this.data.record[e], t);
	}
	drive(e, t = this.data.base) {
		return Number(this.drivers[e](t));
	}
	call(e, t, ...n) {
		this.drivers[e](t, ...n);
	}
	tableEntry(e) {
		let t = new WebAssembly.Instance(new WebAssembly.Module(Y), { e: { f: e } });
		return this.table.set(this.callbacks, t.exports.f), BigInt(this.callbacks++);
	}
	giveParameters() {
		for (let [e, t] of Object.entries(this.functions)) e.endsWith(".given") && t();
	}
}, ie = 2;
async function ae(e) {
	let t = [
		e.binary,
		e.drivers,
		e.image,
		e.drag.image,
		e.measure.image
	], [n, r, i, a, o] = await Promise.all(t.map(Q)), s = new WebAssembly.Memory({ initial: Math.ceil((e.base + e.size) / J) + 1 }), c = new WebAssembly.Table({
		element: "anyfunc",
		initial: e.table.length + 1 + ie
	}), l = {
		env: {
			__linear_memory: s,
			__indirect_function_table: c,
			__stack_pointer: new WebAssembly.Global({
				value: "i32",
				mutable: !0
			}, e.stack),
			lw_exp: Math.exp,
			lw_log: Math.log
		},
		Math
	}, [u, d] = await Promise.all([WebAssembly.instantiate(K(n), l), WebAssembly.instantiate(K(r), l)]), f = u.instance.exports;
	return e.table.forEach((e, t) => c.set(t + 1, f[`${e}.at`])), new Uint8Array(s.buffer, e.base, e.size).set(i), new Uint8Array(s.buffer, e.drag.base, a.length).set(a), new Uint8Array(s.buffer, e.measure.base, o.length).set(o), new re(e, s, c, f, d.instance.exports);
}
// src/engine/scene_shape.ts
function $(e, t = []) {
	for (let [n, r] of Object.entries(e)) typeof r == "number" ? t.push([e, n]) : typeof r == "object" && r && n !== "meshes" && $(r, t);
	return t;
}
var oe = class {
	run;
	p;
	out;
	scene;
	changing;
	constructor(e, t, n, r, i) {
		this.run = n, this.p = r, this.out = i, this.scene = {
			...structuredClone({
				...e,
				meshes: []
			}),
			meshes: e.meshes
		};
		let a = $(this.scene);
		this.changing = Array.from(t, (e) => a[e]);
	}
	at(e) {
		return this.p.set(e), this.run(), this.changing.forEach(([e, t], n) => e[t] = this.out[n]), this.scene;
	}
};
async function se(e, t) {
	let [n, r] = await Promise.all([Q(e.binary), Q(e.indices)]), i = new WebAssembly.Memory({ initial: e.pages }), a = {
		env: { __linear_memory: i },
		Math
	}, { instance: o } = await WebAssembly.instantiate(n, a), [s, c] = [e.p, e.out].map((e) => new Float64Array(i.buffer, e));
	return new oe(t, new Uint32Array(r.buffer), o.exports.shape, s, c);
}
// src/engine/engine.ts
async function ce(e) {
	if (typeof WebAssembly != "object" || typeof DecompressionStream != "function") return "This browser cannot compute the mechanism: it has no WebAssembly.";
	try {
		return new V(e, await ae(e));
	} catch (e) {
		return console.info(e), "This viewer does not let the page compute (WebAssembly is switched off), so it is an animation here; a browser opens it to play with.";
	}
}
export { ce as openEngine, se as openSceneShape, K as unpackModule };
