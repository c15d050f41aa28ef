import { createHash } from 'node:crypto';
import type { VersionsFile } from '../../core/schema/versions/versions-file.js';
import { verifySignature } from '../../upstream/asking/signature.js';
import type { Web } from '../../upstream/asking/web.js';
import type { ListedVersion } from '../../upstream/reading/release-tags.js';
import { type Architecture, type ArtifactPlaces, artifactPlaces, fileName, type Publisher } from './artifact-places.js';
import { hashIn } from './checksums.js';

/** Maximum bytes of a hash list, and of an artifact. */
const MOST_OF_LIST = 5_000_000;
const MOST_OF_ARTIFACT = 2_000_000_000;
const ARCHITECTURES: readonly Architecture[] = ['amd64', 'arm64'];

export type Entry = VersionsFile['versions'][string];

/** Entry of a version that may be added. */
export interface NewEntry {
  entry: Entry;
  /** Reasons why its hashes are not verified; empty if the vendor's signature was verified. */
  unverified: string[];
}

export interface EntryOptions {
  web: Web;
  /** Keys of vendors. The key with the fingerprint in `versions.json` applies. */
  keyring?: Buffer;
  /** Whether to download artifacts without a listed hash and compute it. */
  compute: boolean;
}

/**
 * Fetches the hashes of a version's artifacts.
 *
 * @param like the entry of the previous version, which tells the architectures without an artifact.
 * @throws Error if there is no hash or a signature is invalid
 */
export async function newEntry(
  upstream: Publisher,
  { version, released }: ListedVersion,
  like: Entry | undefined,
  options: EntryOptions,
): Promise<NewEntry> {
  const entry: Entry = released === undefined ? {} : { released };
  const unverified = new Set<string>();
  for (const arch of ARCHITECTURES) {
    const why = like?.without?.[arch];
    if (why !== undefined) {
      entry.without = { ...entry.without, [arch]: why };
      continue;
    }
    const places = artifactPlaces(upstream, version, arch);
    const { sha256, doubt } = await hashOf(upstream, places, options);
    if (doubt !== undefined) unverified.add(doubt);
    entry[arch] = { url: places.artifact, sha256 };
  }
  return { entry, unverified: [...unverified] };
}

async function hashOf(upstream: Publisher, places: ArtifactPlaces, options: EntryOptions) {
  const { artifact, checksums, alone } = places;
  if (checksums === undefined) return computed(upstream, places, options);
  const list = await bodyAt(options.web, checksums, MOST_OF_LIST);
  const { content, doubt } = await believed(upstream, list, places, options);
  const sha256 = hashIn(content.toString(), fileName(artifact), alone);
  if (sha256 === undefined) throw new Error(`${checksums} lists no ${fileName(artifact)}`);
  return { sha256, doubt };
}

async function computed(upstream: Publisher, places: ArtifactPlaces, options: EntryOptions) {
  const { artifact } = places;
  if (!options.compute) throw new Error(`nobody lists the hash of ${artifact}: --compute downloads it and computes one`);
  if (places.signature !== undefined) {
    const body = await bodyAt(options.web, artifact, MOST_OF_ARTIFACT);
    const { doubt } = await believed(upstream, body, places, options);
    return { sha256: createHash('sha256').update(body).digest('hex'), doubt };
  }
  const sum = createHash('sha256');
  await options.web.get(artifact, { most: MOST_OF_ARTIFACT, raw: true, take: (chunk) => sum.update(chunk) });
  return { sha256: sum.digest('hex'), doubt: 'its hash was computed here, of what was downloaded' };
}

/**
 * Returns the signed content, or the content with the reason why it is not verified.
 *
 * @throws Error if the signature is invalid
 */
async function believed({ signature }: Publisher, body: Buffer, places: ArtifactPlaces, { web, keyring }: EntryOptions) {
  const asItIs = (doubt: string) => ({ content: body, doubt });
  if (!signature) return asItIs('versions.json names no signature of the vendor');
  if (signature.kind !== 'gpg') return asItIs(`there is no program here that verifies signatures of the kind ${signature.kind}`);
  const { fingerprint } = signature;
  if (!keyring || fingerprint === undefined)
    return asItIs(
      fingerprint === undefined ? 'versions.json names no fingerprint' : `the key ${fingerprint} is not given: --keyring FILE`,
    );
  const beside = places.signature === undefined ? undefined : await bodyAt(web, places.signature, MOST_OF_LIST);
  const found = await verifySignature({ message: body, ...(beside && { signature: beside }), keyring });
  if (found.verdict === 'unknown') return asItIs(found.why);
  if (found.verdict === 'bad') throw new Error(`the signature of ${places.checksums ?? places.artifact}: ${found.why}`);
  if (found.fingerprint !== fingerprint) throw new Error(`it is signed by ${found.fingerprint}, and not by ${fingerprint}`);
  return { content: found.content, doubt: undefined };
}

async function bodyAt(web: Web, url: string, most: number): Promise<Buffer> {
  return (await web.get(url, { most, raw: true }))?.body ?? Buffer.alloc(0);
}
