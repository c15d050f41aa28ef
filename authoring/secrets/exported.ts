import { stringify } from 'yaml';
import { inputError, messageOf } from '../../core/errors.js';
import { isDotenvName, writeDotenv } from './dotenv.js';
import type { ValueFormat } from './read-values.js';

/**
 * Formats secrets as a file.
 *
 * @throws an input error `bad-arguments` for a name that a dotenv file cannot have
 */
export function formatExport(values: ReadonlyMap<string, string>, format: ValueFormat): string {
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
 * Returns a function that encrypts for age recipients, as text.
 *
 * @throws an input error `bad-arguments` for an invalid recipient
 */
export async function createExportSealer(recipients: readonly string[]): Promise<(text: string) => Promise<string>> {
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
