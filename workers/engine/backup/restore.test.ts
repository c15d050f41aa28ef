import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ensureKey } from '../../../encryption/keys.js';
import { type Home, homeOf } from '../../../home/home.js';
import { openStores } from '../../../stores/open-stores.js';
import { auditEvents } from '../../../stores/rows/audit-events.js';
import { ensureEngineIdentity } from '../identity.js';
import { createBackup } from './create.js';
import { restoreBackup } from './restore.js';
import { verifyBackup } from './verify.js';

const quiet = () => {};

describe('a restore', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'restore-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const homeAt = (name: string): Home => homeOf({ PROVISIONING_HOME: join(folder, name) });
  const restore = (to: Home, more: { file?: string; key?: string } = {}) =>
    restoreBackup({ file: join(folder, 'one.tar'), to: to.root, env: {}, ...more }, quiet);
  const refusal = { details: { code: 'home-not-empty' } };

  /** Creates a backup of an installation with keys and an identity, and returns its home. */
  async function backedUp(): Promise<Home> {
    const home = homeAt('former');
    mkdirSync(home.root, { mode: 0o700 });
    await ensureEngineIdentity(home);
    await ensureKey({ folder: home.encryption, env: {}, setUp: async () => 'cafe' });
    await createBackup(home, { out: join(folder, 'one.tar'), env: {} }, quiet);
    return home;
  }

  test('leaves a folder of something else as it is', async () => {
    const to = homeAt('srv');
    mkdirSync(to.root);
    chmodSync(to.root, 0o755);
    writeFileSync(join(to.root, 'index.html'), 'of a site');
    const hint = 'choose an empty home with --to, or remove its data';
    await expect(restore(to)).rejects.toMatchObject({ details: { ...refusal.details, hint } });
    expect(statSync(to.root).mode & 0o777).toBe(0o755);
    expect(readdirSync(to.root)).toEqual(['index.html']);
  });

  test('takes nothing away on account of a file that only has the name of its mark', async () => {
    await backedUp();
    const to = homeAt('notes');
    mkdirSync(to.root, { mode: 0o700 });
    writeFileSync(join(to.root, 'restoring'), 'notes about chairs: {"settings":true}');
    writeFileSync(join(to.root, 'chair.md'), 'oak');
    await expect(restore(to)).rejects.toMatchObject(refusal);
    expect(readFileSync(join(to.root, 'chair.md'), 'utf8')).toBe('oak');
  });

  test('is refused where the home has other keys than those that are given', async () => {
    const former = await backedUp();
    const key = join(former.encryption, 'keys.json');
    const to = homeAt('new');
    await ensureKey({ folder: to.encryption, env: {}, setUp: async () => 'cafe' });
    const own = readFileSync(join(to.encryption, 'keys.json'), 'utf8');
    await expect(restore(to, { key })).rejects.toMatchObject(refusal);
    expect(readFileSync(join(to.encryption, 'keys.json'), 'utf8')).toBe(own);
    expect(existsSync(to.identity)).toBe(false);
    // Repeated without the home's own keys, or with the same keys.
    rmSync(to.encryption, { recursive: true });
    expect((await restore(to, { key })).setup).toBe((await ensureEngineIdentity(former)).id);
    expect(readFileSync(join(to.encryption, 'keys.json'))).toEqual(readFileSync(key));
  });

  test('brings rows back with their order, and none of a home that has no rows', async () => {
    const former = await backedUp();
    expect(existsSync(former.rows)).toBe(false);
    const event = { at: '2026-11-29T00:00:00.000Z', actor: 'ann@desk', method: 'operations.pause', outcome: 'refused' } as const;
    const stores = await openStores(former, {});
    const log = (await stores.rows()).log(auditEvents);
    for (const id of ['b', 'a']) await log.append([{ id, call: id, ...event }]);
    const kept = await log.list();
    await stores.close();
    const file = join(folder, 'rows.tar');
    const made = await createBackup(former, { out: file, env: {} }, quiet);
    expect(made.contents.rows?.count).toBe(1);
    expect(readFileSync(file).includes('ann@desk')).toBe(false);
    const to = homeAt('new');
    await restore(to, { file, key: join(former.encryption, 'keys.json') });
    const restored = await openStores(to, {});
    expect(await (await restored.rows()).log(auditEvents).list()).toEqual(kept);
    await restored.close();
  });

  test('names the copy of the keys that is not there', async () => {
    await backedUp();
    const key = join(folder, 'kyes.json');
    await expect(restore(homeAt('new'), { key })).rejects.toMatchObject({ details: { code: 'no-encryption-key', on: key } });
  });

  test.each(['verify', 'restore'])('leaves to somebody what he has begun in the home meanwhile: during %s', async (moment) => {
    const former = await backedUp();
    const to = homeAt('new');
    const file = join(folder, 'one.tar');
    const key = join(former.encryption, 'keys.json');
    const restored = restoreBackup({ file, to: to.root, key, env: {} }, ({ task, state }) => {
      if (task === moment && state === 'done') writeFileSync(to.identity, '{"id":"cafe"}');
    });
    await expect(restored).rejects.toMatchObject(refusal);
    expect(await ensureEngineIdentity(to)).toEqual({ id: 'cafe' });
    // Nothing starts in a home that is neither in use nor restored.
    expect(existsSync(join(to.root, 'restoring'))).toBe(moment === 'restore');
  });

  test('shows nothing of an archive that would write a line of its own', async () => {
    const { id } = await ensureEngineIdentity(await backedUp());
    const file = join(folder, 'one.tar');
    expect((await verifyBackup(file, undefined, quiet)).seal).toBe('unproven');
    const text = readFileSync(file, 'latin1');
    writeFileSync(file, text.replaceAll(`"id":"${id}"`, '"id":"ab\\nseal"'), 'latin1');
    await expect(verifyBackup(file, undefined, quiet)).rejects.toMatchObject({ details: { code: 'backup-damaged' } });
  });

  test('is of the archive that was verified, whatever was put in its place since', async () => {
    const former = await backedUp();
    const file = join(folder, 'one.tar');
    const { id } = await ensureEngineIdentity(former);
    const altered = Buffer.from(readFileSync(file, 'latin1').replaceAll(`"id":"${id}"`, '"id":"deadbeef"'), 'latin1');
    expect(altered.equals(readFileSync(file))).toBe(false);
    const to = homeAt('new');
    const key = join(former.encryption, 'keys.json');
    const restored = restoreBackup({ file, to: to.root, key, env: {} }, ({ task, state }) => {
      if (task === 'verify' && state === 'done') writeFileSync(file, altered);
    });
    await expect(restored).rejects.toMatchObject({ details: { code: 'backup-damaged' } });
    expect(existsSync(to.identity)).toBe(false);
  });
});
