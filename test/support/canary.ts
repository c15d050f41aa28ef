import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';

/** Returns a unique text, with characters that change when encoded. */
export const newCanary = (): string => `Canary+${randomUUID()}/bird`;

/** Returns the encodings of a text: plain, base64 at each of its three alignments, hex, URL, UTF-16. */
export function formsOf(canary: string): Record<string, Buffer> {
  const bytes = Buffer.from(canary);
  const hex = bytes.toString('hex');
  const forms: Record<string, Buffer> = {
    raw: bytes,
    hex: Buffer.from(hex),
    'hex in capitals': Buffer.from(hex.toUpperCase()),
    'a URL': Buffer.from(encodeURIComponent(canary)),
    'UTF-16': Buffer.from(canary, 'utf16le'),
  };
  for (let skipped = 0; skipped < 3; skipped++) {
    const whole = bytes.subarray(skipped, skipped + 3 * Math.floor((bytes.length - skipped) / 3));
    forms[`base64, ${skipped} bytes on`] = Buffer.from(whole.toString('base64'));
    forms[`base64 for URLs, ${skipped} bytes on`] = Buffer.from(whole.toString('base64url'));
  }
  return forms;
}

/** Returns the encodings in which these bytes contain a canary. */
export function sightings(canary: string, where: string | Buffer): string[] {
  const bytes = Buffer.isBuffer(where) ? where : Buffer.from(where);
  return Object.entries(formsOf(canary)).flatMap(([form, needle]) => (bytes.includes(needle) ? [form] : []));
}

/** Returns the files of a folder that contain a canary, each with its encoding. */
export async function filesWith(canary: string, root: string, except: readonly string[] = []): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(root, path);
    if (!entry.isFile() || except.some((one) => name.startsWith(`${one}/`))) continue;
    const bytes = unzipped(await readFile(path).catch(() => Buffer.alloc(0)));
    found.push(...sightings(canary, bytes).map((form) => `${name}: ${form}`));
  }
  return found;
}

/** Decompresses data, because compression does not hide a secret. */
function unzipped(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes);
  } catch {
    return bytes;
  }
}

/** Checks the arguments of all processes on this machine repeatedly while something runs, including containers. */
export async function argumentsDuring(canary: string, work: () => Promise<unknown>): Promise<{ samples: number; found: string[] }> {
  const found = new Set<string>();
  let samples = 0;
  let over = false;
  const watching = (async () => {
    while (!over) {
      for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
        const line = await readFile(`/proc/${pid}/cmdline`).catch(() => Buffer.alloc(0));
        samples++;
        for (const form of sightings(canary, line))
          found.add(`${form} in ${line.toString('utf8').replaceAll('\0', ' ').slice(0, 200)}`);
      }
      await sleep(5);
    }
  })();
  try {
    await work();
  } finally {
    over = true;
    await watching;
  }
  return { samples, found: [...found] };
}
