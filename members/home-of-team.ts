import { inputError } from '../core/errors.js';
import { refuseOtherKeys, type TeamKeys } from '../encryption/adopt-keys.js';
import type { KeyEntry } from '../encryption/key-entries.js';
import { createKeyFile, environmentKeys } from '../encryption/keys.js';
import type { Home } from '../home/home.js';
import { storeAddress } from '../stores/postgres/address.js';
import type { Invitation } from './invitation.js';
import { readRecordedEngine } from './team-place.js';
import { STORE_ROLE } from './team-store.js';

/** Returns the keys of an invitation in the form of a key file. */
export function keysOf({ keys }: Invitation['encryption']): TeamKeys {
  if (keys.by === 'copy')
    return { keys: keys.keys.map(({ id, since, key }) => ({ id, since, secret: Buffer.from(key, 'base64') })) };
  return { wrapped: keys.keys.map((entry): KeyEntry => ({ ...entry, kms: keys.kms })) };
}

/** Returns the address of the store for a member, without a password. @param ca a file of certificate authorities */
export function storeUrl({ member, store }: Invitation, ca: string): string {
  const host = store.host.includes(':') ? `[${store.host}]` : store.host;
  const url = new URL(`postgres://${member}@${host}:${store.port}/${STORE_ROLE}`);
  if (store.sslmode) url.searchParams.set('sslmode', store.sslmode);
  if (store.ca) url.searchParams.set('sslrootcert', ca);
  return url.href;
}

/**
 * Refuses a home of another team or person: with another store, another engine or other keys. The same invitation, or a
 * newer one of the same team, is accepted.
 *
 * @param env environment of the process
 * @param settled the same with the settings of the home
 * @throws inputError `member-home`
 */
export async function refuseOtherHome(
  home: Home,
  { env, settled, url, profile }: { env: NodeJS.ProcessEnv; settled: NodeJS.ProcessEnv; url: string; profile: string },
  { temporal, encryption }: Invitation,
): Promise<void> {
  const { PROVISIONING_STORE: store, TEMPORAL_PROFILE: other } = settled;
  const nameOf = (text: string) => storeAddress(text, {}).name;
  if (store && nameOf(store) !== nameOf(url)) throw bad(home, `its store is ${nameOf(store)}`, OTHER_HOME);
  if (env.TEMPORAL_ADDRESS && env.TEMPORAL_ADDRESS !== temporal.address)
    throw bad(home, `TEMPORAL_ADDRESS is set to ${env.TEMPORAL_ADDRESS}, and goes before a profile`, 'unset TEMPORAL_ADDRESS');
  if (other && other !== profile) throw bad(home, `it uses the profile "${other}"`, `--profile ${other}, or another home`);
  if ((await readRecordedEngine(home))?.kind === 'own') throw bad(home, 'it has its own engine', OTHER_HOME);
  const ids = encryption.keys.keys.map(({ id }) => id);
  const foreign = environmentKeys(env).find(({ id }) => !ids.includes(id));
  if (foreign) throw bad(home, `${foreign.source} has the key ${foreign.id}, which is not the team's`, `unset ${foreign.source}`);
  await refuseOtherKeys(createKeyFile({ folder: home.encryption, env: settled }).path, keysOf(encryption), settled);
}

const OTHER_HOME = 'use a home of its own for the team: PROVISIONING_HOME=~/team provisioning member accept FILE';

const bad = ({ root }: Home, why: string, hint: string) =>
  inputError({ code: 'member-home', what: 'accept the invitation', on: root, why, hint });
