import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import type { FeedEntry } from '../../core/infra/feed.js';
import { openRecords } from '../../stores/open-records.js';
import { openStores } from '../../stores/open-stores.js';
import { storeHomes } from './store/homes.js';
import { failure, inPostgres, postgresHere, withClient } from './store/in-postgres.js';
import { fill, movedTwice } from './store/records.js';
import { storeContract } from './store-contract.js';

const homes = await storeHomes();
afterAll(homes.remove);
const home = await homes.named('home');

describe.skipIf(!postgresHere)('in PostgreSQL', () => {
  const there = inPostgres(home);
  const { open } = there;
  const rows = (text: string) => withClient(there.shared.url, async (client) => (await client.query(text)).rows);

  // Eight parallel calls create the tables of an empty database before it begins.
  storeContract('in PostgreSQL', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => open(there.shared.url)));
    await Promise.all(all.slice(1).map((stores) => stores.close()));
    return all[0] as Awaited<ReturnType<typeof open>>;
  });

  test('nothing of a key, a secret or a log can be read in the database', async () => {
    const stores = await open(there.shared.url);
    const canary = 'canary-9f2b7c';
    await stores.secrets.set('canary', canary);
    const log = await stores.logs.open({ operation: 'o', server: 's', taskserv: 't', generation: 1, attempt: 1 });
    log.write(canary);
    const kept = { workspace: 'w', infra: 'canary', operation: 'o' };
    await stores.rollbacks.keep(kept, {
      kind: 'cluster',
      compensations: [{ undo: 'delete-network', network: canary, provider: 'demo' }],
    });
    const content = { kind: 'changes' as const, operation: canary, actor: canary, changes: [] };
    await stores.feeds.append({ workspace: 'w', infra: 'canary', uuid: 'life' }, [{ sequence: 1, at: '', content }]);
    await log.close();
    await stores.keys.infraKey({ workspace: 'w', infra: 'canary' });
    await stores.close();
    const tables = await rows("select table_name as name from information_schema.tables where table_schema = 'provisioning'");
    const dump: string[] = [];
    for (const { name } of tables)
      dump.push(...(await rows(`select t::text as text from provisioning.${name} t`)).map((row) => row.text));
    const text = dump.join('\n');
    expect(text).toContain('w,canary');
    for (const word of [canary, 'PRIVATE KEY']) {
      expect(text).not.toContain(word);
      expect(text).not.toContain(Buffer.from(word).toString('hex'));
    }
  });

  test('who can write to the database puts no other key in place of a pinned one', async () => {
    const stores = await open(there.shared.url);
    const infra = { workspace: 'w', infra: 'pins' };
    await stores.keys.pin(infra, 'old', 'ssh-ed25519 AAAA');
    const { public: made } = await stores.keys.hostKey(infra, 'new');
    await rows("update provisioning.keys set public = 'ssh-ed25519 EVIL' where infra = 'pins'");
    expect(await stores.keys.pinned(infra, 'old')).toBe('ssh-ed25519 AAAA');
    expect(await stores.keys.pinned(infra, 'new')).toBe(made);
    // The pin of another server, still sealed.
    await stores.keys.pin(infra, 'mine', 'ssh-ed25519 EVIL');
    await rows(
      "update provisioning.keys set pin = (select pin from provisioning.keys where server = 'mine') where server in ('old', 'new')",
    );
    for (const server of ['old', 'new'])
      expect((await failure(stores.keys.pinned(infra, server))).details).toMatchObject({ code: 'sealed-altered' });
    // Unsealed values are ignored.
    await rows("update provisioning.keys set pin = null where infra = 'pins'");
    expect(await stores.keys.pinned(infra, 'old')).toBeUndefined();
    expect(await stores.keys.pinned(infra, 'new')).toBe(made);
    // A new pin takes precedence over the key that the machine was given.
    await stores.keys.pin(infra, 'new', 'ssh-ed25519 BBBB');
    expect(await stores.keys.pinned(infra, 'new')).toBe('ssh-ed25519 BBBB');
    await stores.close();
  });

  test('who can write to the database moves no secret to another infra', async () => {
    const stores = await open(there.shared.url);
    await stores.secrets.within({ workspace: 'w', infra: 'theirs' }).set('pw', 'hunter2');
    await rows("update provisioning.scoped_secrets set infra = 'mine' where infra = 'theirs'");
    expect((await failure(stores.secrets.within({ workspace: 'w', infra: 'mine' }).get('pw'))).details).toMatchObject({
      code: 'sealed-altered',
    });
    await rows("insert into provisioning.secrets (name, sealed) select 'w/mine/pw', sealed from provisioning.scoped_secrets");
    expect((await failure(stores.secrets.get('w/mine/pw'))).details).toMatchObject({ code: 'sealed-altered' });
    await rows("delete from provisioning.secrets where name = 'w/mine/pw'");
    await rows('delete from provisioning.scoped_secrets');
    await stores.close();
  });

  test('who can write to the database has no operation rolled back by what another did', async () => {
    const stores = await open(there.shared.url);
    const theirs = { workspace: 'w', infra: 'theirs', operation: 'o' };
    await stores.rollbacks.keep(theirs, {
      kind: 'cluster',
      compensations: [{ undo: 'delete-server', server: 'db', provider: 'demo' }],
    });
    await rows("update provisioning.rollbacks set infra = 'mine' where infra = 'theirs'");
    const altered = { details: { code: 'sealed-altered' } };
    await expect(stores.rollbacks.read({ ...theirs, infra: 'mine' })).rejects.toMatchObject(altered);
    await rows("update provisioning.rollbacks set infra = 'theirs', operation = 'p' where infra = 'mine'");
    await expect(stores.rollbacks.find('p')).rejects.toMatchObject(altered);
    await rows('delete from provisioning.rollbacks');
    await stores.close();
  });

  test('who can write to the database puts no change into the feed of another infra, or in another place', async () => {
    const stores = await open(there.shared.url);
    const theirs = { workspace: 'w', infra: 'theirs', uuid: 'theirs' };
    await stores.feeds.append(theirs, [{ sequence: 1, at: '', content: { kind: 'ended' } }]);
    await rows("update provisioning.feeds set infra = 'mine' where uuid = 'theirs'");
    const altered = { details: { code: 'sealed-altered' } };
    await expect(stores.feeds.read({ workspace: 'w', infra: 'mine' })).rejects.toMatchObject(altered);
    await rows("update provisioning.feeds set infra = 'theirs', sequence = 2 where uuid = 'theirs'");
    await expect(stores.feeds.read(theirs)).rejects.toMatchObject(altered);
    await rows("delete from provisioning.feeds where uuid = 'theirs'");
    await stores.close();
  });

  test('of two that append other changes under the same numbers at once, one is refused and leaves nothing', async () => {
    const [one, two] = await Promise.all([open(there.shared.url), open(there.shared.url)]);
    for (let round = 0; round < 20; round++) {
      const life = { workspace: 'w', infra: `mixed-${round}`, uuid: `mixed-${round}` };
      const entries = (actor: string, ...numbers: number[]): FeedEntry[] =>
        numbers.map((sequence) => ({ sequence, at: '', content: { kind: 'changes', operation: 'o', actor, changes: [] } }));
      await one.feeds.append(life, entries('both', 1));
      const [short, long] = [entries('short', 2, 3), entries('long', 2, 3, 4)];
      const answers = await Promise.allSettled([one.feeds.append(life, short), two.feeds.append(life, long)]);
      const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.details?.code] : []));
      expect(refused).toEqual(['feed-conflict']);
      const [feed] = await one.feeds.read(life);
      expect(feed?.entries.slice(1)).toEqual(answers[0].status === 'fulfilled' ? short : long);
    }
    await Promise.all([one.close(), two.close()]);
  });

  test('what is missing in a feed is told by its last change, however long ago that was', async () => {
    const stores = await open(there.shared.url);
    const life = { workspace: 'w', infra: 'gap', uuid: 'gap' };
    const content = { kind: 'changes' as const, operation: 'o', actor: 'ada', changes: [] };
    await stores.feeds.append(life, [{ sequence: 1, at: '', content }]);
    const error = await failure(stores.feeds.append(life, [{ sequence: 5, at: '', content }]));
    expect(error.details).toMatchObject({
      code: 'feed-gap',
      why: expect.stringContaining('the last stored number is 1'),
    });
    await stores.close();
  });

  test('where a row of another infra has the number, the append fails rather than being tried again and again', async () => {
    const stores = await open(there.shared.url);
    const life = { workspace: 'w', infra: 'in-the-way', uuid: 'in-the-way' };
    const entry: FeedEntry = { sequence: 1, at: '', content: { kind: 'ended' } };
    await stores.feeds.append(life, [entry]);
    expect((await failure(stores.feeds.append({ ...life, infra: 'mine' }, [entry]))).details).toMatchObject({
      code: 'store-failed',
    });
    await stores.close();
  });

  test('a server that takes no writes does not pass for one that feeds can be appended to', async () => {
    const { url } = await there.postgres.database('standby');
    await (await open(url)).close();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('alter database standby set default_transaction_read_only = on');
    await client.end();
    const stores = await open(url);
    expect((await failure(stores.feeds.check())).details).toMatchObject({ code: 'store-unreachable', blame: 'weather' });
    await stores.close();
  });

  test('a record that no store would keep is told when it is read, not when it is to be restored', async () => {
    const from = await homes.named('bad-names');
    const { url } = await there.postgres.database('names');
    const stores = await openStores(from, { PROVISIONING_STORE: url });
    const log = await stores.logs.open({ operation: '../former', server: 's', taskserv: 't', generation: 1, attempt: 1 });
    log.write('done');
    await log.close();
    await stores.close();
    const records = await openRecords(from, { PROVISIONING_STORE: url });
    const { details } = await failure(records.read('log').next());
    expect(details).toMatchObject({ code: 'bad-record', on: 'log ../former/s/t/1/1' });
    await records.close();
  });

  test('records of files are kept by a database, and those of a database by files', async () => {
    const [from, to, { url }] = [await homes.named('files'), await homes.named('back'), await there.postgres.database('records')];
    await fill(await openStores(from, {}));
    const source = await openRecords(from, {});
    const between = await openRecords(from, { PROVISIONING_STORE: url });
    await movedTwice(source, between);
    await movedTwice(between, await openRecords(to, {}));
    await between.close();
  });

  test('a set-up with another key is told so, and changes nothing', async () => {
    const other = await homes.named('other');
    const error = await failure(openStores(other, { PROVISIONING_STORE: there.shared.url }));
    expect(error.details).toMatchObject({ code: 'store-key', blame: 'user' });
  });

  test('after the loss of the key, the steps of the guide make it a store of the next one', async () => {
    const guide = await readFile(join(import.meta.dirname, '../../docs/operate/encryption.md'), 'utf8');
    const [, steps = ''] = /```sql\n(.*?)```/s.exec(guide) ?? [];
    const lost = await there.postgres.database('lost');
    const former = await open(lost.url);
    const infra = { workspace: 'w', infra: 'shop', uuid: 'life' };
    await former.secrets.set('pw', 'gone');
    await former.blobs.put('page');
    const { private: key } = await former.keys.infraKey(infra);
    await former.feeds.append(infra, [{ sequence: 1, at: '', content: { kind: 'ended' } }]);
    await former.close();

    const next = await homes.named('next');
    const opened = () => openStores(next, { PROVISIONING_STORE: lost.url });
    expect((await failure(opened())).details).toMatchObject({ code: 'store-key' });
    await withClient(lost.url, (client) => client.query(steps));
    const stores = await opened();
    expect(stores.shared?.id).toBe(former.shared?.id);
    expect([await stores.secrets.list(), await stores.feeds.infras()]).toEqual([[], []]);
    expect((await stores.keys.infraKey(infra)).private).not.toBe(key);
    expect(await stores.blobs.get(await stores.blobs.put('page'))).toBe('page');
    await stores.close();
    expect((await failure(open(lost.url))).details).toMatchObject({ code: 'store-key' });
  });
});
