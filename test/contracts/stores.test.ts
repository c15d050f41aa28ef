import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FeedEntry } from '../../core/infra/feed.js';
import { ensureKey } from '../../encryption/keys.js';
import { homeOf } from '../../home/home.js';
import { replaceFile } from '../../stores/files/durable.js';
import { makePair } from '../../stores/key-pair.js';
import { openRecords } from '../../stores/open-records.js';
import { openStores } from '../../stores/open-stores.js';
import { RECORD_KINDS, type StoreRecord, type StoreRecords } from '../../stores/records.js';
import { packedRollback } from '../../stores/rollbacks.js';
import type { Stores } from '../../stores/stores.js';
import { freePorts } from '../support/free-ports.js';
import { findPostgres, startPostgres, type TestDatabase, type TestPostgres } from '../support/postgres.js';
import { storeContract } from './store-contract.js';

const place = await mkdtemp(join(tmpdir(), 'stores-'));
const home = homeOf({ PROVISIONING_HOME: place });
afterAll(() => rm(place, { recursive: true, force: true }));

await ensureKey({ folder: home.encryption, env: {} });
storeContract('of files', () => openStores(home, {}));

test('files of a former release, which sealed none, are read', async () => {
  const { blobs, rollbacks } = await openStores(home, {});
  const text = '{"operations":[]}';
  const address = createHash('sha256').update(text).digest('hex');
  const owner = { workspace: 'w', infra: 'former', operation: 'o' };
  const kept = { kind: 'cluster' as const, compensations: [] };
  await replaceFile(join(home.batches, address.slice(0, 2), address), text);
  await replaceFile(join(home.rollbacks, 'w', 'former', 'o.json.gz'), await packedRollback(kept));
  expect(await blobs.get(address)).toBe(text);
  expect(await rollbacks.read(owner)).toEqual(kept);
  expect(await rollbacks.find('o')).toEqual({ ...owner, ...kept });
});

/** Each kind of record once, and what else there is of keys. */
async function fill(stores: Stores): Promise<void> {
  const owner = { workspace: 'w', infra: 'i' };
  await stores.sequences.begin(owner, 'run', 7);
  await stores.feeds.append({ ...owner, uuid: 'life' }, [{ sequence: 1, at: '', content: { kind: 'ended' } }]);
  await stores.keys.infraKey(owner);
  await stores.keys.hostKey(owner, 'made');
  await stores.keys.pin(owner, 'old', 'ssh-ed25519 AAAA');
  await stores.keys.hostKey(owner, 'both');
  await stores.keys.pin(owner, 'both', 'ssh-ed25519 BBBB');
  await stores.secrets.set('shared/pw', 'one');
  await stores.secrets.within({ workspace: 'w' }).set('pw', 'two');
  await stores.secrets.within(owner).set('pw', 'three');
  await stores.rollbacks.keep({ ...owner, operation: 'o' }, { kind: 'cluster', compensations: [] });
  await stores.rollbacks.keep({ ...owner, operation: 'of/former' }, { kind: 'cluster', compensations: [] });
  await stores.blobs.put('a page');
  await stores.payloads.put(createHash('sha256').update('bytes').digest('hex'), Buffer.from('bytes'));
  const log = await stores.logs.open({ operation: 'o', server: 's', taskserv: 't', generation: 1, attempt: 2 });
  log.write('done');
  await log.close();
}

/** All records as text, in one order. */
async function recordsIn(records: StoreRecords): Promise<string[]> {
  const found: string[] = [];
  for (const kind of RECORD_KINDS)
    for await (const { name, bytes } of records.read(kind)) {
      // Whether a machine that was made has its pin beside its key is a store's own matter.
      const text =
        kind === 'key' ? bytes.toString('utf8').replace(/,"pin":"ssh-ed25519 \S{60,} made"/, '') : bytes.toString('base64');
      found.push(`${kind} ${name.join(' ')} ${text}`);
    }
  return found.sort();
}

