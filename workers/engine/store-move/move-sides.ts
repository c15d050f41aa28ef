import { createHash } from 'node:crypto';
import { inputError, type ProvisioningError } from '../../../core/errors.js';
import { openEncryption } from '../../../encryption/open-encryption.js';
import type { Home } from '../../../home/home.js';
import { resolveEnvironment } from '../../../settings/settings.js';
import { FILES_NAME } from '../../../stores/move/file-moves.js';
import type { StoreMove } from '../../../stores/moves.js';
import { openRecords } from '../../../stores/open-records.js';
import type { StoreRecords } from '../../../stores/records.js';
import { readIdentity } from '../identity.js';
import { readRecord } from '../record.js';

/** The variable with the target of a move: a URL may have a password, and other users can read arguments. */
const MOVE_TO = 'STORE_MOVE_TO';

const WHAT = 'move the store';

/** The two stores of a move, with data that are available before a store is opened. */
export interface MoveSides {
  home: Home;
  /** Id of the platform. */
  setUp: string;
  /** The present environment, without the variable of the move. */
  given: NodeJS.ProcessEnv;
  source: NodeJS.ProcessEnv;
  target: NodeJS.ProcessEnv;
  /** For messages, without passwords. */
  from: string;
  to: string;
  /** For digests. */
  key: Uint8Array;
}

/**
 * Reads the settings of both stores.
 *
 * @throws inputError `store-move-to`, `nothing-to-move`, `store-by-variable`, and as the address of a store
 */
export async function readSides(home: Home, { [MOVE_TO]: to, ...given }: NodeJS.ProcessEnv): Promise<MoveSides> {
  const env = await resolveEnvironment(home, given);
  const identity = await readIdentity(home);
  if (!identity) {
    const hint = 'check PROVISIONING_HOME; `provisioning up` creates a platform';
    throw inputError({ code: 'nothing-to-move', what: WHAT, on: home.root, why: 'the home has no state', hint });
  }
  if (!to) throw badTarget('no target is named');
  const { PROVISIONING_STORE: url, ...files } = env;
  const target = to === 'files' ? files : { ...files, PROVISIONING_STORE: to };
  const sides = { from: await nameOf(env), to: await nameOf(target) };
  if (url && to !== 'files' && sides.from !== sides.to)
    throw badTarget('both stores are in PostgreSQL', 'move it to files first, then to the other database');
  const { cipher } = await openEncryption(home, env);
  const key = createHash('sha256')
    .update(cipher.sealSame(Buffer.from('digests'), 'store-move'))
    .digest();
  return { home, setUp: identity.id, given, source: env, target, key, ...sides };
}

const badTarget = (why: string, hint = '--to files, or --to postgres://USER@HOST:PORT/DATABASE'): ProvisioningError =>
  inputError({ code: 'store-move-to', what: WHAT, why, hint });

async function nameOf(env: NodeJS.ProcessEnv): Promise<string> {
  if (!env.PROVISIONING_STORE) return FILES_NAME;
  const { storeAddress } = await import('../../../stores/postgres/address.js');
  return storeAddress(env.PROVISIONING_STORE, env).name;
}

/**
 * Refuses a platform whose settings a move cannot change.
 *
 * @throws inputError `store-by-variable`
 */
export async function refuseFixed({ home, given, from }: MoveSides): Promise<void> {
  const variable = ['PROVISIONING_STORE', 'PROVISIONING_STORE_URL'].find((name) => given[name]);
  const code = 'store-by-variable';
  if (variable) {
    const hint = `provisioning config set store.url URL, then unset ${variable} here and in service.env`;
    throw inputError({
      code,
      what: WHAT,
      on: from,
      why: `the variable ${variable} names the store, and a move changes settings`,
      hint,
    });
  }
  const record = await readRecord(home);
  if (!record || (record.store ?? FILES_NAME) === from) return;
  const hint = 'run `provisioning up` with the same settings first';
  throw inputError({
    code,
    what: WHAT,
    on: from,
    why: `the worker was started with another store: ${record.store ?? FILES_NAME}`,
    hint,
  });
}

/** Opens the store in use. */
export const openMoveSource = ({ home, source }: MoveSides): Promise<StoreRecords> => openRecords(home, source);

/** Opens the store that is filled. */
export const openMoveTarget = ({ home, target, setUp }: MoveSides): Promise<StoreRecords> => openRecords(home, target, setUp);

/**
 * Returns the state of a target for this move.
 *
 * @throws inputError `store-foreign` if it has state that no move of this platform put there
 */
export async function judgeTarget({ setUp, from }: MoveSides, target: StoreRecords): Promise<'empty' | 'begun' | 'moved'> {
  const mark = await target.moves.read();
  if (mark && isOwn(mark, setUp, from)) return mark.state === 'moved' ? 'moved' : 'begun';
  if (!mark && (await target.isEmpty())) return 'empty';
  throw inputError({
    code: 'store-foreign',
    what: WHAT,
    on: target.name,
    why: mark
      ? 'it belongs to the move of another platform, or of another store'
      : 'it has state that no move of this platform wrote',
    hint: 'choose an empty store',
  });
}

/** Whether a mark is of a move between these two stores. */
export const isOwn = (mark: StoreMove, setUp: string, other: string): boolean => mark.setUp === setUp && mark.other === other;
