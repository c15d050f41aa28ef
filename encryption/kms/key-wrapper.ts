import { inputError, type ProvisioningError, unreachableError } from '../../core/errors.js';

/** Who can keep the key under which the data keys of a set-up lie in their file. */
export const KMS_KINDS = ['local', 'age', 'aws-kms', 'vault', 'command'] as const;
export type KmsKind = (typeof KMS_KINDS)[number];

/**
 * A key management service: it keeps a key of its own, under which our keys lie
 * wrapped in a file. Nothing but our 32 bytes ever goes there.
 */
export interface KeyWrapper {
  readonly kind: KmsKind;
  /** What it is and where, for a status: no secret. */
  readonly name: string;
  /** @throws as `unwrap` */
  wrap(key: Buffer): Promise<string>;
  /** @throws unreachableError `key-service` where it does not answer, inputError `key-refused` where it says no, `key-file` where it cannot open this */
  unwrap(wrapped: string): Promise<Buffer>;
}

/** What a service is opened with. */
export interface KmsPlace {
  /** The set-up that the keys are of: what is wrapped for one does not open for another, where the service can bind it. */
  setUp: string;
  env: NodeJS.ProcessEnv;
}

export type Verb = 'wrap' | 'unwrap';

/** How long a service may take to be reached, and to answer, in milliseconds. */
export const CONNECT_MS = 1_500;
export const ANSWER_MS = 10_000;

/** That a service does not answer now. */
export const serviceGone = (verb: Verb, on: string, why: string, hint?: string): ProvisioningError =>
  unreachableError({ code: 'key-service', what: `${verb} the encryption key`, on, why, hint });

/** That a service answers, and does not do it. */
export const serviceRefuses = (verb: Verb, on: string, why: string, hint?: string): ProvisioningError =>
  inputError({ code: 'key-refused', what: `${verb} the encryption key`, on, why, hint });

/** That a setting of the service is missing or is none. */
export const badKmsSetting = (on: string, why: string, hint?: string): ProvisioningError =>
  inputError({ code: 'kms-setting', what: 'open the key service', on, why, hint });

export const BYTES = 32;

/** The bytes of a key in base64. @throws inputError `key-refused` for what is none */
export function keyBytes(text: string, on: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === BYTES && /^[A-Za-z0-9+/]+={0,2}$/.test(text)) return bytes;
  throw serviceRefuses('unwrap', on, `its answer is not a key of ${BYTES} bytes`);
}
