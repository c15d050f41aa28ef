import { createHash, createHmac } from 'node:crypto';
import { derivePublicKey } from '../key-pair.js';
import {
  ADDRESSED_KINDS,
  type AddressedKind,
  keyRecord,
  RECORD_KINDS,
  type RecordKind,
  type StoreRecord,
  type StoreRecords,
} from '../records.js';

/** Digest of one kind's records in one store. */
export interface KindDigest {
  records: number;
  /** SHA-256 over the sorted names and the digests of contents, with a key that only the platform has; hexadecimal. */
  digest: string;
}

/** Comparison of two stores for one kind. */
export interface KindComparison {
  kind: RecordKind;
  source: KindDigest;
  target: KindDigest;
  /** Records that only the source has. */
  missing: number;
  changed: number;
  /** Records that only the target has. */
  additional: number;
  /** Names of the first records that differ. */
  names: string[];
}

/** Digests of records by their names. */
export type Digests = ReadonlyMap<string, string>;

/** Names of records that are listed. */
const NAMED = 10;

export const nameText = (name: readonly string[]): string => JSON.stringify(name);

const isAddressed = (kind: RecordKind): kind is AddressedKind => (ADDRESSED_KINDS as readonly RecordKind[]).includes(kind);

/** The digest of a record. @param key secret, so that no digest reveals a short content */
export const recordDigest = (record: StoreRecord, key: Uint8Array): string =>
  createHmac('sha256', key).update(comparable(record)).digest('base64');

/**
 * Returns the comparable content: a store may keep a machine's pin beside the key that the machine got, but need not.
 */
function comparable({ kind, name, bytes }: StoreRecord): Buffer {
  if (kind !== 'key') return bytes;
  const { private: secret, pin } = keyRecord.parse(JSON.parse(bytes.toString('utf8')));
  const [, , server = ''] = name;
  const isOwn = secret !== undefined && server !== '' && pin === derivePublicKey(secret, server);
  return Buffer.from(JSON.stringify([secret, isOwn ? undefined : pin]));
}

/**
 * Returns digests of all records of a kind.
 *
 * @param reading `contents` reads all; `names` trusts the names of content-addressed kinds
 */
export async function readDigests(
  store: StoreRecords,
  kind: RecordKind,
  key: Uint8Array,
  reading: 'contents' | 'names',
): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  if (reading === 'names' && isAddressed(kind))
    for await (const address of store.addresses(kind)) digests.set(nameText([address]), address);
  else for await (const record of store.read(kind)) digests.set(nameText(record.name), recordDigest(record, key));
  return digests;
}

/**
 * Compares two stores and changes neither.
 *
 * @param target undefined: a store without a single record
 */
export async function compareStores(
  source: StoreRecords,
  target: StoreRecords | undefined,
  key: Uint8Array,
  reading: 'contents' | 'names',
  onKind: (kind: RecordKind) => void = () => {},
): Promise<KindComparison[]> {
  const compared: KindComparison[] = [];
  for (const kind of RECORD_KINDS) {
    onKind(kind);
    const [from, to] = [
      await readDigests(source, kind, key, reading),
      target ? await readDigests(target, kind, key, reading) : new Map<string, string>(),
    ];
    compared.push(compareDigests(kind, from, to));
  }
  return compared;
}

function compareDigests(kind: RecordKind, source: Digests, target: Digests): KindComparison {
  const missing = [...source.keys()].filter((name) => !target.has(name));
  const additional = [...target.keys()].filter((name) => !source.has(name));
  const changed = [...source].flatMap(([name, digest]) => (target.has(name) && target.get(name) !== digest ? [name] : []));
  const names = [...missing, ...changed, ...additional].slice(0, NAMED).map((name) => (JSON.parse(name) as string[]).join('/'));
  return {
    kind,
    source: digestOf(source),
    target: digestOf(target),
    missing: missing.length,
    changed: changed.length,
    additional: additional.length,
    names,
  };
}

function digestOf(digests: Digests): KindDigest {
  const sum = createHash('sha256');
  for (const name of [...digests.keys()].sort()) sum.update(`${name}\0${digests.get(name)}\n`);
  return { records: digests.size, digest: sum.digest('hex') };
}

/** How many records differ. */
export const countDifferences = (compared: readonly KindComparison[]): number =>
  compared.reduce((sum, { missing, changed, additional }) => sum + missing + changed + additional, 0);
