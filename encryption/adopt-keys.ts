import { inputError } from '../core/errors.js';
import { replaceFile } from '../home/durable.js';
import { type KeyEntry, readKeyList } from './key-entries.js';
import type { KeptKey } from './key-file.js';
import { lockKeyFile } from './key-file-lock.js';
import { kmsKindOf, openKms } from './kms/open-kms.js';
import { unwrapKey } from './unwrapped.js';

/** The keys of a team, in its order: as they are, or as a key service that all members reach has wrapped them. */
export type TeamKeys = { keys: readonly KeptKey[] } | { wrapped: readonly KeyEntry[] };

interface Adopting {
  /** The set-up that the team's keys were made for. */
  setUp: string;
  env: NodeJS.ProcessEnv;
}

/**
 * Makes the keys of a file those of a team: the same keys in the same order, so that the first one is current here too.
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
 * Refuses a file of keys that has a key which is not the team's: what it sealed could not be opened any more.
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

/** By its bytes: an id can be given to a key by hand. A key that cannot be opened here any more goes by its id. */
async function isAmong(keys: readonly KeptKey[], entry: KeyEntry, bytesOf: () => Promise<Buffer>): Promise<boolean> {
  const same = keys.find(({ id }) => id === entry.id);
  if (!same) return false;
  const bytes = await bytesOf().catch(() => undefined);
  return bytes === undefined || bytes.equals(same.secret);
}

async function wrappedHere(keys: readonly KeptKey[], { setUp, env }: Adopting): Promise<KeyEntry[]> {
  const kms = await openKms(kmsKindOf(env), { setUp, env });
  const entries: KeyEntry[] = [];
  // One after the other: the first one may make the wrapping key.
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
