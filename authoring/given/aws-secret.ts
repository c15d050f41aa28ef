import * as z from 'zod';
import { inputError, messageOf, unreachableError } from '../../core/errors.js';
import { pathAndField, readBoundCredentials, readField } from './bound.js';
import type { GivenKind } from './given-kind.js';

const error = 'write NAME, or NAME#FIELD if the secret is a JSON map';
/** Time limit of the service's answer, in milliseconds. */
const PATIENCE_MS = 10_000;

/**
 * `{ aws-secret: NAME }` and `{ aws-secret: NAME#FIELD }`: a secret of AWS Secrets Manager. Its credentials are
 * secrets of the workspace below `aws-secrets/`. Files, variables and roles of this machine are not used.
 */
export const awsSecretReference: GivenKind<{ 'aws-secret': string }> = {
  form: '{ aws-secret: NAME#FIELD }',
  keys: ['aws-secret'],
  shape: z.strictObject({
    'aws-secret': z.string({ error }).regex(/^[A-Za-z0-9/_+=.@:-]{1,512}(?:#[^#\p{Cc}]{1,200})?$/u, { error }),
  }),
  async read({ 'aws-secret': text }, place) {
    const needed = ['access-key-id', 'secret-access-key', 'region'] as const;
    const bound = await readBoundCredentials(place, 'aws-secrets', needed, ['session-token', 'endpoint']);
    const [name, field] = text.includes('#') ? pathAndField(text) : [text, undefined];
    const value = await secretAt(name, bound);
    if (field === undefined) return value;
    return readField(mapIn(value), field, name);
  },
};

interface Bound {
  'access-key-id': string;
  'secret-access-key': string;
  region: string;
  'session-token'?: string;
  endpoint?: string;
}

async function secretAt(name: string, bound: Bound): Promise<string> {
  const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const client = new SecretsManagerClient({
    region: bound.region,
    credentials: {
      accessKeyId: bound['access-key-id'],
      secretAccessKey: bound['secret-access-key'],
      ...(bound['session-token'] && { sessionToken: bound['session-token'] }),
    },
    ...(bound.endpoint && { endpoint: bound.endpoint }),
    maxAttempts: 1,
  });
  const missing = (why: string, hint?: string) =>
    inputError({ code: 'given-missing', what: 'read the secret', on: name, why, ...(hint && { hint }) });
  try {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: name }), {
      abortSignal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (SecretString) return SecretString;
  } catch (thrown) {
    throw faultOf(thrown as Error & { $metadata?: { httpStatusCode?: number } }, name, missing);
  } finally {
    client.destroy();
  }
  throw missing('it is binary, or empty');
}

const CREDENTIALS = /AccessDenied|UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|ExpiredToken/;

function faultOf(
  thrown: Error & { $metadata?: { httpStatusCode?: number } },
  name: string,
  missing: (why: string, hint?: string) => Error,
): Error {
  if (thrown.name === 'ResourceNotFoundException') return missing('there is no such secret, or it has no value');
  if (CREDENTIALS.test(thrown.name))
    return missing('the credentials of the workspace may not read it', 'provisioning secret set aws-secrets/access-key-id');
  const status = thrown.$metadata?.httpStatusCode ?? 0;
  if (status >= 400 && status < 500 && status !== 429) return missing(`AWS rejects the request: ${thrown.name}`);
  return unreachableError({ code: 'given-unreachable', what: 'reach AWS Secrets Manager', on: name, why: messageOf(thrown) });
}

function mapIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
