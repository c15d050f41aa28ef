import { createHash } from 'node:crypto';
import { gunzipSync, inflateSync } from 'node:zlib';
import { armor, Decrypter } from 'age-encryption';
import { expect, test } from 'vitest';

interface Vector {
  name: string;
  head: Record<string, string[]>;
  body: Buffer;
}

function read(name: string, bytes: Uint8Array): Vector {
  const all = Buffer.from(bytes);
  const end = all.indexOf('\n\n');
  const head: Record<string, string[]> = {};
  for (const line of all.subarray(0, end).toString().split('\n')) {
    const [key = '', ...rest] = line.split(': ');
    head[key] = [...(head[key] ?? []), rest.join(': ')];
  }
  const body = all.subarray(end + 2);
  const unpacked = head.compressed?.[0] === 'zlib' ? inflateSync(body) : head.compressed?.[0] === 'gzip' ? gunzipSync(body) : body;
  return { name, head, body: unpacked };
}

async function outcomeOf({ head, body }: Vector): Promise<string> {
  try {
    const decrypter = new Decrypter();
    for (const identity of head.identity ?? []) decrypter.addIdentity(identity);
    for (const phrase of head.passphrase ?? []) decrypter.addPassphrase(phrase);
    const file = head.armored?.[0] === 'yes' ? armor.decode(body.toString('latin1')) : body;
    return createHash('sha256')
      .update(await decrypter.decrypt(file))
      .digest('hex');
  } catch {
    return 'refused';
  }
}

test('the age library keeps what the test vectors of the format say', async () => {
  const vectors: Record<string, unknown> = { ...(await import('cctv-age')) };
  const all = Object.entries(vectors).flatMap(([name, bytes]) => (bytes instanceof Uint8Array ? [read(name, bytes)] : []));
  const wrong: string[] = [];
  for (const vector of all) {
    const wanted = vector.head.expect?.[0] === 'success' ? vector.head.payload?.[0] : 'refused';
    const outcome = await outcomeOf(vector);
    if (outcome !== wanted) wrong.push(`${vector.name}: ${outcome.slice(0, 8)} instead of ${wanted?.slice(0, 8)}`);
  }
  expect(wrong).toEqual([]);
  expect(all.length).toBeGreaterThan(100);
}, 300_000);
