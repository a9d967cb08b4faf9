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
	machine;
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
		this.data = e, this.machine = t, this.laws = Array(e.sizes.actuators).fill(null), this.held = new Float64Array(e.sizes.actuators);
		let n = (e) => t.tableEntry((n) => (e(t.addresses(n, 5)), 1));
		this.entries = {
			effort: n((e) => this.efforts(e)),
			wrench: n((e) => this.wrenches(e))
		};
	}
	get canFollow() {
		return this.machine.has("rates") && this.machine.has("inverse_dynamics");
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
		this.machine.whole("mechanics.effort")[0] = e ? this.entries.effort : 0n, this.machine.whole("mechanics.wrench")[0] = t ? this.entries.wrench : 0n;
		let { actuators: n, bodies: r } = this.data.sizes;
		this.machine.field("mechanics.tau", n + 6 * r).fill(0), this.machine.field("step.fresh")[0] = 1;
	}
	efforts([e, n, r, i]) {
		let { machine: a, data: o } = this, { sizes: s } = o, [c, l] = [a.program("rates"), a.program("inverse_dynamics")], u = a.numbers(e, 1)[0];
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
		if (!this.machine.has("actuators")) return Float64Array.from(t, (t) => t === null ? NaN : e[t]);
		let n = this.machine.program("actuators");
		return n.inputs.q.set(e), n.run(), n.outputs.out.slice();
	}
	speeds(e) {
		let { speeds: t } = this.data.actuators;
		if (!this.machine.has("actuator_rates")) return Float64Array.from(t, (t) => t === null ? NaN : e[t]);
		let n = this.machine.program("actuator_rates");
		return n.inputs.q.set(this.machine.program("rates").inputs.q), n.inputs.v.set(e), n.run(), n.outputs.out.slice();
	}
	wrenches([, t, , n]) {
		let { machine: r, data: i } = this, a = i.sizes.bodies, o = r.program("poses");
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
	get acting() {
		return this.machine.field("mechanics.tau", this.data.sizes.actuators).slice();
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
	machine;
	constructor(e, t) {
		this.data = e, this.machine = t;
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
	pull(e, t, n, r, c, l, u) {
		let { machine: d, data: f } = this, p = f.length;
		d.whole("drag.goal.body")[0] = BigInt(t), d.field("drag.goal.point", 3).set(n), d.field("drag.goal.xyz", 3).set(r), d.field("drag.goal.axes", 9).set(c), d.field("drag.goal.wxyz", 4).set(l), d.field("drag.goal.weights", 6).set(u.map((e, t) => t < 3 ? e / p : e)), d.whole("drag.goal.counts", 6).set(u.map((e) => BigInt(e >= 1)));
		let m = d.field("drag.step.q", f.sizes.q);
		m.set(e);
		let h = d.drive("pull_body", f.drag.base);
		if (h === s || !m.every(Number.isFinite)) return {
			reached: !1,
			boundary: !0,
			message: "the equations have no solution here"
		};
		if (e.set(m), h === i) return {
			reached: !0,
			boundary: !1,
			message: ""
		};
		let g = (d.field("drag.step.missed")[0] * p).toPrecision(3);
		if (h === o) return {
			reached: !1,
			boundary: !0,
			message: "stopped at a singular position: behind it lies another branch"
		};
		let _ = h === a ? `as near as the mechanism comes: ${g} m away` : "";
		return {
			reached: !1,
			boundary: h === a,
			message: _
		};
	}
}, d = 1e-12, f = 1e-9, p = 20, m = .1, h = 1e-7, g = .5, _ = 72, v = 2e4, y = 0, b = 1, x = 3, S = 6, C = 7, w = {
	reached: !0,
	boundary: !1,
	message: ""
}, T = class {
	data;
	machine;
	actuation;
	q;
	v;
	t = 0;
	singularities = {};
	condition = NaN;
	branch = "";
	limits = [];
	acting = null;
	known = /* @__PURE__ */ new Map();
	constructor(e, t, n, r, i) {
		this.data = e, this.machine = t, this.actuation = n, this.q = r, this.v = i;
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
		let t = this.machine.program("poses"), n = this.data.sizes.bodies, r = new Float64Array(7 * n);
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
			if (!this.machine.has("inverse_dynamics")) return new Float64Array(this.data.sizes.actuators).fill(NaN);
			let e = this.machine.program("inverse_dynamics");
			return e.inputs.q.set(this.q), e.inputs.v.set(this.v), e.inputs.a.fill(0), e.run(), e.outputs.out.slice();
		});
	}
	get platform() {
		return this.once("platform", () => {
			if (!this.machine.has("platform")) return null;
			let e = this.machine.program("platform"), t = /* @__PURE__ */ new Float64Array(7);
			return e.inputs.q.set(this.q), e.run(), t.set(e.outputs.out0), t.set(e.outputs.out1, 3), t;
		});
	}
	get monitored() {
		return this.once("monitored", () => {
			let e = this.machine.program("run.monitor");
			return e.inputs.q.set(this.q), e.inputs.v.set(this.v), e.run(), e.outputs.out.slice();
		});
	}
	get gap() {
		return this.monitored[0];
	}
	get energy() {
		return [this.monitored[2], this.monitored[3] - this.actuation.weightEnergy(this.poses)];
	}
}, E = class {
	data;
	machine;
	state;
	parameters = /* @__PURE__ */ new Float64Array();
	actuation;
	dragging;
	q;
	v;
	image;
	running = !1;
	constructor(e, t) {
		this.data = e, this.machine = t, this.actuation = new n(e, t), this.dragging = new u(e, t), this.q = Float64Array.from(e.home), this.v = new Float64Array(e.sizes.v), this.state = new T(e, t, this.actuation, this.q, this.v), this.image = new Uint8Array(t.memory.buffer, e.base, e.size).slice();
	}
	setState(e, t) {
		this.rest();
		let n = this.q.slice();
		return this.q.set(e), t === void 0 ? this.v.fill(0) : this.v.set(t), this.close() ? w : (this.q.set(n), this.v.fill(0), {
			reached: !1,
			boundary: !1,
			message: "the loops do not close there"
		});
	}
	close() {
		let e = this.machine.program("run.project"), t = Infinity;
		for (let n = 0; n < p; n++) {
			this.state.changed();
			let r = this.state.gap;
			if (r < d) return n > 0 || this.data.has_loops === !1 || this.projected();
			if (!(r < t)) return t < f;
			t = r, e.inputs.q.set(this.q), e.inputs.v.set(this.v), e.run(), this.q.set(e.outputs.out1), this.v.set(e.outputs.out0);
		}
		return !1;
	}
	projected() {
		if (this.v.every((e) => e === 0)) return !0;
		let e = this.machine.program("run.project");
		return e.inputs.q.set(this.q), e.inputs.v.set(this.v), e.run(), this.v.set(e.outputs.out0), this.state.changed(), !0;
	}
	setParameters(e) {
		return {
			reached: !1,
			boundary: !1,
			message: "the mechanism of this page has no parameters"
		};
	}
	sceneNumbers() {
		return null;
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
		if (this.rest(), !this.machine.has("step")) return this.driveFreely(e, t);
		let n = this.state.actuators.slice(), { units: r, repeats: i } = this.data.actuators, a = t - n[e];
		i[e] && (a -= 2 * Math.PI * Math.round(a / (2 * Math.PI)));
		let o = n[e], s = Math.abs(a) / r[e], c = 0, l = Math.min(1, m / Math.max(s, m)), u = l;
		for (; c < 1;) {
			let t = c + l > 1 - 1e-12 ? 1 : c + l;
			if (n[e] = o + a * t, this.closeWith(n) ? [c, l] = [t, Math.min(u, 2 * l)] : l /= 2, l * s < h && c < 1) return {
				reached: !1,
				boundary: !0,
				message: "the loops do not close beyond this position"
			};
		}
		return w;
	}
	reach(e) {
		let t = this.q.slice(), n = this.state.actuators[e], { units: r, lengths: i } = this.data.actuators, a = i[e] ? this.data.length : 2 * Math.PI, o = [-1, 1].map((i) => {
			let o = 0;
			for (let t = 1; t <= _ && (this.drive(e, n + i * a * t / _), o += this.state.actuators[e] - n - o, !(Math.abs(o - i * a * t / _) > h * r[e])); t++);
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
	driveFreely(e, t) {
		let n = this.data.actuators.coordinates[e];
		return this.data.has_loops || n === null ? {
			reached: !1,
			boundary: !1,
			message: "this actuator cannot be driven alone"
		} : (this.q[n] = t, this.state.changed(), w);
	}
	closeWith(e) {
		let t = this.machine.program("step"), n = this.q.slice(), r = null;
		for (let n = 0; n < p; n++) {
			t.inputs.q.set(this.q), t.inputs.target.set(e), t.run();
			let [n, i, a, ...o] = t.outputs.out1;
			if (r ??= Float64Array.from(o, Math.sign), !(a < g) || o.some((e, t) => !(e * r[t] > 0))) break;
			if (this.q.set(t.outputs.out0), Math.max(n, i) < d) return this.state.changed(), !0;
		}
		return this.q.set(n), !1;
	}
	assemblyModes() {
		return [{
			q: this.q.slice(),
			current: !0
		}];
	}
	rest() {
		this.running && (this.running = !1, this.state.acting = null, this.v.fill(0), this.state.changed());
	}
	start(e) {
		let { machine: t, data: n } = this;
		new Uint8Array(t.memory.buffer, n.base, n.size).set(this.image);
		let r = t.field("y", n.sizes.q + n.sizes.v);
		r.set(this.q), r.set(this.v, n.sizes.q), this.running = !0, this.state.t = 0, this.actuation.begin(e, this.state.actuators), this.state.acting = this.actuation.acting, this.state.changed();
	}
	push(e, t, n) {
		this.running && this.actuation.push(e, t, n);
	}
	motion(e, t) {
		this.actuation.laws[e] = t, this.machine.field("step.fresh")[0] = 1;
	}
	advance(e) {
		let { machine: t, data: n } = this;
		if (!this.running) return {
			reached: !1,
			boundary: !1,
			message: "nothing runs: start a run first"
		};
		t.field("settings.t_end")[0] += e;
		let r = this.advanceSlices(), i = t.field("y", n.sizes.q + n.sizes.v);
		if (this.q.set(i.subarray(0, n.sizes.q)), this.v.set(i.subarray(n.sizes.q)), this.state.t = t.field("step.t")[0], this.state.acting = this.actuation.acting, this.state.changed(), r === b) return w;
		if (r === y) return {
			reached: !1,
			boundary: !1,
			message: "too many steps for one picture"
		};
		let a = r === x ? "its steps became too small" : "its equations have no solution here";
		return {
			reached: !1,
			boundary: !0,
			message: `the run ends at ${this.state.t.toPrecision(4)} s: ${a}`
		};
	}
	advanceSlices() {
		let { machine: e } = this, t = e.whole("budget");
		for (t[0] = BigInt(v);;) {
			let n = e.drive("advance_lanes");
			if (n !== C && n !== S) return n;
			if (t[0] <= 0n) return y;
			e.whole("events.n_found")[0] = 0n, e.whole("tangent.n_passed")[0] = 0n;
		}
	}
}, D = 65536, O = new Uint8Array([
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
]);
async function k(e) {
	let t = Uint8Array.from(atob(e), (e) => e.charCodeAt(0)), n = new Blob([t]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(n).arrayBuffer());
}
var A = class {
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
	tableEntry(e) {
		let t = new WebAssembly.Instance(new WebAssembly.Module(O), { e: { f: e } });
		return this.table.set(this.callbacks, t.exports.f), BigInt(this.callbacks++);
	}
	giveParameters() {
		for (let [e, t] of Object.entries(this.functions)) e.endsWith(".given") && t();
	}
}, j = 2;
async function M(e) {
	let t = [
		e.binary,
		e.drivers,
		e.image,
		e.drag.image
	], [n, r, i, a] = await Promise.all(t.map(k)), o = new WebAssembly.Memory({ initial: Math.ceil((e.base + e.size) / D) + 1 }), s = new WebAssembly.Table({
		element: "anyfunc",
		initial: e.table.length + 1 + j
	}), c = {
		env: {
			__linear_memory: o,
			__indirect_function_table: s,
			__stack_pointer: new WebAssembly.Global({
				value: "i32",
				mutable: !0
			}, e.stack),
			lw_exp: Math.exp,
			lw_log: Math.log
		},
		Math
	}, [l, u] = await Promise.all([WebAssembly.instantiate(n, c), WebAssembly.instantiate(r, c)]), d = l.instance.exports;
	return e.table.forEach((e, t) => s.set(t + 1, d[`${e}.at`])), new Uint8Array(o.buffer, e.base, e.size).set(i), new Uint8Array(o.buffer, e.drag.base, a.length).set(a), new A(e, o, s, d, u.instance.exports);
}
// src/engine/scene_shape.ts
function N(e, t = []) {
	for (let [n, r] of Object.entries(e)) typeof r == "number" ? t.push([e, n]) : typeof r == "object" && r && n !== "meshes" && N(r, t);
	return t;
}
var P = class {
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
		let a = N(this.scene);
		this.changing = Array.from(t, (e) => a[e]);
	}
	at(e) {
		return this.p.set(e), this.run(), this.changing.forEach(([e, t], n) => e[t] = this.out[n]), this.scene;
	}
};
async function F(e, t) {
	let [n, r] = await Promise.all([k(e.binary), k(e.indices)]), i = new WebAssembly.Memory({ initial: e.pages }), a = {
		env: { __linear_memory: i },
		Math
	}, { instance: o } = await WebAssembly.instantiate(n, a), [s, c] = [e.p, e.out].map((e) => new Float64Array(i.buffer, e));
	return new P(t, new Uint32Array(r.buffer), o.exports.shape, s, c);
}
// src/engine/engine.ts
async function I(e) {
	if (typeof WebAssembly != "object" || typeof DecompressionStream != "function") return "This browser cannot compute the mechanism: it has no WebAssembly.";
	try {
		return new E(e, await M(e));
	} catch (e) {
		return `This page may not compute the mechanism here (${String(e)}), so it is an animation.`;
	}
}
export { I as openEngine, F as openSceneShape };
