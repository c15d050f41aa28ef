import { createHash, randomBytes } from 'node:crypto';
import { bugError } from '../../core/errors.js';
import { type AuditClass, type AuditEntry, type AuditRow, auditEntry, MOST_RECORD_BYTES } from '../rows/audit-records.js';

/** Fields that a chain adds to an entry. */
type Placed = 'v' | 'chain' | 'sequence';
/** An entry before it is appended. */
export type NewEntry = Omit<AuditEntry, Placed>;

/** An entry, with the salt of its input. */
export interface NewRecord {
  entry: NewEntry;
  salt?: string;
}

/** The end of a chain: the sequence of its last record, 0 for an empty chain, and that record's hash. */
export interface ChainEnd {
  chain: string;
  sequence: number;
  hash: string;
}

/** Each process that writes has a name of its own, at each start. */
export const createWriterName = (): string => randomBytes(9).toString('hex');

/** A writer has a chain for each class, so that the old records of one class are the beginnings of chains. */
export const nameChain = (writer: string, of: AuditClass): string => `${writer}.${of}`;

/** The writer of a chain. */
export const readWriter = (chain: string): string => chain.slice(0, chain.indexOf('.'));

const digest = (...parts: (string | Uint8Array)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url');
};

/** Returns the substitute for the hash before the first record. It is unique to this chain. */
export const hashBeginning = (chain: string): string => digest('provisioning audit chain\0', chain);

/** Returns the SHA-256 of the previous hash, as 32 bytes, and the bytes of the record. */
export const hashAfter = (previous: string, text: string): string => digest(Buffer.from(previous, 'base64url'), text);

export const formatId = (chain: string, sequence: number): string => `${chain}/${sequence}`;

/**
 * The row that follows the end of a chain.
 *
 * @throws bugError `audit-record` for an entry that is larger than a record may be
 */
export function chainRow({ chain, sequence: last, hash: previous }: ChainEnd, { entry, salt }: NewRecord): AuditRow {
  const sequence = last + 1;
  const text = JSON.stringify({ v: 1, chain, sequence, ...entry } satisfies AuditEntry);
  if (Buffer.byteLength(text) > MOST_RECORD_BYTES) {
    const why = `it is larger than ${MOST_RECORD_BYTES} bytes`;
    throw bugError({ code: 'audit-record', what: 'record the call', on: entry.method, why });
  }
  const { class: of, call, who, method, outcome } = entry;
  return {
    ...{ id: formatId(chain, sequence), chain, class: of, call, method, outcome, text, previous },
    ...(who !== undefined && { who }),
    hash: hashAfter(previous, text),
    ...(salt !== undefined && { salt }),
  };
}

/** Parses the entry of a row; undefined if its text is not an entry. */
export function parseEntry({ text }: Pick<AuditRow, 'text'>): AuditEntry | undefined {
  try {
    return auditEntry.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
