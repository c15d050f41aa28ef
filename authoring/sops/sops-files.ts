import { inputError } from '../../core/errors.js';
import { LIMITS } from '../../core/limits.js';
import { folderAround } from '../../definition/layers/workspace-folder.js';
import { readBytes } from '../../definition/source/read-text.js';
import { writeWhole } from '../../settings/edit/write-file.js';
import { deriveRecipients, findIdentities } from '../../sops/age/identities.js';
import { creationRule } from '../../sops/creation-rules.js';
import {
  type NewFile,
  newSopsFile,
  type OpenedFile,
  openSopsFile,
  plainOf,
  readSopsFile,
  replaceRecipients,
} from '../../sops/sops-file.js';
import type { Context } from '../context.js';
import { splitList } from '../request/named.js';

/**
 * Returns the caller's age keys.
 *
 * @throws inputError `age-key`
 */
export const findSopsIdentities = ({ env, home }: Pick<Context, 'env' | 'home'>) => findIdentities(env, home.ageKeys);

/**
 * Reads the bytes of a file.
 *
 * @param within folder that must contain the file after resolving links
 * @throws inputError `sops-file`
 */
export async function readSopsBytes(file: string, within?: string): Promise<Buffer> {
  const read = await readBytes(file, LIMITS.file, { within });
  if (Buffer.isBuffer(read)) return read;
  const { message, suggestion } = read;
  throw inputError({ code: 'sops-file', what: 'read the file', on: file, why: message, ...(suggestion && { hint: suggestion }) });
}

/**
 * Decrypts a SOPS file with the caller's keys.
 *
 * @throws inputError `sops-file`, `sops-key`, `sops-tampered`, `sops-unsupported`, `age-key`
 */
export const openEncryptedFile = async (
  context: Pick<Context, 'env' | 'home'>,
  file: string,
  bytes?: Buffer,
): Promise<OpenedFile> => openSopsFile(readSopsFile(file, bytes ?? (await readSopsBytes(file))), await findSopsIdentities(context));

/**
 * Returns the decrypted content of a SOPS file.
 *
 * @throws as `openEncryptedFile` does
 */
export const decryptFile = async (context: Pick<Context, 'env' | 'home'>, file: string): Promise<Buffer> =>
  plainOf(await openEncryptedFile(context, file));

/**
 * Determines the encryption of a new file: the given recipients, then `.sops.yaml` above it, then
 * `SOPS_AGE_RECIPIENTS`.
 *
 * @throws inputError `sops-rule` if there are no recipients
 */
export async function createNewSopsFile(context: Context, file: string, said: Partial<NewFile>): Promise<NewFile> {
  const rule = said.recipients ? undefined : await creationRule(file);
  const recipients = said.recipients ?? rule?.recipients ?? splitList([context.env.SOPS_AGE_RECIPIENTS ?? '']);
  if (recipients.length > 0) return { ...rule, ...said, recipients };
  const [own] = await deriveRecipients((await findSopsIdentities(context)).keys);
  throw inputError({
    code: 'sops-rule',
    what: 'encrypt the file',
    on: file,
    why: 'the file has no recipient: set --age, or add a .sops.yaml above it',
    hint: own ? `--age ${own} is for your own key` : 'provisioning key generate creates a key, and prints its recipient for --age',
  });
}

/**
 * Encrypts a file in place.
 *
 * @throws inputError `sops-file`, `sops-rule`, `sops-unsupported`
 */
export async function encryptFile(
  context: Context,
  file: string,
  said: Partial<NewFile>,
): Promise<{ recipients: readonly string[] }> {
  const bytes = await readSopsBytes(file);
  const how = await createNewSopsFile(context, file, said);
  await writeWhole(file, await newSopsFile(file, bytes, how, new Date()), 0o600, { within: await folderAround(file) });
  return how;
}

/**
 * Returns the recipients of a file, including key services. Needs no key.
 *
 * @throws inputError `sops-file`, `sops-unsupported`
 */
export async function recipientsOfFile(file: string): Promise<string[]> {
  const { metadata } = readSopsFile(file, await readSopsBytes(file));
  return [...metadata.age.map(({ recipient }) => recipient), ...metadata.services];
}

/**
 * Changes the recipients of a file. Its data key stays.
 *
 * @returns the recipients of the file
 */
export async function changeRecipients(
  context: Context,
  file: string,
  change: { add: readonly string[]; remove: readonly string[] },
): Promise<string[]> {
  const sealed = await openEncryptedFile(context, file);
  const before = sealed.metadata.age.map(({ recipient }) => recipient);
  const stranger = change.remove.find((one) => !before.includes(one));
  const fault = (why: string) => inputError({ code: 'sops-rule', what: 'change the recipients', on: file, why });
  if (stranger !== undefined) throw fault(`it is not for ${stranger}`);
  const after = [...new Set([...before, ...change.add])].filter((one) => !change.remove.includes(one));
  if (after.length === 0) throw fault('nobody could read it any more');
  await writeWhole(file, await replaceRecipients(sealed, after), 0o600, { within: await folderAround(file) });
  return after;
}
