import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { recordCalls } from '../../app/record-calls.js';
import type { StoreComparison, StoreMoveResult } from '../../core/engine/store-move.js';
import type { Home } from '../../home/home.js';
import { resolveEnvironment } from '../../settings/settings.js';
import { readHeads } from '../../stores/audit/heads.js';
import { verifyChains } from '../../stores/audit/verify-chains.js';
import { ensureIdentity } from '../../stores/files/identity-file.js';
import { openStores } from '../../stores/open-stores.js';
import { auditEvents } from '../../stores/rows/audit-events.js';
import { auditRecords } from '../../stores/rows/audit-records.js';
import type { Stores } from '../../stores/stores.js';
import { storeHomes } from './store/homes.js';
import { failure, inPostgres, postgresHere, withClient } from './store/in-postgres.js';
import { fill } from './store/records.js';

const homes = await storeHomes();
afterAll(homes.remove);

/** Creates a home with an identity: a platform that can move. */
async function platform(name: string): Promise<Home> {
  const home = await homes.named(name);
  await ensureIdentity(home);
  return home;
}

interface Moved {
  result?: StoreMoveResult & StoreComparison;
  error?: { code: string; message: string };
  signal: NodeJS.Signals | null;
  text: string;
}

/** The user's own settings have no effect. */
const OWN = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PROVISIONING_|TEMPORAL_|PG)/.test(name)));
const MOVER = join(import.meta.dirname, '../support/store-mover.ts');

/**
 * Moves the store of a home in a separate process.
 *
 * @param deadly the report at which the process is killed
 */
