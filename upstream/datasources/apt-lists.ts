import { createHash } from 'node:crypto';
import { messageOf, ProvisioningError } from '../../core/errors.js';
import { clipText } from '../../core/text.js';
import { verifySignature } from '../asking/signature.js';
import { unpackBody } from '../asking/unpack.js';
import type { Validators, Web } from '../asking/web.js';
import { aptPackages, type PackageVersions } from '../reading/apt-packages.js';
import { type AptRelease, aptRelease, extractSignedText, listOfPackages, type ReleaseEntry } from '../reading/apt-release.js';
import { createMissingError, createNotGenuineError, unreadable } from '../upstream-errors.js';
import type { AptList, AptLists, AptSuite } from './apt-suite.js';
import { folder } from './part.js';

/** Maximum size of a Release file, and of a fetched list, in bytes. */
const MOST_OF_RELEASE = 20_000_000;
const MOST_OF_LIST = 100_000_000;

/** Returns the address of a suite's InRelease file, which is read first. */
export const releaseOf = ({ uri, suite }: Pick<AptSuite, 'uri' | 'suite'>): string =>
  suite.endsWith('/') ? `${folder(uri)}${suite.replace(/^\.?\//, '')}InRelease` : `${folder(uri)}dists/${suite}/InRelease`;

/** State of a suite in this call. */
interface KnownSuite {
  list?: AptList;
  /** Validators for which the suite had not changed. */
  unchanged: readonly string[];
}

/**
 * Reads each list once per call. A suite that could not be read is not fetched again.
 *
 * @param now milliseconds since 1970
 * @param wanted names of the packages to keep. Default: all
 */
export function aptListsBy(web: Web, now: () => number = Date.now, wanted?: ReadonlySet<string>): AptLists {
  const suites = new Map<string, Promise<KnownSuite>>();
  return {
    async of(suite, validators) {
      const at = releaseOf(suite);
      const asked = JSON.stringify(validators ?? {});
      // Sequential: services with other validators must find the list that the first service fetched.
      const before = suites.get(at) ?? Promise.resolve({ unchanged: [] });
      const known = before.then(async (known: KnownSuite): Promise<KnownSuite> => {
        if (known.list || known.unchanged.includes(asked)) return known;
        const list = await readSuite(web, suite, validators, { now, ...(wanted && { wanted }) });
        return list ? { ...known, list } : { unchanged: [...known.unchanged, asked] };
      });
      suites.set(at, known);
      const { list, unchanged } = await known;
      return unchanged.includes(asked) ? undefined : list;
    },
  };
}

interface How {
  now(): number;
  wanted?: ReadonlySet<string>;
}

interface Message {
  body: Buffer;
  signature?: Buffer;
  validators: Validators;
}

async function readSuite(web: Web, suite: AptSuite, validators: Validators | undefined, { now, wanted }: How) {
  const at = releaseOf(suite);
  const { host } = new URL(at);
  const on = `${host} ${suite.suite}`;
  const message = await messageAt(web, at, validators);
  if (!message) return undefined;
  const { text, remark } = await believed(message, suite, on);
  const release = aptRelease(text);
  if (!release) throw unreadable(on, 'its answer is not the Release file of an apt repository');
  if (release.validUntil !== undefined && Date.parse(release.validUntil) < now())
    throw createNotGenuineError(on, `its lists expired at ${release.validUntil.slice(0, 10)}: an old copy hides newer versions`);
  const packages = await packagesOf(web, suite, release, { on, ...(wanted && { wanted }) });
  return { packages, validators: message.validators, ...(remark !== undefined && { remark }) };
}

/** Fetches the signed Release in one file, or in two if there is no InRelease. */
async function messageAt(web: Web, at: string, validators: Validators | undefined): Promise<Message | undefined> {
  try {
    return await web.get(at, { most: MOST_OF_RELEASE, ...(validators && { validators }) });
  } catch (error) {
    if (!(error instanceof ProvisioningError) || error.details.code !== 'versions-missing') throw error;
    const beside = at.replace(/InRelease$/, 'Release');
    const release = await web.get(beside, { most: MOST_OF_RELEASE });
    const signature = await web.get(`${beside}.gpg`, { most: 1_000_000 });
    // The validators of InRelease do not apply to these two files.
    return release && signature && { body: release.body, signature: signature.body, validators: {} };
  }
}

/** Returns the text of a Release. If this machine cannot verify it, the text is used unverified, with a remark. */
async function believed({ body, signature }: Message, { keyring, fingerprint }: AptSuite, on: string) {
  const asItIs = (why: string) => ({ text: extractSignedText(body.toString()), remark: `its signature was not verified: ${why}` });
  if (!Buffer.isBuffer(keyring)) return asItIs(keyring.why);
  const found = await verifySignature({ message: body, ...(signature && { signature }), keyring });
  if (found.verdict === 'unknown') return asItIs(found.why);
  if (found.verdict === 'bad') throw createNotGenuineError(on, found.why);
  if (fingerprint !== undefined && found.fingerprint !== fingerprint)
    throw createNotGenuineError(on, `it is signed by another key: ${found.fingerprint}`);
  return { text: found.content.toString(), remark: undefined };
}

interface Reading {
  on: string;
  wanted?: ReadonlySet<string>;
}

async function packagesOf(web: Web, suite: AptSuite, release: AptRelease, reading: Reading): Promise<PackageVersions> {
  const isFlat = suite.suite.endsWith('/');
  const lists = (isFlat ? [undefined] : suite.components).flatMap((component) => listOfPackages(release, component) ?? []);
  if (lists.length === 0) throw createMissingError(reading.on, 'its Release lists no packages for amd64');
  const all = new Map<string, string[]>();
  for (const list of lists) {
    for (const [name, versions] of await listAt(web, suite, list, reading)) all.set(name, [...(all.get(name) ?? []), ...versions]);
  }
  return all;
}

async function listAt(web: Web, suite: AptSuite, { path, sha256, size }: ReleaseEntry, { on, wanted }: Reading) {
  const most = Math.min(size, MOST_OF_LIST);
  const answer = await web.get(new URL(path, releaseOf(suite)).href, { most, raw: true });
  const found = createHash('sha256')
    .update(answer?.body ?? '')
    .digest('hex');
  if (found !== sha256)
    throw createNotGenuineError(on, `${path} does not match its Release file: it was changed, or the repository is being updated`);
  try {
    return await aptPackages(unpackBody(path, answer?.body ?? Buffer.alloc(0)), wanted);
  } catch (error) {
    throw unreadable(on, `${path} cannot be read: ${clipText(messageOf(error), 160)}`);
  }
}
