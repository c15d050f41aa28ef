import { createHash } from 'node:crypto';
import { type Bundle, bundleIn, bundleRecord, fileRecord, textOfRecord } from '../../core/definition/bundle.js';
import { inputError } from '../../core/errors.js';
import { LIMITS, sizeText } from '../../core/limits.js';
import { addressOfFile } from '../../definition/source/file-address.js';
import type { MethodStores } from '../engine.js';

type Blobs = MethodStores['blobs'];
type Place = Pick<Bundle, 'workspace' | 'infra'>;

/**
 * Stores a bundle once all of its files are there.
 *
 * @param texts contents of the files that the caller sends, by address
 * @returns the address of the bundle, or the files that the caller must send first
 * @throws inputError `bad-bundle`, `too-large`
 */
export async function putBundle(
  blobs: Blobs,
  bundle: Bundle,
  texts: Readonly<Record<string, string>>,
): Promise<{ bundle?: string; missing: string[] }> {
  check(bundle);
  const listed = new Set(bundle.files.map(({ address }) => address));
  for (const [address, text] of Object.entries(texts)) {
    if (!listed.has(address) || addressOfFile(bundle.workspace, text) !== address)
      throw refused('keep the bundle', bundle, 'the hash of a text differs from its address');
  }
  for (const text of Object.values(texts)) await blobs.put(fileRecord(bundle.workspace, text));
  const known = await Promise.all([...listed].map(async (address) => ({ address, there: await blobs.has(address) })));
  const missing = known.filter(({ there }) => !there).map(({ address }) => address);
  if (missing.length > 0) return { missing };
  const record = bundleRecord(bundle);
  const address = createHash('sha256').update(record).digest('hex');
  return { bundle: (await blobs.has(address)) ? address : await blobs.put(record), missing };
}

/** @throws inputError `unknown-bundle` also for a bundle of another infra: the error does not say that it exists */
export async function readBundle(blobs: Blobs, { workspace, infra }: Place, address: string): Promise<Bundle> {
  const found = (await blobs.has(address)) ? bundleIn(await blobs.get(address)) : undefined;
  if (found && found.workspace === workspace && found.infra === infra) return found;
  const why = 'the infra has no bundle with this address';
  throw inputError({ code: 'unknown-bundle', what: 'find the bundle', on: address, why });
}

/** Returns the content of a file in a bundle. @throws inputError `unknown-bundle`, `blob-missing` */
export async function fileOfBundle(blobs: Blobs, place: Place, address: string, path: string): Promise<string> {
  const bundle = await readBundle(blobs, place, address);
  const file = bundle.files.find((one) => one.path === path);
  const text = file && textOfRecord(place.workspace, await blobs.get(file.address));
  if (text !== undefined) return text;
  throw inputError({
    code: 'unknown-bundle',
    what: 'find the file of the bundle',
    on: path,
    why: 'the bundle has no file with this path',
  });
}

function check(bundle: Bundle): void {
  const paths = new Set(bundle.files.map(({ path }) => path));
  if (paths.size < bundle.files.length) throw refused('keep the bundle', bundle, 'two of its files have the same path');
  if (!paths.has(bundle.main)) throw refused('keep the bundle', bundle, `its main file "${bundle.main}" is not among them`);
  const size = bundle.files.reduce((sum, file) => sum + file.size, 0);
  if (size <= LIMITS.bundle) return;
  const why = `its files have ${sizeText(size)}, at most ${sizeText(LIMITS.bundle)} are allowed`;
  throw inputError({ code: 'too-large', what: 'keep the bundle', on: bundle.infra, why, hint: 'remove large files from it' });
}

const refused = (what: string, { infra }: Bundle, why: string) => inputError({ code: 'bad-bundle', what, on: infra, why });