async function move(home: Home, to: string, verb: 'switch' | 'check' = 'switch', deadly = ''): Promise<Moved> {
  const env = { ...OWN, STORE_MOVE_TO: to };
  const child = spawn(process.execPath, ['--import', 'tsx', MOVER, home.root, verb, deadly], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { ...(text && JSON.parse(text)), signal, text };
}

async function filled(home: Home): Promise<void> {
  const stores = await openStores(home, {});
  await fill(stores);
  await stores.close();
}

/** Returns the stores in use according to the settings of the home. */
const inUse = async (home: Home): Promise<Stores> => openStores(home, await resolveEnvironment(home, OWN));

/** Records two calls with names and a chain that goes on, as a worker does. */
async function recordCall(stores: Stores, heads: string): Promise<void> {
  const records = recordCalls(() => stores.rows(), { heads });
  const note = { method: 'operations.pause', actor: 'ann@desk', outcome: 'done' } as const;
  await records.note({ ...note, class: 'changes' });
  await records.note({ ...note, class: 'access' });
  await records.close();
}

/** Faults of the chains, and the number of their records. */
async function verify(stores: Stores, folder: string) {
  const { heads } = await readHeads(folder);
  const { problems, records, withoutHead } = await verifyChains((await stores.rows()).log(auditRecords), heads);
  return { problems, records, withoutHead };
}

const equalKinds = ({ result }: Moved) => result?.kinds.map(({ kind, source, target }) => [kind, source.digest === target.digest]);
const call = { at: '2026-11-29T00:00:00.000Z', actor: 'ann@desk', method: 'operations.pause', outcome: 'done' } as const;

describe.skipIf(!postgresHere)('a store that moves', { timeout: 300_000 }, async () => {
  const there = inPostgres(await homes.named('server'));

  test('goes to PostgreSQL and back with equal digests, and each former store refuses what is written to it', async () => {
    const home = await platform('both-ways');
    const { url } = await there.postgres.database('both_ways');
    const files = await openStores(home, {});
    await fill(files);
    await files.secrets.noteRead('shared/pw', { at: '2026-11-29', by: 'ada', how: 'secret get' });
    await files.claims.claim('message', 'run');
    const heads = join(home.root, 'audit-heads');
    await recordCall(files, heads);

    const gone = await move(home, url);
    expect(gone.error).toBeUndefined();
    expect(gone.result?.copied).toMatchObject({ key: 4, 'secret-version': 4, rows: 3, payload: 1, log: 1, 'secret-read': 2 });
    expect(equalKinds(gone)?.every(([, equal]) => equal)).toBe(true);
    // Processes that opened them before are rejected too.
    expect((await failure(files.secrets.set('late', 'x'))).details).toMatchObject({ code: 'store-moved' });
    expect((await failure(openStores(home, {}))).details).toMatchObject({ code: 'store-moved' });
    await files.close();

    const team = await inUse(home);
    expect(team.shared).toBeDefined();
    expect(await team.secrets.within({ workspace: 'w', infra: 'i' }).get('pw')).toBe('four');
    expect(await team.secrets.reads('shared/pw')).toHaveLength(1);
    // A message that was used before the move is not used again.
    expect([await team.claims.claim('message', 'other'), await team.claims.claim('message', 'run')]).toEqual([false, true]);
    // Chains are as they were, compared with their ends outside of the store, and go on.
    expect(await verify(team, heads)).toEqual({ problems: [], records: 2, withoutHead: 0 });
    await recordCall(team, heads);
    await team.secrets.set('made/in/team', 'new');
    await team.secrets.delete('shared/pw');
    await team.secrets.within({ workspace: 'w' }).delete('pw');
    await team.secrets.within({ workspace: 'w' }).set('pw', 'another life');
    await (await team.rows()).log(auditEvents).append([{ id: 'three', call: 'three', ...call }]);
    await team.keys.forget({ workspace: 'w', infra: 'i' }, 'old');

    const back = await move(home, 'files');
    expect(back.error).toBeUndefined();
    expect(equalKinds(back)?.every(([, equal]) => equal)).toBe(true);
    expect((await failure(team.secrets.set('late', 'x'))).details).toMatchObject({ code: 'store-moved' });
    await team.close();
    // Also for clients that do not check the mark, such as a worker of another version.
    await withClient(url, async (client) => {
      await expect(client.query("delete from provisioning.secrets where name = 'made/in/team'")).rejects.toMatchObject({
        code: 'PV002',
      });
    });
    const again = await inUse(home);
    expect(again.shared).toBeUndefined();
    expect(await verify(again, heads)).toEqual({ problems: [], records: 4, withoutHead: 0 });
    expect([await again.secrets.get('made/in/team'), await again.secrets.get('shared/pw')]).toEqual(['new', undefined]);
    expect(await again.secrets.within({ workspace: 'w' }).history('pw')).toMatchObject([{ version: 1 }]);
    expect((await (await again.rows()).log(auditEvents).list()).rows.map(({ row }) => row.id)).toEqual(['one', 'two', 'three']);
    expect(await again.keys.pinned({ workspace: 'w', infra: 'i' }, 'old')).toBeUndefined();
    expect(await again.claims.claim('message', 'other')).toBe(false);
    await again.close();
    expect((await move(home, url)).result).toMatchObject({ already: false });
    expect((await move(home, url)).result).toMatchObject({ already: true });
  });

  test('loses nothing that was acknowledged while it was copied, and continues after kill -9 in each phase', async () => {
    const home = await platform('killed');
    const { url, password } = await there.postgres.database('killed');
    await filled(home);
    const written: string[] = [];
    const refused: string[] = [];
    let isOver = false;
    const writer = (async () => {
      const stores = await openStores(home, {});
      const scope = stores.secrets.within({ workspace: 'w', infra: 'busy' });
      for (let at = 0; !isOver; at++) {
        const id = `write-${at}`;
        try {
          await scope.set(id, id);
          await (await stores.rows()).log(auditEvents).append([{ id, call: id, ...call }]);
          await stores.payloads.put(createHash('sha256').update(id).digest('hex'), Buffer.from(id));
          await stores.keys.pin({ workspace: 'w', infra: 'busy' }, 'web', `ssh-ed25519 ${id}`);
          written.push(id);
        } catch (error) {
          refused.push((error as { details: { code: string } }).details.code);
          if (refused.length > 3) break;
        }
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      await stores.close();
    })();
    // During the copy and during the hold, the source is in use and writes continue.
    for (const deadly of ['round 1', 'round 2', 'holding writes']) {
      expect((await move(home, url, 'switch', deadly)).signal, deadly).toBe('SIGKILL');
      const before = written.length;
      const stores = await inUse(home);
      expect(stores.shared, deadly).toBeUndefined();
      await stores.close();
      while (written.length < before + 2) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(refused).toEqual([]);
    }
    // No worker can use the half-filled database as a store.
    expect((await failure(openStores(home, { PROVISIONING_STORE: url }))).details).toMatchObject({ code: 'store-moved' });
    // The source is marked as moved and the settings are unchanged: neither store is in use until the command is run
    // again.
    expect((await move(home, url, 'switch', 'refuses writes from now on')).signal).toBe('SIGKILL');
    expect((await failure(inUse(home))).details).toMatchObject({ code: 'store-moved' });
    const ended = await move(home, url);
    expect(ended.error).toBeUndefined();
    expect(ended.text).not.toContain(encodeURIComponent(password));
    isOver = true;
    await writer;
    expect(new Set(refused)).toEqual(new Set(['store-moved']));
    const team = await inUse(home);
    const scope = team.secrets.within({ workspace: 'w', infra: 'busy' });
    const rows = new Set((await (await team.rows()).log(auditEvents).list({ limit: 1_000 })).rows.map(({ row }) => row.id));
    for (const id of written) {
      expect(await scope.get(id)).toBe(id);
      expect(rows.has(id), id).toBe(true);
      expect(await team.payloads.get(createHash('sha256').update(id).digest('hex')), id).toBeDefined();
    }
    await team.close();
  });

  test('is compared by --check, which finds a changed, a missing and an additional record and changes nothing', async () => {
    const home = await platform('checked');
    const { url } = await there.postgres.database('checked');
    const stores = await openStores(home, {});
    await fill(stores);
    const fresh = await move(home, url, 'check');
    expect(fresh.result).toMatchObject({ target: 'empty', equal: false });
    const tables = "select count(*)::int as count from information_schema.schemata where schema_name = 'provisioning'";
    await withClient(url, async (client) => expect((await client.query(tables)).rows).toEqual([{ count: 0 }]));
    expect((await move(home, url, 'switch', 'round 2')).signal).toBe('SIGKILL');
    const counts = async () =>
      (await move(home, url, 'check')).result?.kinds
        .filter(({ missing, changed, additional }) => missing + changed + additional > 0)
        .map(({ kind, missing, changed, additional, names }) => ({ kind, missing, changed, additional, names }));
    expect(await counts()).toEqual([]);
    await stores.secrets.set('missing', 'there');
    await stores.sequences.begin({ workspace: 'w', infra: 'i' }, 'run-2', 8);
    await stores.payloads.remove(createHash('sha256').update('bytes').digest('hex'), new Date(Date.now() + 60_000));
    const found = [
      { kind: 'sequence', missing: 0, changed: 1, additional: 0, names: ['w/i'] },
      { kind: 'secret-version', missing: 1, changed: 0, additional: 0, names: ['//missing/1'] },
      { kind: 'secret', missing: 1, changed: 0, additional: 0, names: ['//missing'] },
      { kind: 'payload', missing: 0, changed: 0, additional: 1, names: [createHash('sha256').update('bytes').digest('hex')] },
    ];
    expect(await counts()).toEqual(found);
    expect(await counts()).toEqual(found);
    // A content that was changed outside of the store is detected by its digest, and copied again before the switch.
    await withClient(url, (client) => client.query("update provisioning.payloads set content = 'other'"));
    await stores.payloads.put(createHash('sha256').update('bytes').digest('hex'), Buffer.from('bytes'));
    expect((await counts())?.at(-1)).toMatchObject({ kind: 'payload', changed: 1 });
    await stores.close();
    expect(equalKinds(await move(home, url))?.every(([, equal]) => equal)).toBe(true);
  });

  test('is refused by a store that has state of another platform, and by one with another key', async () => {
    const [home, other] = [await platform('mine'), await platform('theirs')];
    await filled(home);
    const [{ url: theirs }, { url: keyed }] = [await there.postgres.database('theirs'), await there.postgres.database('keyed')];
    const shared = await openStores(home, { PROVISIONING_STORE: theirs });
    await shared.secrets.set('of/them', 'x');
    await shared.close();
    expect((await move(home, theirs)).error).toMatchObject({ code: 'store-foreign' });
    expect((await move(home, theirs, 'check')).error).toMatchObject({ code: 'store-foreign' });
    await (await openStores(other, { PROVISIONING_STORE: keyed })).close();
    expect((await move(home, keyed)).error).toMatchObject({ code: 'store-key' });
    expect((await move(home, 'mysql://x/y')).error).toMatchObject({ code: 'store-address' });
    expect((await move(home, '')).error).toMatchObject({ code: 'store-move-to' });
    const unchanged = await inUse(home);
    expect(await unchanged.secrets.get('shared/pw')).toBe('one');
    await unchanged.secrets.set('still', 'in use');
    await unchanged.close();
  });
});
