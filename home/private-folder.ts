import { chmod, lstat, mkdir, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { inputError } from '../core/errors.js';

const GROUP_OR_OTHERS_WRITE = 0o022;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
/** User ID that the kernel reports for an owner unknown in a container. No process there can have it. */
const OVERFLOW_UID = 65_534;

/** Action that fails if a folder is not private, by default. */
const SOCKET = 'use the folder of the socket';

/**
 * Verifies that only this process's user can have put something into a folder. The user owns it, no other user may
 * write to it, and no other user can replace it.
 *
 * @throws inputError `folder-not-private`
 */
export async function checkPrivate(folder: string, what = SOCKET): Promise<void> {
  const me = process.getuid?.();
  if (me === undefined) return;
  const real = await realpath(folder);
  const { uid } = await lstat(real);
  if (uid !== me) throw notPrivate(what, real, `it belongs to the user ${uid}, and this is ${me}`, `run this as its owner`);
  await checkOwned(what, real, me, `chmod 700 ${real}`);
}

/** @param hint what to do if others may write to the folder itself */
async function checkOwned(what: string, real: string, owner: number, hint: string): Promise<void> {
  const trusted = [0, owner, process.getuid?.() ?? owner, OVERFLOW_UID];
  if ((await lstat(real)).mode & GROUP_OR_OTHERS_WRITE) throw notPrivate(what, real, 'others may write to it', hint);
  for (let above = dirname(real); ; above = dirname(above)) {
    const found = await lstat(above);
    if (!trusted.includes(found.uid))
      throw notPrivate(what, real, `"${above}" belongs to the user ${found.uid}, who could put another in its place`, OTHER_HOME);
    if (found.mode & OTHERS_WRITE && !(found.mode & STICKY))
      throw notPrivate(what, real, `everybody may write to "${above}", and put another in its place`, `chmod o-w ${above}`);
    if (above === dirname(above)) return;
  }
}

/**
 * Verifies that only the owner of a folder and root can have put something into it, whoever the owner is. A person who
 * names the folder trusts its owner.
 *
 * @throws inputError `folder-not-private`
 */
export async function checkUnshared(folder: string, what = SOCKET): Promise<void> {
  const real = await realpath(folder);
  await checkOwned(what, real, (await lstat(real)).uid, `ask its owner for chmod go-w ${real}`);
}

/**
 * Creates a private folder of this user, or makes an existing one private.
 *
 * @param what action that fails otherwise, for the error
 * @throws inputError `folder-not-private` if it belongs to another user
 */
export async function makePrivate(folder: string, what?: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Fails for another user's folder: the check reports its owner.
  await chmod(folder, 0o700).catch(() => {});
  await checkPrivate(folder, what);
}

const OTHER_HOME = 'set PROVISIONING_HOME to a folder of your own';

const notPrivate = (what: string, on: string, why: string, hint: string) =>
  inputError({ code: 'folder-not-private', what, on, why, hint });
