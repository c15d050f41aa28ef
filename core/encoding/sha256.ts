const BLOCK = 64;

/**
 * The first 32 bits of the fractional parts of these roots of the first primes: FIPS 180-4 defines its constants so.
 */
const [START, ROUNDS] = constants();

function constants(): [number[], number[]] {
  const primes: number[] = [];
  for (let one = 2; primes.length < BLOCK; one++) if (primes.every((prime) => one % prime !== 0)) primes.push(one);
  const fraction = (root: number) => ((root - Math.floor(root)) * 2 ** 32) | 0;
  return [primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))), primes.map((prime) => fraction(Math.cbrt(prime)))];
}

const turned = (word: number, by: number) => (word >>> by) | (word << (32 - by));

/** SHA-256 of bytes, or of a text in UTF-8, in hex: for content addresses within workflows, where Node's own is not. */
export function sha256(of: string | Uint8Array): string {
  const message = padded(typeof of === 'string' ? new TextEncoder().encode(of) : of);
  const state = Int32Array.from(START);
  const schedule = new Int32Array(BLOCK);
  for (let at = 0; at < message.byteLength; at += BLOCK) mix(state, schedule, message, at);
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** With a one bit, zeros, and the length in bits, up to whole blocks. */
function padded(bytes: Uint8Array): DataView {
  const length = Math.ceil((bytes.length + 9) / BLOCK) * BLOCK;
  const buffer = new Uint8Array(length);
  buffer.set(bytes);
  buffer[bytes.length] = 0x80;
  const view = new DataView(buffer.buffer);
  view.setBigUint64(length - 8, BigInt(bytes.length) * 8n);
  return view;
}

function mix(state: Int32Array, w: Int32Array, message: DataView, at: number): void {
  for (let i = 0; i < 16; i++) w[i] = message.getInt32(at + 4 * i);
  for (let i = 16; i < BLOCK; i++) {
    const early = w[i - 15] as number;
    const late = w[i - 2] as number;
    const low = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const high = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    w[i] = ((w[i - 16] as number) + low + (w[i - 7] as number) + high) | 0;
  }
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  // One by one: a list for each round takes ten times as long where nothing is compiled yet.
  for (let i = 0; i < BLOCK; i++) {
    const choice = (e & f) ^ (~e & g);
    const first = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + choice + (ROUNDS[i] as number) + (w[i] as number)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0] = (state[0] as number) + a;
  state[1] = (state[1] as number) + b;
  state[2] = (state[2] as number) + c;
  state[3] = (state[3] as number) + d;
  state[4] = (state[4] as number) + e;
  state[5] = (state[5] as number) + f;
  state[6] = (state[6] as number) + g;
  state[7] = (state[7] as number) + h;
}
