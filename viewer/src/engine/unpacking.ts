// Modules put together again from the streams of `wasm_packing.py`.

const PARTS = 9;

/** Bytes that grow. */
class Writer {
  bytes = new Uint8Array(1 << 16);
  length = 0;

  byte(x: number): void {
    if (this.length === this.bytes.length) this.reserve(1);
    this.bytes[this.length++] = x;
  }

  append(more: Uint8Array): void {
    this.reserve(more.length);
    this.bytes.set(more, this.length);
    this.length += more.length;
  }

  number(x: number): void {
    for (; x > 127; x = Math.floor(x / 128)) this.byte((x % 128) | 128);
    this.byte(x);
  }

  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const bytes = new Uint8Array(2 * (this.length + more));
    bytes.set(this.bytes);
    this.bytes = bytes;
  }

  get written(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.length);
  }
}

class Reader {
  at = 0;
  constructor(private readonly bytes: Uint8Array) {}

  byte(): number {
    return this.bytes[this.at++];
  }

  take(n: number): Uint8Array {
    return this.bytes.subarray(this.at, (this.at += n));
  }

  number(): number {
    let x = 0, unit = 1, byte = 128;
    for (; byte > 127; unit *= 128) x += ((byte = this.byte()) & 127) * unit;
    return x;
  }
}

/** The way that a whole number of at least 0 stands for: even ones count words of eight bytes. */
function wayOf(code: number): number {
  const steps = code >> 1, way = steps & 1 ? -((steps + 1) >> 1) : steps >> 1;
  return code & 1 ? way : 8 * way;
}

export function unpackModule(packed: Uint8Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(packed.buffer, packed.byteOffset);
  let at = 4 * PARTS;
  const parts = Array.from({ length: PARTS }, (_, k) => {
    const n = view.getUint32(4 * k, true);
    return packed.subarray(at, (at += n));
  });
  const about = new DataView(parts[0].buffer, parts[0].byteOffset);
  const [before, , count] = [0, 4, 8].map((k) => about.getUint32(k, true)), around = parts[0].subarray(12);
  const [heads, opcodes, locals, numbers, loads, stores, wholes, constants] = parts.slice(1).map((x) => new Reader(x));
  const last = [0, 0], code = new Writer();
  code.number(count);
  for (let k = 0; k < count; k++) {
    const body = new Writer(), recent: number[] = [];
    body.append(heads.take(heads.number()));
    for (let n = heads.number(); n > 0; n--) {
      const op = opcodes.byte();
      body.byte(op);
      if (op >= 0x20 && op <= 0x22) body.number(localAt(locals.number(), recent));
      else if (op >= 0x28 && op < 0x3f) {
        const kind = Number(op >= 0x36);
        body.byte(wholes.byte());
        body.number((last[kind] += wayOf((kind ? stores : loads).number())));
      } else if (op === 0x0c || op === 0x0d || op === 0x10 || op === 0x23 || op === 0x24) body.number(numbers.number());
      else if ((op >= 0x02 && op <= 0x04) || op === 0x3f || op === 0x40) body.byte(numbers.byte());
      else if (op === 0x11) { body.number(numbers.number()); body.number(numbers.number()); }
      else if (op === 0x0e) {
        const labels = numbers.number();
        body.number(labels);
        for (let i = 0; i <= labels; i++) body.number(numbers.number());
      } else if (op === 0x41 || op === 0x42) {
        let byte = 128;
        while (byte > 127) body.byte((byte = wholes.byte()));
      } else if (op === 0x43 || op === 0x44) body.append(constants.take(op === 0x43 ? 4 : 8));
      else if (op === 0xfc) {
        const more = numbers.byte();
        body.byte(more);
        body.append(numbers.take(more === 0x0a ? 2 : more === 0x0b ? 1 : 0));
      }
    }
    code.number(body.length);
    code.append(body.written);
  }
  const module = new Writer();
  module.append(around.subarray(0, before));
  module.byte(10);
  module.number(code.length);
  module.append(code.written);
  module.append(around.subarray(before));
  return module.written;
}

/** The local that was used so many others ago; it goes to the front. */
function localAt(position: number, recent: number[]): number {
  while (recent.length <= position) recent.push(recent.length);
  const number = recent[position];
  recent.copyWithin(1, 0, position);
  recent[0] = number;
  return number;
}
