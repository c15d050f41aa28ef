import { inputError, type ProvisioningError, unreachableError } from '../../core/errors.js';

/** Kinds of key services that can wrap the data keys of a set-up. */
export const KMS_KINDS = ['local', 'age', 'aws-kms', 'vault', 'command'] as const;
export type KmsKind = (typeof KMS_KINDS)[number];

/** Key management service. Its own key wraps our keys, which are stored in a file. It receives only our 32 bytes. */
export interface KeyWrapper {
  readonly kind: KmsKind;
  /** Kind and place, for a status; not secret. */
  readonly name: string;
  /** @throws as `unwrap` */
  wrap(key: Buffer): Promise<string>;
  /**
   * @throws unreachableError `key-service` if it does not answer, inputError `key-refused` if it refuses, `key-file` if
   *   it cannot open this key
   */
  unwrap(wrapped: string): Promise<Buffer>;
}

/** Context of a key service. */
export interface KmsPlace {
  /**
   * Set-up of the keys. Keys that were wrapped for one set-up do not open for another, if the service can bind them.
   */
  setUp: string;
  env: NodeJS.ProcessEnv;
}

export type Verb = 'wrap' | 'unwrap';

/** Time limits to connect to a service and to receive its answer, in milliseconds. */
export const CONNECT_MS = 1_500;
export const ANSWER_MS = 10_000;

/** Creates the error for a service that does not answer now. */
export const serviceGone = (verb: Verb, on: string, why: string, hint?: string): ProvisioningError =>
  unreachableError({ code: 'key-service', what: `${verb} the encryption key`, on, why, hint });

/** Creates the error for a service that refuses. */
export const serviceRefuses = (verb: Verb, on: string, why: string, hint?: string): ProvisioningError =>
  inputError({ code: 'key-refused', what: `${verb} the encryption key`, on, why, hint });

/** Creates the error for a missing or invalid setting of the service. */
export const badKmsSetting = (on: string, why: string, hint?: string): ProvisioningError =>
  inputError({ code: 'kms-setting', what: 'open the key service', on, why, hint });

export const BYTES = 32;

/** Returns the bytes of a key in base64. @throws inputError `key-refused` for other text */
export function keyBytes(text: string, on: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === BYTES && /^[A-Za-z0-9+/]+={0,2}$/.test(text)) return bytes;
  throw serviceRefuses('unwrap', on, `its answer is not a key of ${BYTES} bytes`);
}
