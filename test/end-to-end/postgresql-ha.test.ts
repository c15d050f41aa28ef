import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { provisioning } from '../support/command-line.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { shellOf, whyNoHosts } from '../support/hosts.js';
import { eventually } from '../support/operations.js';
import { awaitWhole, findLeader, LOSSES, listMembers } from '../support/patroni-hosts.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `ha-${process.pid}`;
const MEMBERS = ['db-1', 'db-2', 'db-3'];
/** Milliseconds. No limit of speed: a busy machine may take as long. */
const WITHIN = 180_000;

describe.skipIf(why)('the template postgresql-ha', () => {
  let engine: TestEngine;
  let folder = '';
  const on = (name: string) => shellOf(INFRA, name);
  const type = (...args: string[]) => provisioning(engine, args, '', folder);
  /** As a client of an infra: by the address that the outputs name, with the password of the output. */
  const ask = (at: string, sql: string) =>
    on(at)(
      `cd /root; PGPASSFILE=/root/pass PGCONNECT_TIMEOUT=10 psql -XtA -v ON_ERROR_STOP=1 "$(cat /root/address)" -c ${JSON.stringify(sql)}`,
    );

  withHostEngine(INFRA, async (started) => {
    engine = started;
    folder = await mkdtemp(join(tmpdir(), 'postgresql-ha-'));
  });
  afterAll(async () => {
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test('is created by one command, and a second run has nothing to do', async () => {
    const began = Date.now();
    const create = ['cluster', 'create', 'postgresql-ha', '--name', INFRA, '--provider', 'local', '--size', 'small'];
    const created = await type(...create, '--set', 'memory=64MB', '--yes');
    expect(created).toMatchObject({ code: 0 });
    console.log(`created in ${((Date.now() - began) / 1_000).toFixed(0)} s`);
    // A busy host may take too long to answer one look.
    await eventually(
      async () => {
        const { stdout } = await type('cluster', 'status', INFRA);
        expect(stdout).toMatch(/etcd group etcd: 3 of 3 members serve/);
        expect(stdout).toMatch(/patroni group app: 3 of 3 members serve/);
      },
      WITHIN,
      1_000,
    );
    const again = await type('cluster', 'create', INFRA, '--check', '--json');
    expect([again.code, JSON.parse(again.stdout).plan ?? again.stdout]).toEqual([0, []]);
  });

  test('its outputs lead clients to the member that leads, also after that is lost', async () => {
    const address = (await type('output', 'database', '--infra', INFRA)).stdout.trim();
    const revealed = (await type('output', 'database_password', '--infra', INFRA)).stdout.trim();
    const words = revealed.split(/\s+/).slice(1);
    const password = (await type(...words)).stdout.trim();
    expect(password).not.toBe('');
    for (const name of MEMBERS) {
      await on(name)(`umask 077; printf %s ${Buffer.from(address).toString('base64')} | base64 -d >/root/address
printf %s ${Buffer.from(`*:*:*:*:${password}\n`).toString('base64')} | base64 -d >/root/pass`);
    }
    expect(await ask('db-2', 'CREATE TABLE sale (n int); INSERT INTO sale VALUES (1)')).toContain('INSERT 0 1');
    const lost = await findLeader(on('db-1'));
    const other = MEMBERS.find((name) => name !== lost) ?? '';
    await LOSSES['its processes are killed'].lose(INFRA, lost);
    await eventually(async () => expect(await ask(other, 'INSERT INTO sale VALUES (2)')).toContain('INSERT 0 1'), WITHIN, 1_000);
    await LOSSES['its processes are killed'].end(INFRA, lost);
    await awaitWhole(on(other), 2, WITHIN);
    for (const name of MEMBERS) expect((await ask(name, 'SELECT DISTINCT n FROM sale ORDER BY 1')).split('\n')).toEqual(['1', '2']);
  });

  test('its leader changes on request, to the member that has all writes, and etcd changes its own', async () => {
    const members = await listMembers(on('db-1'));
    const find = (role: string) => members.find(({ Role }) => Role === role)?.Member ?? '';
    const [leader, next, other] = [find('Leader'), find('Sync Standby'), find('Replica')];
    const over = (...args: string[]) => type('cluster', 'switch-over', INFRA, ...args, '--json');
    expect(await over('--check')).toMatchObject({ code: 2, stdout: expect.stringContaining('--taskserv NAME') });
    const refused = await over('--taskserv', 'patroni', '--to', other, '--yes');
    expect(refused).toMatchObject({ code: 2, stdout: expect.stringContaining(`${other} does not confirm commits`) });
    expect(await findLeader(on('db-1'))).toBe(leader);
    const done = await over('--taskserv', 'patroni', '--to', next, '--yes');
    expect([done.code, JSON.parse(done.stdout).steps]).toEqual([0, { executed: 1, planned: 1 }]);
    expect(await findLeader(on('db-1'))).toBe(next);
    expect((await over('--taskserv', 'patroni', '--to', next, '--yes')).stdout).toContain('"planned": 0');
    await awaitWhole(on('db-1'), 2, WITHIN);

    const leads = async () =>
      /etcd group etcd: 3 of 3 members serve, 2 needed, (\S+) leads/.exec((await type('cluster', 'status', INFRA)).stdout)?.[1];
    const former = await leads();
    const wanted = MEMBERS.find((name) => name !== former) ?? '';
    expect(await over('--taskserv', 'etcd', '--to', wanted, '--yes')).toMatchObject({ code: 0 });
    // A busy host may take too long to answer one look.
    await eventually(async () => expect(await leads()).toBe(wanted), WITHIN, 1_000);
  });
});
