import { randomBytes } from 'node:crypto';
import { type Identities, openDataKey, wrapDataKey } from './age/data-key.js';
import { createTamperedFault, ValueCipher } from './cipher.js';
import { runForFile, SopsFault, sopsError } from './fault.js';
import { type Format, formatOf } from './formats/formats.js';
import { type Metadata, newMetadata, readMetadata, replaceAge, sealMetadata } from './metadata.js';
import { DEFAULT_RULE, type Rule } from './selection.js';
import type { MapNode } from './tree.js';
import { decryptTree, encryptTree } from './walk.js';

/** SOPS file as stored: names are readable, values are encrypted. */
export interface SopsFile {
  /** Name in errors. */
  file: string;
  documents: MapNode[];
  metadata: Metadata;
}

/** Decrypted SOPS file, with everything that is needed to encrypt it again. */
export interface OpenedFile extends SopsFile {
  plain: MapNode[];
  dataKey: Buffer;
  cipher: ValueCipher;
}

/** Encryption of a new file. */
export interface NewFile {
  recipients: readonly string[];
  rule?: Rule;
  macOnlyEncrypted?: boolean;
}

/**
 * Reads a SOPS file without decrypting it.
 *
 * @throws inputError `sops-file` if it is not a SOPS file, `sops-unsupported`
 */
export function readSopsFile(file: string, bytes: Buffer): SopsFile {
  return runForFile(file, () => {
    const { documents, metadata } = formatOf(file).readSealed(bytes);
    if (!metadata)
      throw new SopsFault('sops-file', 'it is not a SOPS file: the key "sops" is missing', `provisioning secret encrypt ${file}`);
    return { file, documents, metadata: readMetadata(metadata) };
  });
}

/** Reports whether bytes are a SOPS file, in the format of its extension. Unreadable bytes are not. */
export function isSopsFile(file: string, bytes: Buffer): boolean {
  try {
    return formatOf(file).readSealed(bytes).metadata !== undefined;
  } catch {
    return false;
  }
}

/**
 * Decrypts a file, and verifies the checksum of its values.
 *
 * @throws inputError `sops-key`, `sops-unsupported`, `sops-tampered`
 */
export async function openSopsFile(sealed: SopsFile, identities: Identities): Promise<OpenedFile> {
  const { file, documents, metadata } = sealed;
  const dataKey = await named(file, openDataKey(metadata, identities));
  const cipher = new ValueCipher(dataKey);
  return runForFile(file, () => {
    const { documents: plain, mac } = decryptTree(documents, { ...metadata, cipher });
    const kept = cipher.decrypt(metadata.mac, metadata.lastModified).data.toString();
    if (kept !== mac) throw createTamperedFault('its values were changed after it was encrypted');
    return { ...sealed, plain, dataKey, cipher };
  });
}

/** Returns the content of a file, in its format. */
export const plainOf = ({ file, plain }: Pick<OpenedFile, 'file' | 'plain'>): Buffer =>
  runForFile(file, () => formatOf(file).writePlain(plain));

/**
 * Reads plain text in the format of the file, to verify that it can be encrypted. @throws inputError `sops-file` if not
 */
export const checkPlain = (file: string, bytes: Buffer): MapNode[] =>
  runForFile(file, () => plainDocuments(formatOf(file), bytes), 'read the file');

/** Encrypts new values of a file. Unchanged values keep their encrypted text. @param now time of the change */
export function closeSopsFile({ file, metadata, cipher }: OpenedFile, values: Buffer | MapNode[], now: Date): Buffer {
  return runForFile(file, () => {
    const format = formatOf(file);
    const plain = Buffer.isBuffer(values) ? plainDocuments(format, values) : values;
    return sealed(format, plain, { ...metadata, cipher }, now);
  });
}

/** Creates a SOPS file. @throws inputError `sops-file`, `sops-rule` */
export async function newSopsFile(
  file: string,
  bytes: Buffer,
  { recipients, rule, macOnlyEncrypted = false }: NewFile,
  now: Date,
): Promise<Buffer> {
  const dataKey = randomBytes(32);
  const age = await named(file, wrapDataKey(dataKey, recipients), 'encrypt the file');
  return runForFile(
    file,
    () => {
      const format = formatOf(file);
      if (isSopsFile(file, bytes)) throw new SopsFault('sops-file', 'it is already encrypted', `provisioning secret edit ${file}`);
      // A binary file has a single value, which is encrypted under any name.
      const own = format.name === 'binary' ? undefined : (rule ?? DEFAULT_RULE);
      const tree = newMetadata(own, macOnlyEncrypted, age);
      const crypt = { rule: own ?? DEFAULT_RULE, macOnlyEncrypted, cipher: new ValueCipher(dataKey), tree };
      return sealed(format, plainDocuments(format, bytes), crypt, now);
    },
    'encrypt the file',
  );
}

/** Returns the file for other age recipients. Its values and its data key stay. */
export async function replaceRecipients(
  { file, metadata, dataKey, documents }: OpenedFile,
  recipients: readonly string[],
): Promise<Buffer> {
  const known = new Map(metadata.age.map((one) => [one.recipient, one]));
  const fresh = await named(
    file,
    wrapDataKey(
      dataKey,
      recipients.filter((one) => !known.has(one)),
    ),
    'change the recipients',
  );
  const all = new Map([...known, ...fresh.map((one) => [one.recipient, one] as const)]);
  const tree = replaceAge(
    metadata,
    recipients.flatMap((one) => all.get(one) ?? []),
  );
  return formatOf(file).writeSealed(documents, tree);
}

interface Sealing extends Pick<Metadata, 'rule' | 'macOnlyEncrypted' | 'tree'> {
  cipher: ValueCipher;
}

function sealed(format: Format, plain: MapNode[], crypt: Sealing, now: Date): Buffer {
  const { documents, mac } = encryptTree(plain, crypt);
  const lastModified = now.toISOString().replace(/\.\d+Z$/, 'Z');
  const closed = crypt.cipher.encryptNew({ type: 'str', data: Buffer.from(mac) }, lastModified);
  return format.writeSealed(documents, sealMetadata(crypt.tree, closed, lastModified));
}

function plainDocuments(format: Format, bytes: Buffer): MapNode[] {
  const documents = format.readPlain(bytes);
  if (documents.length === 0) throw new SopsFault('sops-file', 'the file is empty');
  return documents;
}

async function named<T>(file: string, work: Promise<T>, what?: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof SopsFault) throw sopsError(file, error, what);
    throw error;
  }
}
