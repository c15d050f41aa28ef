import { stringify } from 'yaml';
import { inputError, messageOf } from '../../core/errors.js';
import { isCredential, isGenerated } from '../../core/taskserv/secret-reach.js';
import { registries } from '../../definition/registries/registries.js';
import type { ScopedSecrets, SecretStore } from '../../stores/secrets.js';
import type { Context } from '../context.js';
import { isDotenvName, writeDotenv } from './dotenv.js';
import type { ValueFormat } from './read-values.js';

/** The values of one scope by name, each kept as read. Neither generated ones nor credentials of accounts. */
export async function exported(
  context: Context,
  store: SecretStore,
  { infra, shared }: { infra?: string; shared?: boolean },
): Promise<Map<string, string>> {
  const { workspace } = context;
  const secrets: ScopedSecrets = shared ? store : store.within({ workspace, infra });
  const { providers } = await registries();
  const isShared = (name: string) => !isGenerated(name) && !isCredential(name, providers);
  const scoped = async () => (await store.listScoped(workspace)).filter((one) => one.infra === infra).map(({ name }) => name);
  const names = shared ? (await store.list()).filter(isShared) : await scoped();
  const values = new Map<string, string>();
  // What a definition was given beside its file is kept under names that mean nothing elsewhere.
  for (const name of names.filter((one) => !one.startsWith('given/'))) {
    await secrets.noteRead(name, { at: new Date().toISOString(), by: context.actor, how: 'secret export' });
    const value = await secrets.get(name);
    if (value !== undefined) values.set(name, value);
  }
  return values;
}

/** @throws an input error `bad-arguments` for a name that a dotenv file cannot have */
export function exportedText(values: ReadonlyMap<string, string>, format: ValueFormat): string {
  if (format === 'json') return `${JSON.stringify(Object.fromEntries(values), undefined, 2)}\n`;
  if (format === 'yaml')
    return values.size === 0
      ? '{}\n'
      : stringify(Object.fromEntries(values), { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 });
  const name = [...values.keys()].find((one) => !isDotenvName(one));
  if (name === undefined) return writeDotenv(values);
  throw inputError({
    code: 'bad-arguments',
    what: 'write the secrets',
    on: name,
    why: 'a name in a dotenv file cannot contain "/"',
    hint: '--format yaml, or --format json',
  });
}

/**
 * Encrypts for age recipients, as text.
 *
 * @throws an input error `bad-arguments` for what is no recipient
 */
export async function sealedFor(recipients: readonly string[]): Promise<(text: string) => Promise<string>> {
  const { armor, Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch (error) {
      const why = messageOf(error);
      throw inputError(
        { code: 'bad-arguments', what: 'encrypt for the age key', on: recipient, why, hint: 'age1…' },
        { cause: error },
      );
    }
  }
  return async (text) => armor.encode(await encrypter.encrypt(text));
}
