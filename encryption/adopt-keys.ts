import { inputError } from '../core/errors.js';
import { replaceFile } from '../home/durable.js';
import { type KeyEntry, readKeyList } from './key-entries.js';
import type { KeptKey } from './key-file.js';
import { lockKeyFile } from './key-file-lock.js';
import { kmsKindOf, openKms } from './kms/open-kms.js';
import { unwrapKey } from './unwrapped.js';

/** Keys of a team, in its order: in plain text, or wrapped by a key service that all members reach. */
export type TeamKeys = { keys: readonly KeptKey[] } | { wrapped: readonly KeyEntry[] };

interface Adopting {
  /** Set-up for which the team's keys were made. */
  setUp: string;
  env: NodeJS.ProcessEnv;
}

/**
 * Replaces the keys of a file with the team's keys. The order stays the same, so that the current key is the same here
 * too.
 *
 * @throws inputError `member-home` if the file has a key that the team does not have; as `KeyWrapper.wrap`
 */
export async function adoptKeys(path: string, team: TeamKeys, adopting: Adopting): Promise<void> {
  await lockKeyFile(path, async () => {
    await refuseOtherKeys(path, team, adopting.env);
    const keys = 'wrapped' in team ? team.wrapped : await wrappedHere(team.keys, adopting);
    await replaceFile(path, `${JSON.stringify({ setUp: adopting.setUp, keys }, null, 2)}\n`);
  });
}

/**
 * Refuses a file with a key that does not belong to the team: payloads sealed by it would be lost.
 *
 * @throws inputError `member-home`; `key-file` if the file cannot be read
 */
export async function refuseOtherKeys(path: string, team: TeamKeys, env: NodeJS.ProcessEnv): Promise<void> {
  const list = await readKeyList(path);
  for (const entry of list.keys) {
    const isOurs =
      'wrapped' in team
        ? team.wrapped.some(({ id }) => id === entry.id)
        : await isAmong(team.keys, entry, async () => (await unwrapKey(path, list, entry, env)).bytes);
    if (!isOurs) throw otherKey(path, entry.id);
  }
}

/**
 * Compares keys by their bytes, since a person may choose an id. A key that cannot be opened here is compared by its
 * id.
 */
async function isAmong(keys: readonly KeptKey[], entry: KeyEntry, bytesOf: () => Promise<Buffer>): Promise<boolean> {
  const same = keys.find(({ id }) => id === entry.id);
  if (!same) return false;
  const bytes = await bytesOf().catch(() => undefined);
  return bytes === undefined || bytes.equals(same.secret);
}

async function wrappedHere(keys: readonly KeptKey[], { setUp, env }: Adopting): Promise<KeyEntry[]> {
  const kms = await openKms(kmsKindOf(env), { setUp, env });
  const entries: KeyEntry[] = [];
  // Sequential: the first call may create the wrapping key.
  for (const { id, since, secret } of keys) entries.push({ id, since, kms: kms.kind, wrapped: await kms.wrap(secret) });
  return entries;
}

const otherKey = (on: string, id: string) =>
  inputError({
    code: 'member-home',
    what: 'take up the keys of the team',
    on,
    why: `this home has the encryption key ${id}, which does not belong to the team`,
    hint: 'use a separate home for the team: PROVISIONING_HOME=~/team provisioning member accept FILE',
  });
