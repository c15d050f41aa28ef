import { createHash, randomBytes } from 'node:crypto';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FeedEntry } from '../../core/infra/feed.js';
import { emptyInventory } from '../../core/infra/inventory.js';
import { nextKeyName } from '../../stores/keys.js';
import type { Stores } from '../../stores/stores.js';

const owner = { workspace: 'w', infra: 'shop' };
const unit = { operation: 'cluster-ensure-shop-1', server: 'web-1', taskserv: 'nginx', generation: 1, attempt: 1 };

const EMPTY = { entries: [], contents: {} };
const gone = (sequence: number, name: string): FeedEntry => ({
  sequence,
  at: '2026-01-01T00:00:00.000Z',
  content: { kind: 'changes', operation: 'o', actor: 'ada', grant: 1, changes: [{ change: 'server-gone', name }] },
});

/**
 * What every kind of store promises, told by opening it twice, as two workers do.
 *
 * @param open opens the same store again at each call
 */
export function storeContract(name: string, open: () => Promise<Stores>): void {
  describe(`the store ${name}`, () => {
    let one: Stores;
    let two: Stores;
    beforeAll(async () => {
      [one, two] = await Promise.all([open(), open()]);
    });
    afterAll(async () => {
      await Promise.all([one.close(), two.close()]);
    });

    test('all who ask for a key at once get the same one, which can be read back', async () => {
      const asked = Array.from({ length: 8 }, (_, index) => (index % 2 ? one : two).keys.infraKey(owner));
      const pairs = await Promise.all(asked);
      expect(new Set(pairs.map((pair) => pair.private)).size).toBe(1);
      expect(ssh2.utils.parseKey(pairs[0]?.private ?? '')).not.toBeInstanceOf(Error);
      expect(pairs[0]?.public).toMatch(/^ssh-ed25519 \S+ provisioning w\/shop$/);
    });

    test('infras with a key are listed, and not those of which only hosts are known', async () => {
      expect(await one.keys.infras('listed')).toEqual([]);
      const of = (infra: string) => ({ workspace: 'listed', infra });
      await one.keys.pin(of('pinned'), 'web', 'ssh-ed25519 AAAA');
      for (const infra of ['z', 'a']) await one.keys.infraKey(of(infra));
      expect(await two.keys.infras('listed')).toEqual(['a', 'z']);
    });

    test('a host key is pinned for all who look', async () => {
      expect(await two.keys.pinned(owner, 'web-1')).toBeUndefined();
      const { public: made } = await one.keys.hostKey(owner, 'web-1');
      expect(await two.keys.pinned(owner, 'web-1')).toBe(made);
      expect((await two.keys.hostKey(owner, 'web-1')).public).toBe(made);
    });

    test("what was pinned is an existing host's, until it is forgotten", async () => {
      await one.keys.pin(owner, 'old', 'ssh-ed25519 AAAA');
      await two.keys.pin(owner, 'old', 'ssh-ed25519 BBBB');
      expect(await one.keys.pinned(owner, 'old')).toBe('ssh-ed25519 BBBB');
      await one.keys.pin(owner, nextKeyName('old'), 'ssh-ed25519 CCCC');
      await two.keys.forget(owner, 'old');
      expect(await one.keys.pinned(owner, 'old')).toBeUndefined();
      expect(await one.keys.pinned(owner, nextKeyName('old'))).toBeUndefined();
      expect(await one.keys.pinned(owner, 'web-1')).toBeDefined();
    });

    test('an infra is forgotten with its key, and no other', async () => {
      const other = { workspace: 'w', infra: 'other' };
      const { private: kept } = await one.keys.infraKey(other);
      const { private: gone } = await one.keys.infraKey(owner);
      await one.keys.forget(owner);
      expect(await two.keys.pinned(owner, 'web-1')).toBeUndefined();
      expect((await two.keys.infraKey(owner)).private).not.toBe(gone);
      expect((await two.keys.infraKey(other)).private).toBe(kept);
    });

    test('secrets are set, read by the other, listed and deleted', async () => {
      expect(await two.secrets.get('db/password')).toBeUndefined();
      await one.secrets.set('db/password', 'first');
      await one.secrets.set('db/password', 'zwei\n€');
      expect(await two.secrets.get('db/password')).toBe('zwei\n€');
      expect(await two.secrets.list()).toEqual(['db/password']);
      expect(await two.secrets.delete('db/password')).toBe(true);
      expect(await one.secrets.delete('db/password')).toBe(false);
      expect(await one.secrets.list()).toEqual([]);
      await expect(one.secrets.set('../x', 'v')).rejects.toMatchObject({ details: { code: 'secret-name' } });
      await expect(one.secrets.get('a b')).rejects.toMatchObject({ details: { code: 'secret-name' } });
    });

    test('secrets of a workspace and of an infra are no others', async () => {
      const [infra, workspace] = [{ workspace: 'w', infra: 'shop' }, { workspace: 'w' }];
      await one.secrets.within(infra).set('pw', 'narrow');
      await two.secrets.within(workspace).set('pw', 'first');
      await one.secrets.within(workspace).set('pw', 'wide');
      expect(await two.secrets.within(infra).get('pw')).toBe('narrow');
      expect(await two.secrets.within(workspace).get('pw')).toBe('wide');
      expect(await two.secrets.get('pw')).toBeUndefined();
      for (const other of [{ workspace: 'v' }, { workspace: 'w', infra: 'other' }, { workspace: 'v', infra: 'shop' }])
        expect(await one.secrets.within(other).get('pw')).toBeUndefined();
      expect(await two.secrets.listScoped('w')).toEqual([{ name: 'pw' }, { name: 'pw', infra: 'shop' }]);
      expect(await two.secrets.listScoped('v')).toEqual([]);
      expect(await one.secrets.within(infra).delete('pw')).toBe(true);
      expect(await two.secrets.within(infra).delete('pw')).toBe(false);
      expect(await two.secrets.within(workspace).get('pw')).toBe('wide');
      expect(await one.secrets.within(workspace).delete('pw')).toBe(true);
      expect(() => one.secrets.within({ workspace: '../x' })).toThrow('find the secrets');
    });

    test('a generated secret is made once', async () => {
      const name = 'generated/w/shop/redis.password';
      const asked = Array.from({ length: 8 }, (_, index) => (index % 2 ? one : two).secrets.ensureGenerated(name));
      const made = new Set(await Promise.all(asked));
      expect(made.size).toBe(1);
      expect([...made][0]).toMatch(/^[A-Za-z0-9_-]{32}$/);
    });

    test('a log is complete for whoever reads it, of each unit the last attempt', async () => {
      const long = 'ä'.repeat(600_000);
      const first = await one.logs.open(unit);
      first.write('cut o');
      await first.close();
      const second = await two.logs.open({ ...unit, attempt: 2 });
      for (const text of ['begin\n', long, '\nend\n']) second.write(text);
      await second.close();
      const other = await one.logs.open({ ...unit, server: 'db.1', taskserv: 'redis' });
      other.write('ready\n');
      await other.close();
      expect(await one.logs.read(unit.operation)).toEqual([
        { server: 'db.1', taskserv: 'redis', text: 'ready\n' },
        { server: 'web-1', taskserv: 'nginx', text: `begin\n${long}\nend\n` },
      ]);
      expect(await one.logs.read('cluster-ensure-shop-2')).toEqual([]);
    });

    test('a payload is kept once, byte by byte', async () => {
      const bytes = randomBytes(600_000);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      expect(await two.payloads.get(sha256)).toBeUndefined();
      await Promise.all([one.payloads.put(sha256, bytes), two.payloads.put(sha256, new Uint8Array(bytes))]);
      expect(Buffer.compare((await two.payloads.get(sha256)) ?? Buffer.of(), bytes)).toBe(0);
    });

    test('says how much it holds', async () => {
      const before = { payloads: await one.payloads.size(), pages: await one.blobs.size() };
      const bytes = randomBytes(300_000);
      for (const store of [one, two]) await store.payloads.put(createHash('sha256').update(bytes).digest('hex'), bytes);
      const page = randomBytes(1_000).toString('hex');
      for (const store of [one, two]) await store.blobs.put(page);
      const { count, bytes: held } = before.payloads;
      expect(await two.payloads.size()).toEqual({ count: count + 1, bytes: held + bytes.length });
      const pages = await two.blobs.size();
      expect(pages.count).toBe(before.pages.count + 1);
      // Pages may be sealed.
      expect(pages.bytes - before.pages.bytes).toBeGreaterThanOrEqual(page.length);
    });

    test('a payload is removed unless it was put since, and can be put again', async () => {
      const bytes = randomBytes(300_000);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      await one.payloads.put(sha256, bytes);
      const listed = async () => {
        for await (const payload of two.payloads.list()) if (payload.sha256 === sha256) return payload;
        return undefined;
      };
      const found = await listed();
      expect(found).toMatchObject({ sha256, bytes: bytes.length });
      const used = found?.used.getTime() ?? 0;
      expect(await two.payloads.remove(sha256, new Date(used))).toBe(false);
      expect(await one.payloads.get(sha256)).toBeDefined();
      expect(await two.payloads.remove(sha256, new Date(used + 60_000))).toBe(true);
      expect([await one.payloads.get(sha256), await listed()]).toEqual([undefined, undefined]);
      expect(await two.payloads.remove(sha256, new Date(used + 60_000))).toBe(false);
      await one.payloads.put(sha256, bytes);
      expect(Buffer.compare((await two.payloads.get(sha256)) ?? Buffer.of(), bytes)).toBe(0);
    });

    test('a page is found by its address', async () => {
      const address = await one.blobs.put('ä page');
      expect(await two.blobs.put('ä page')).toBe(address);
      expect(await two.blobs.get(address)).toBe('ä page');
      await expect(two.blobs.get('0'.repeat(64))).rejects.toMatchObject({ details: { code: 'blob-missing' } });
    });

    test('what is written after the end of a log changes nothing', async () => {
      const log = await one.logs.open({ ...unit, operation: 'late' });
      log.write('all\n');
      await log.close();
      log.write('too late\n');
      expect((await two.logs.read('late')).map(({ text }) => text)).toEqual(['all\n']);
    });

    test('a state is begun once: by the run that was first, and none older after it', async () => {
      const infra = { workspace: 'w', infra: 'counted' };
      expect(await one.sequences.begin(infra, 'run-1')).toBe(1);
      expect(await two.sequences.begin(infra, 'run-1')).toBe(1);
      expect(await two.sequences.begin(infra, 'run-2', 2)).toBe(2);
      expect(await one.sequences.begin(infra, 'run-2', 2)).toBe(2);
      for (const [run, sequence] of [
        ['run-1', 1],
        ['run-9', 2],
        ['run-9', 1],
        ['run-9', 0],
      ] as const)
        await expect(one.sequences.begin(infra, run, sequence)).rejects.toMatchObject({ details: { code: 'state-superseded' } });
      // One that ended and begins again, and one that comes from a version which did not count.
      expect(await one.sequences.begin(infra, 'run-3')).toBe(3);
      expect(await two.sequences.begin(infra, 'run-3')).toBe(3);
      expect(await one.sequences.begin({ ...infra, infra: 'former' }, 'run-1', 0)).toBe(0);
      expect(await one.sequences.begin({ ...infra, infra: 'former' }, 'run-2', 7)).toBe(7);
      expect(await one.sequences.begin({ ...infra, workspace: 'v' }, 'run-1')).toBe(1);
    });

    test('roll-back data is read until it is replaced or dropped, by infra and by operation', async () => {
      const infra = { workspace: 'w', infra: 'kept' };
      const first = { ...infra, operation: 'cluster-ensure-kept-1' };
      const other = { ...infra, infra: 'other', operation: 'server/ü..' };
      const compensations = [{ undo: 'delete-network' as const, network: 'ä'.repeat(200_000), provider: 'demo' }];
      expect([await one.rollbacks.read(first), await one.rollbacks.find(first.operation)]).toEqual([undefined, undefined]);
      await Promise.all([
        one.rollbacks.keep(first, { kind: 'cluster', compensations: [] }),
        one.rollbacks.keep(other, { kind: 'server', compensations: [] }),
      ]);
      await two.rollbacks.keep(first, { kind: 'cluster', compensations });
      await one.rollbacks.keep({ ...infra, operation: 'back' }, { kind: 'cluster', of: first.operation, compensations: [] });
      expect(await one.rollbacks.read(first)).toEqual({ kind: 'cluster', compensations });
      expect(await one.rollbacks.find('back')).toEqual({
        ...infra,
        operation: 'back',
        kind: 'cluster',
        of: first.operation,
        compensations: [],
      });
      expect(await one.rollbacks.find(other.operation)).toMatchObject(other);
      // Of another infra, or workspace, it is not the same.
      expect(await one.rollbacks.read({ ...first, infra: 'other' })).toBeUndefined();
      expect(await one.rollbacks.read({ ...first, workspace: 'v' })).toBeUndefined();

      await one.rollbacks.drop({ ...infra, operation: 'back' });
      expect([await two.rollbacks.find('back'), (await two.rollbacks.read(first))?.kind]).toEqual([undefined, 'cluster']);
      await two.rollbacks.drop(infra);
      await two.rollbacks.drop(infra);
      expect([await one.rollbacks.read(first), (await one.rollbacks.read(other))?.kind]).toEqual([undefined, 'server']);
    });

    test('of all who keep roll-back data at once, one is read whole', async () => {
      const raced = { workspace: 'w', infra: 'kept-raced', operation: 'raced' };
      const kept = Array.from({ length: 8 }, (_, index) => ({
        kind: 'cluster' as const,
        compensations: [{ undo: 'delete-network' as const, network: String(index).repeat(10_000), provider: 'demo' }],
      }));
      await Promise.all(kept.map((one_, index) => (index % 2 ? one : two).rollbacks.keep(raced, one_)));
      expect(kept).toContainEqual(await one.rollbacks.read(raced));
    });

    test('a feed has what was appended from the last snapshot on, whoever appends, and however often', async () => {
      const life = { workspace: 'w', infra: 'fed', uuid: 'life-1' };
      const [first, second, third] = [gone(1, 'a'), gone(2, 'ä'.repeat(100_000)), gone(3, 'c')];
      expect(await one.feeds.read(life)).toEqual([]);
      await one.feeds.append(life, [first]);
      await two.feeds.append(life, [first, second]);
      // Told again later, it is the same change.
      await one.feeds.append(life, [{ ...second, at: '2027-01-01T00:00:00.000Z' }, third]);
      await two.feeds.append({ ...life, uuid: 'life-0' }, [{ ...first, content: { kind: 'ended' } }]);
      await two.feeds.append({ ...life, infra: 'other', uuid: 'life-2' }, [first]);
      const ended = { uuid: 'life-0', entries: [{ ...first, content: { kind: 'ended' } }] };
      expect(await two.feeds.read(life)).toEqual([ended, { uuid: 'life-1', entries: [first, second, third] }]);

      const inventory = emptyInventory(life);
      const snapshot: FeedEntry = { ...third, sequence: 4, content: { kind: 'snapshot', inventory, definitions: EMPTY } };
      await one.feeds.append(life, [snapshot, gone(5, 'd')]);
      await two.feeds.append(life, [snapshot, gone(5, 'd'), gone(6, 'e')]);
      const after = { uuid: 'life-1', entries: [snapshot, gone(5, 'd'), gone(6, 'e')] };
      expect(await one.feeds.read(life)).toEqual([ended, after]);
      await Promise.all([one.feeds.check(), two.feeds.check()]);
      await two.feeds.append({ workspace: 'v', infra: 'other', uuid: 'life-v' }, [first]);
      const listed = (await one.feeds.infras()).map(({ workspace, infra }) => `${workspace}/${infra}`);
      expect(listed).toEqual(['v/other', ...listed.filter((name) => name.startsWith('w/'))]);
      expect(listed.filter((name) => name === 'w/other' || name === `w/${life.infra}`)).toEqual([`w/${life.infra}`, 'w/other']);
    });

    test('nothing is written over in a feed, and nothing left out', async () => {
      const life = { workspace: 'w', infra: 'kept-feed', uuid: 'life-3' };
      const inventory = emptyInventory(life);
      const base = (sequence: number): FeedEntry => ({
        ...gone(sequence, ''),
        content: { kind: 'snapshot', inventory, definitions: EMPTY },
      });
      const refused = (store: Stores, entries: FeedEntry[]) =>
        store.feeds.append(life, entries).catch((error) => error.details.code);
      expect(await refused(one, [gone(2, 'b')])).toBe('feed-gap');
      await one.feeds.append(life, [gone(1, 'a'), gone(2, 'b')]);
      expect(await refused(two, [gone(2, 'other')])).toBe('feed-conflict');
      // What knows less than the feed has begins with a snapshot: that would hide what it does not know.
      expect(await refused(two, [base(2), gone(3, 'x')])).toBe('feed-conflict');
      expect(await refused(one, [gone(4, 'd')])).toBe('feed-gap');
      // A snapshot has all that is missing.
      await two.feeds.append(life, [base(9)]);
      for (const store of [one, two]) {
        expect(await refused(store, [gone(3, 'c')])).toBe('feed-conflict');
        expect(await refused(store, [base(8)])).toBe('feed-conflict');
      }
      expect(await one.feeds.read(life)).toEqual([{ uuid: life.uuid, entries: [base(9)] }]);
    });

    test('of all who append to a feed at once, each change is there once', async () => {
      const life = { workspace: 'w', infra: 'raced-feed', uuid: 'life-4' };
      await one.feeds.append(life, [gone(1, '1')]);
      for (let sequence = 2; sequence <= 6; sequence++) {
        const entry = gone(sequence, String(sequence));
        await Promise.all(Array.from({ length: 6 }, (_, index) => (index % 2 ? one : two).feeds.append(life, [entry])));
      }
      const [feed] = await two.feeds.read(life);
      expect(feed?.entries).toEqual([1, 2, 3, 4, 5, 6].map((sequence) => gone(sequence, String(sequence))));
    });

    test('of all who begin the same state at once, one does', async () => {
      const infra = { workspace: 'w', infra: 'raced' };
      for (let sequence = 1; sequence <= 5; sequence++) {
        const asked = Array.from({ length: 8 }, (_, index) =>
          (index % 2 ? one : two).sequences.begin(infra, `run-${sequence}-${index}`, sequence).catch((error) => error.details.code),
        );
        const answers = await Promise.all(asked);
        expect(answers.sort()).toEqual([sequence, ...Array(7).fill('state-superseded')]);
      }
      const fresh = Array.from({ length: 8 }, (_, index) => (index % 2 ? one : two).sequences.begin(infra, `fresh-${index}`));
      const numbers = await Promise.all(fresh);
      expect([new Set(numbers).size, Math.min(...numbers) > 5]).toEqual([8, true]);
    });
  });
}
