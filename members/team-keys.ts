import { inputError } from '../core/errors.js';
import { readText } from '../definition/source/read-text.js';
import { readKeyList } from '../encryption/key-entries.js';
import { createKeyFile, readKeyring } from '../encryption/keys.js';
import type { Home } from '../home/home.js';
import { ensureIdentity } from '../stores/files/identity-file.js';
import { type Invitation, MOST_BYTES } from './invitation.js';

type Encryption = Invitation['encryption'];

/** Key services that another machine can query with its own credentials. */
const SHARED = ['aws-kms', 'vault'] as const;
type SharedKms = (typeof SHARED)[number];

/**
 * Returns the encryption keys for another member. Keys that Vault or AWS KMS has wrapped stay wrapped, with the name of
 * the service. All others are part of the invitation, including those of the environment.
 *
 * @param env a settled environment
 * @throws inputError without any key, or if one cannot be read
 */
export async function readTeamKeys(home: Home, env: NodeJS.ProcessEnv): Promise<Encryption> {
  const place = { folder: home.encryption, env };
  const keyring = await readKeyring(place);
  const file = createKeyFile(place);
  const setUp = (await file.setUp()) ?? (await ensureIdentity(home)).id;
  const { keys: entries } = await readKeyList(file.path);
  const kinds = [...new Set(entries.map(({ kms }) => kms))];
  const kms = SHARED.find((one) => kinds.length === 1 && kinds[0] === one);
  // A key of the environment is in no file.
  const inFile = keyring.list().every(({ id }) => entries.some((entry) => entry.id === id));
  if (kms && inFile) return { setUp, keys: await byService(kms, entries, env) };
  const keys = keyring.list().map(({ id, since = '', secret }) => ({ id, since, key: secret.export().toString('base64') }));
  return { setUp, keys: { by: 'copy', keys } };
}

type Entries = Awaited<ReturnType<typeof readKeyList>>['keys'];

async function byService(kms: SharedKms, entries: Entries, env: NodeJS.ProcessEnv): Promise<Encryption['keys']> {
  const kmsAddress = env.PROVISIONING_ENCRYPTION_KMS_ADDRESS || (kms === 'vault' ? env.VAULT_ADDR : undefined);
  const caFile = kms === 'vault' ? env.PROVISIONING_ENCRYPTION_KMS_CA || env.VAULT_CACERT : undefined;
  return {
    by: 'service',
    kms,
    kmsKey: env.PROVISIONING_ENCRYPTION_KMS_KEY ?? '',
    ...(kmsAddress && { kmsAddress }),
    ...(caFile && { kmsCa: await textOfCa(caFile) }),
    keys: entries.map(({ id, since, wrapped = '' }) => ({ id, since, wrapped })),
  };
}

/** Returns the certificates in a file, without any other content. @throws inputError `member-certificates` */
export async function textOfCa(path: string): Promise<string> {
  const text = await readText(path, MOST_BYTES);
  if (typeof text !== 'string') throw badCa(path, text.message);
  const blocks = text.match(/-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+\n-----END CERTIFICATE-----/g);
  if (blocks) return blocks.map((block) => `${block}\n`).join('');
  throw badCa(path, 'it has no certificate in PEM');
}

const badCa = (on: string, why: string) =>
  inputError({ code: 'member-certificates', what: 'read the certificate authority', on, why });
