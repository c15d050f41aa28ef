const BLOCK = 64;

/** The first 32 bits of the fractional parts of these roots of the first primes, as FIPS 180-4 defines its constants. */
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
    const [early, late] = [w[i - 15] as number, w[i - 2] as number];
    const low = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const high = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    w[i] = ((w[i - 16] as number) + low + (w[i - 7] as number) + high) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < BLOCK; i++) {
    const choice = (e & f) ^ (~e & g);
    const first = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + choice + (ROUNDS[i] as number) + (w[i] as number)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = ((state[index] as number) + word) | 0;
}