const homeNamed = async (name: string) => {
  const one = homeOf({ PROVISIONING_HOME: join(place, name) });
  await ensureKey({ folder: one.encryption, env: {} });
  return one;
};

test('records of files are kept by files of another home, twice if need be, and none in place of another', async () => {
  const [from, to] = [await homeNamed('from'), await homeNamed('to')];
  await fill(await openStores(from, {}));
  const [source, target] = [await openRecords(from, {}), await openRecords(to, {})];
  await movedTwice(source, target);
});

async function movedTwice(source: StoreRecords, target: StoreRecords): Promise<void> {
  for (const kind of RECORD_KINDS)
    for await (const record of source.read(kind)) for (let time = 1; time <= 2; time++) await target.write(record);
  expect(await recordsIn(target)).toEqual(await recordsIn(source));
  const other = makePair('other').private;
  const bad: StoreRecord[] = [
    { kind: 'key', name: ['w', 'i', ''], bytes: Buffer.from(JSON.stringify({ private: other })) },
    { kind: 'key', name: ['w', 'i', 'new'], bytes: Buffer.from('{}') },
    { kind: 'payload', name: ['0'.repeat(64)], bytes: Buffer.from('bytes') },
    { kind: 'blob', name: ['0'.repeat(64)], bytes: Buffer.from('a page') },
    { kind: 'sequence', name: ['w', '../i'], bytes: Buffer.from('{"sequence":1,"run":"r"}') },
  ];
  for (const record of bad) await expect(target.write(record)).rejects.toMatchObject({ details: { code: 'bad-record' } });
  expect(await recordsIn(target)).toEqual(await recordsIn(source));
}

const postgresHere = findPostgres() !== undefined;
if (!postgresHere) console.warn('skipped: PostgreSQL is not installed, so its store is not tested');

