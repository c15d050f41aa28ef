import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { EC2ClientConfig } from '@aws-sdk/client-ec2';
import { type CredentialSource, inputError } from '../../sdk/index.js';
import type { AwsConfig } from './config.js';

/** Variables of a key, each with the last part of its secret's name. */
export const VARIABLES = {
  AWS_ACCESS_KEY_ID: 'access-key-id',
  AWS_SECRET_ACCESS_KEY: 'secret-access-key',
  AWS_SESSION_TOKEN: 'session-token',
} as const;

const CONNECT_MS = 5_000;

/**
 * Returns the configuration of AWS clients: our key from variables or the secret store, otherwise the SDK's chain. A
 * named account uses its profile. Retries are off: Temporal retries. Throws the input errors `credentials` for half a
 * key, `no-credentials` for an account that has neither key nor profile.
 */
export async function resolveClientConfig(config: AwsConfig, outside: CredentialSource): Promise<EC2ClientConfig> {
  const { env } = outside;
  const endpoint = config.endpoint ?? env.AWS_ENDPOINT_URL_EC2 ?? env.AWS_ENDPOINT_URL;
  const key = await keyOf(config.account, outside);
  if (!key && config.account) await assertProfile(config.account, env);
  const profile = config.account ?? env.AWS_PROFILE;
  return {
    maxAttempts: 1,
    requestHandler: { connectionTimeout: CONNECT_MS },
    ...(endpoint ? { endpoint } : {}),
    ...(key ? { credentials: key } : profile ? { profile } : {}),
  };
}

/** Verifies the profile. The SDK would look for it with the first request, and not name it in the error. */
async function assertProfile(account: string, env: CredentialSource['env']): Promise<void> {
  const known = await profilesIn(env);
  if (known.includes(account)) return;
  const variable = (name: keyof typeof VARIABLES) => `${name}${suffixOf(account)}`;
  throw inputError({
    code: 'no-credentials',
    what: 'connect to AWS',
    on: `account "${account}"`,
    why: `it has no key, and the files of AWS have ${known.length > 0 ? `the profiles ${known.join(', ')}` : 'no profile'}`,
    hint: `set ${variable('AWS_ACCESS_KEY_ID')} and ${variable('AWS_SECRET_ACCESS_KEY')}, or the secrets aws/${account}/access-key-id and aws/${account}/secret-access-key, or create a profile "${account}"`,
  });
}

const suffixOf = (account: string | undefined): string =>
  account === undefined ? '' : `_${account.toUpperCase().replaceAll('-', '_')}`;

async function keyOf(account: string | undefined, { env, secret }: CredentialSource) {
  const variable = (name: keyof typeof VARIABLES) => env[name + suffixOf(account)] || undefined;
  const kept = (name: keyof typeof VARIABLES) => secret(`aws/${account ?? 'default'}/${VARIABLES[name]}`);
  const inEnv = pair(
    variable('AWS_ACCESS_KEY_ID'),
    variable('AWS_SECRET_ACCESS_KEY'),
    variable('AWS_SESSION_TOKEN'),
    'the environment',
  );
  if (inEnv) return inEnv;
  const [id, value, token] = await Promise.all([
    kept('AWS_ACCESS_KEY_ID'),
    kept('AWS_SECRET_ACCESS_KEY'),
    kept('AWS_SESSION_TOKEN'),
  ]);
  return pair(id, value, token, 'the secret store');
}

function pair(
  accessKeyId: string | undefined,
  secretAccessKey: string | undefined,
  sessionToken: string | undefined,
  where: string,
) {
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
  if (!accessKeyId && !secretAccessKey) return undefined;
  throw inputError({
    code: 'credentials',
    what: 'connect to AWS',
    on: 'the account',
    why: `${where} is incomplete: ${accessKeyId ? 'no secret access key' : 'no access key id'}`,
    hint: 'set both, or set only AWS_PROFILE',
  });
}

/** Returns the names of the profiles in AWS's own files; none without files. */
export async function profilesIn(env: CredentialSource['env']): Promise<string[]> {
  const folder = join(env.HOME ?? homedir(), '.aws');
  const files = [env.AWS_CONFIG_FILE ?? join(folder, 'config'), env.AWS_SHARED_CREDENTIALS_FILE ?? join(folder, 'credentials')];
  const texts = await Promise.all(files.map((path) => readFile(path, 'utf8').catch(() => '')));
  const names = texts.flatMap((text) =>
    [...text.matchAll(/^\s*\[\s*(?:profile\s+)?([^\]\s]+)\s*\]/gm)].map(([, name = '']) => name),
  );
  return [...new Set(names)].sort();
}
