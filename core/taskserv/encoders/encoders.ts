import { inputError } from '../../errors.js';
import type { Encoder } from './encoder.js';
import { PLAIN_ENCODERS } from './plain.js';
import { QUOTE_ENCODERS } from './quoted.js';

const ENCODERS = { ...QUOTE_ENCODERS, ...PLAIN_ENCODERS };

/** A format that a secret is written in. Its name is in histories (docs/reference/wire-names.md). */
export type SecretFormat = keyof typeof ENCODERS;

export const SECRET_FORMATS = Object.keys(ENCODERS) as SecretFormat[];

const isFormat = (name: string): name is SecretFormat => Object.hasOwn(ENCODERS, name);

/**
 * Encodes a value in a format, with its quotes.
 *
 * @param name name of the secret, for the error, which never has the value
 * @throws the input error `secret-not-expressible` if the format cannot have the value
 */
export function encode(format: string, value: string, name: string): string {
  if (!isFormat(format)) throw new TypeError(`"${format}" is not a format of secrets`);
  const encoder: Encoder = ENCODERS[format];
  const why = encoder.refuses(value);
  if (why !== undefined) {
    throw inputError({
      code: 'secret-not-expressible',
      what: 'write the secret',
      on: name,
      why,
      hint: `provisioning secret set ${name}, with a value that fits`,
    });
  }
  return encoder.write(value);
}

/** A text of a definition as it stands in a format. It is no secret: an error of the field's schema refuses what does not fit. */
export const encodeSecret = (format: SecretFormat, value: string): string => ENCODERS[format].write(value);

/** How a secret may stand in files that we write, without the quotes around it. For masks. */
export function listEncodedForms(value: string): string[] {
  if (/^[\w.:,@+=/-]*$/.test(value)) return [];
  const forms = Object.values<Encoder>(ENCODERS).flatMap((encoder) =>
    encoder.refuses(value) === undefined ? [encoder.write(value).replace(/^(["'])(.*)\1$/s, '$2')] : [],
  );
  return [...new Set(forms)].filter((form) => form !== value);
}