describe.skipIf(!postgresHere)('in PostgreSQL', () => {
  let postgres: TestPostgres;
  let shared: TestDatabase;
  beforeAll(async () => {
    postgres = await startPostgres();
    shared = await postgres.database('shared');
  });
  afterAll(() => postgres?.stop());

  const open = (url: string, env: NodeJS.ProcessEnv = {}) => openStores(home, { PROVISIONING_STORE: url, ...env });
  const failure = (opened: Promise<unknown>) =>
    opened.then(
      () => ({ details: undefined, message: 'it opened' }),
      (error) => error,
    );
  const rows = async (text: string) => {
    const client = new pg.Client({ connectionString: shared.url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };

  // Eight at once make the tables of an empty database before it begins.
  storeContract('in PostgreSQL', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => open(shared.url)));
    await Promise.all(all.slice(1).map((stores) => stores.close()));
    return all[0] as Awaited<ReturnType<typeof open>>;
  });

  test('nothing of a key, a secret or a log can be read in the database', async () => {
    const stores = await open(shared.url);
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
    const stores = await open(shared.url);
    const infra = { workspace: 'w', infra: 'pins' };
    await stores.keys.pin(infra, 'old', 'ssh-ed25519 AAAA');
    const { public: made } = await stores.keys.hostKey(infra, 'new');
    await rows("update provisioning.keys set public = 'ssh-ed25519 EVIL' where infra = 'pins'");
    expect(await stores.keys.pinned(infra, 'old')).toBe('ssh-ed25519 AAAA');
    expect(await stores.keys.pinned(infra, 'new')).toBe(made);
    // The pin of another server, sealed as it is.
    await stores.keys.pin(infra, 'mine', 'ssh-ed25519 EVIL');
    await rows(
      "update provisioning.keys set pin = (select pin from provisioning.keys where server = 'mine') where server in ('old', 'new')",
    );
    for (const server of ['old', 'new'])
      expect((await failure(stores.keys.pinned(infra, server))).details).toMatchObject({ code: 'sealed-altered' });
    // What is not sealed counts as nothing.
    await rows("update provisioning.keys set pin = null where infra = 'pins'");
    expect(await stores.keys.pinned(infra, 'old')).toBeUndefined();
    expect(await stores.keys.pinned(infra, 'new')).toBe(made);
    // A new pin counts more than the key that the machine was given.
    await stores.keys.pin(infra, 'new', 'ssh-ed25519 BBBB');
    expect(await stores.keys.pinned(infra, 'new')).toBe('ssh-ed25519 BBBB');
    await stores.close();
  });

  test('who can write to the database moves no secret to another infra', async () => {
    const stores = await open(shared.url);
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
    const stores = await open(shared.url);
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
    const stores = await open(shared.url);
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
    const [one, two] = await Promise.all([open(shared.url), open(shared.url)]);
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
    const stores = await open(shared.url);
    const life = { workspace: 'w', infra: 'gap', uuid: 'gap' };
    const content = { kind: 'changes' as const, operation: 'o', actor: 'ada', changes: [] };
    await stores.feeds.append(life, [{ sequence: 1, at: '', content }]);
    const error = await failure(stores.feeds.append(life, [{ sequence: 5, at: '', content }]));
    expect(error.details).toMatchObject({
      code: 'feed-gap',
      why: expect.stringContaining('the last one that is there is number 1'),
    });
    await stores.close();
  });

  test('where a row of another infra has the number, the append fails rather than being tried again and again', async () => {
    const stores = await open(shared.url);
    const life = { workspace: 'w', infra: 'in-the-way', uuid: 'in-the-way' };
    const entry: FeedEntry = { sequence: 1, at: '', content: { kind: 'ended' } };
    await stores.feeds.append(life, [entry]);
    expect((await failure(stores.feeds.append({ ...life, infra: 'mine' }, [entry]))).details).toMatchObject({
      code: 'store-failed',
    });
    await stores.close();
  });

  test('a server that takes no writes does not pass for one that feeds can be appended to', async () => {
    const { url } = await postgres.database('standby');
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
    const from = await homeNamed('bad-names');
    const { url } = await postgres.database('names');
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
    const [from, to, { url }] = [await homeNamed('files'), await homeNamed('back'), await postgres.database('records')];
    await fill(await openStores(from, {}));
    const source = await openRecords(from, {});
    const between = await openRecords(from, { PROVISIONING_STORE: url });
    await movedTwice(source, between);
    await movedTwice(between, await openRecords(to, {}));
    await between.close();
  });

  test('a set-up with another key is told so, and changes nothing', async () => {
    const other = homeOf({ PROVISIONING_HOME: join(place, 'other') });
    await ensureKey({ folder: other.encryption, env: {} });
    const error = await failure(openStores(other, { PROVISIONING_STORE: shared.url }));
    expect(error.details).toMatchObject({ code: 'store-key', blame: 'user' });
  });

  test('after the loss of the key, the steps of the guide make it a store of the next one', async () => {
    const guide = await readFile(join(import.meta.dirname, '../../docs/guides/encryption.md'), 'utf8');
    const [, steps = ''] = /```sql\n(.*?)```/s.exec(guide) ?? [];
    const lost = await postgres.database('lost');
    const former = await open(lost.url);
    const infra = { workspace: 'w', infra: 'shop', uuid: 'life' };
    await former.secrets.set('pw', 'gone');
    await former.blobs.put('page');
    const { private: key } = await former.keys.infraKey(infra);
    await former.feeds.append(infra, [{ sequence: 1, at: '', content: { kind: 'ended' } }]);
    await former.close();

    const next = homeOf({ PROVISIONING_HOME: join(place, 'next') });
    await ensureKey({ folder: next.encryption, env: {} });
    const opened = () => openStores(next, { PROVISIONING_STORE: lost.url });
    expect((await failure(opened())).details).toMatchObject({ code: 'store-key' });
    const client = new pg.Client({ connectionString: lost.url });
    await client.connect();
    await client.query(steps);
    await client.end();
    const stores = await opened();
    expect(stores.shared?.id).toBe(former.shared?.id);
    expect([await stores.secrets.list(), await stores.feeds.infras()]).toEqual([[], []]);
    expect((await stores.keys.infraKey(infra)).private).not.toBe(key);
    expect(await stores.blobs.get(await stores.blobs.put('page'))).toBe('page');
    await stores.close();
    expect((await failure(open(lost.url))).details).toMatchObject({ code: 'store-key' });
  });

  test('the password comes from a file, PGPASSWORD or the URL, and never stands in an error', async () => {
    const { writeFile } = await import('node:fs/promises');
    const file = join(place, 'password');
    await writeFile(file, `${shared.password}\n`);
    for (const env of [{ PROVISIONING_STORE_PASSWORD_FILE: file }, { PGPASSWORD: shared.password }]) {
      await (await open(shared.urlWithoutPassword, env)).close();
    }
    const wrong = shared.url.replace('provisioning', 'x').replace(/:[^:@]+@/, ':wr0ng-secret@');
    const errors = [
      await failure(open(wrong)),
      await failure(open(shared.urlWithoutPassword)),
      await failure(open(shared.urlWithoutPassword, { PROVISIONING_STORE_PASSWORD_FILE: '/nowhere/password' })),
    ];
    for (const error of errors) {
      expect(error.details, error.message).toMatchObject({ code: 'store-password', blame: 'user' });
      expect(JSON.stringify(error.details)).not.toContain('wr0ng-secret');
    }
  });

  test('each way in which it cannot be opened has a name', async () => {
    const [port = 0] = await freePorts(1);
    const codes: Record<string, string> = {};
    const look = async (name: string, url: string) => {
      codes[name] = (await failure(open(url))).details?.code;
    };
    await look('no URL', 'not a url');
    await look('another kind', 'mysql://a@b/c');
    await look('no database named', `postgres://a@127.0.0.1:${port}`);
    await look('nobody there', `postgres://a@127.0.0.1:${port}/x`);
    await look('no such database', shared.url.replace(/\/shared$/, '/absent'));
    await look('no TLS there', `${shared.url}?sslmode=verify-full`);
    expect(codes).toEqual({
      'no URL': 'store-address',
      'another kind': 'store-address',
      'no database named': 'store-address',
      'nobody there': 'store-unreachable',
      'no such database': 'store-no-database',
      'no TLS there': 'store-certificate',
    });
  });

  test('of one that says nothing it is told that it cannot be reached', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const error = await failure(open(`postgres://a:b@127.0.0.1:${port}/x`));
    expect(error.details).toMatchObject({ code: 'store-unreachable', blame: 'weather' });
    silent.close();
  }, 20_000);

  test('tables of a newer version are left alone', async () => {
    const newer = await postgres.database('newer');
    await (await open(newer.url)).close();
    const client = new pg.Client({ connectionString: newer.url });
    await client.connect();
    await client.query('insert into provisioning.migrations (version) values (999)');
    await client.end();
    expect((await failure(open(newer.url))).details).toMatchObject({ code: 'store-newer' });
  });

  test('a log loses nothing when the database is killed and comes back; keys are read on', async () => {
    const stores = await open(shared.url);
    const log = await stores.logs.open({ operation: 'killed', server: 's', taskserv: 't', generation: 1, attempt: 1 });
    log.write('before\n');
    const owner = { workspace: 'w', infra: 'killed' };
    const { private: key } = await stores.keys.infraKey(owner);
    await postgres.kill();
    log.write('meanwhile\n');
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect((await failure(stores.keys.infraKey(owner))).details).toMatchObject({ blame: 'weather' });
    await postgres.start();
    log.write('after\n');
    await log.close();
    expect((await stores.logs.read('killed'))[0]?.text).toBe('before\nmeanwhile\nafter\n');
    expect((await stores.keys.infraKey(owner)).private).toBe(key);
    await stores.close();
  }, 60_000);
});
