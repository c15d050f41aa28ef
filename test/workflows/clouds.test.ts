import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pathOf } from '../../providers/demo/config.js';
import { meddleWithDemo, readDemo } from '../../providers/demo/store/account.js';
import { provisioning } from '../support/command-line.js';
import type { DemoAccount } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';

let engine: TestEngine;
let account: DemoAccount;
let folder: string;

withDemoEngine((made, its) => {
  engine = made;
  account = its;
});
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clouds-'));
});
afterAll(() => rm(folder, { recursive: true }));

const run = (line: string) => provisioning(engine, line.replaceAll('AT', folder).split(' '));
/** Runs a command with this exit code. Returns its document. */
async function asked(line: string, code = 0) {
  const { stdout, stderr, code: ended } = await run(`${line} --json`);
  expect([ended, stderr]).toEqual([code, '']);
  return JSON.parse(stdout);
}
const file = (name: string, text: string) => writeFile(join(folder, name), text);

describe('what a provider sells', () => {
  test('is listed as a table and as JSON, and asked once a day', async () => {
    await account.behave({ recordCalls: true });
    const plans = await run('p plans demo');
    expect(plans.stdout).toMatch(/PLAN +SIZE +CORES.*\ndemo-small +small +1 +2 GiB +20 GiB +0\.0100 EUR +6\.00 EUR\n/);
    expect(plans.stdout).toContain('prices in demo-eu-1');
    expect((await run('provider plans demo --zone demo-us-1')).stdout).toMatch(/demo-xlarge .* unknown +unknown\n/);
    expect((await asked('p plans demo --zone demo-us-1')).plans.map(({ name }: { name: string }) => name)).not.toContain(
      'demo-large',
    );
    expect((await run('p images demo')).stdout).toMatch(/debian-13 +demo-debian-13/);
    expect((await asked('p zones demo')).zones).toContainEqual(expect.objectContaining({ name: 'demo-us-1', region: 'us-east' }));
    const calls = async () =>
      ((await account.read()).calls ?? []).filter(({ verb, name }) => verb === 'catalog' && name === 'plans').length;
    expect(await calls()).toBe(1);
    await run('p plans demo --fresh');
    expect(await calls()).toBe(2);
  });

  test('what is not there is refused, with what may be meant', async () => {
    expect((await run('p plans dmo')).stderr).toContain('did you mean "demo"?');
    expect((await run('p plans demo --zone demo-eu-11')).stderr).toContain('did you mean "demo-eu-1"?');
    const nothing = await run('p plans local');
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('it has no plans, prices or images to list')]);
    const { error } = await asked('p check hetzner', 2);
    expect(error.code).toBe('no-credentials');
  });

  test('accounts are listed and checked, and their credentials not shown', async () => {
    const canary = 'canary-token-5a7b';
    await provisioning(engine, ['secret', 'set', 'hetzner/prod/token'], canary);
    const list = await asked('provider list');
    const accountsOf = (name: string) => list.providers.find(({ provider }: { provider: string }) => provider === name).accounts;
    expect([accountsOf('demo'), accountsOf('hetzner'), accountsOf('local')]).toEqual([['default'], ['prod'], ['default']]);
    expect((await asked('p check demo')).accounts[0].report).toMatchObject({ identity: 'demo account "default"' });
    expect((await run('p check demo')).stdout).toMatch(/demo: demo account "default"\n +make servers.* +yes/);
    expect(JSON.stringify(list)).not.toContain(canary);
    await run('secret delete hetzner/prod/token --yes');
  });
});

const SHOP = `infra: shop
provider: demo
region: eu-north
networks: [{ name: shop, range: 10.20.0.0/24 }]
servers:
  - name: web
    count: 2
    placement: apart
    address: reserved
    firewall: [{ allow: tcp, ports: 80 }]
    volumes: [{ name: data, size: 10 GiB, mount: /srv }]
  - { name: db, plan: large, provider: demo/second }
  - { name: here, provider: local, host: this }
`;

describe('what a definition costs', () => {
  test('is the sum of servers and volumes, in all zones and accounts', async () => {
    await file('shop.yaml', SHOP);
    const { servers, sums, unknown } = await asked('cost AT/shop.yaml');
    expect(
      servers.map(({ server, zone, cost }: never) => [server, zone, (cost as { hourly?: number } | undefined)?.hourly]),
    ).toEqual([
      ['web-1', 'demo-eu-2', 0.013],
      ['web-2', 'demo-eu-2', 0.013],
      ['db', 'demo-eu-2', 0.048],
      ['here', undefined, undefined],
    ]);
    expect(sums).toEqual([{ currency: 'EUR', hourly: expect.closeTo(0.074, 9), monthly: expect.closeTo(0.074 * 730, 6) }]);
    expect(unknown).toBe(0);
    expect((await run('cost AT/shop.yaml')).stdout).toContain('in all: 0.0740 EUR an hour, 54.02 EUR a month');
  });

  test('what is not known is said to be unknown, and is not in the sum', async () => {
    await file(
      'far.yaml',
      'infra: far\nprovider: demo\nregion: us-east\nservers:\n  - { name: a, plan: xlarge }\n  - { name: b, plan: large }\n  - { name: c }\n',
    );
    const { stdout } = await run('cost AT/far.yaml');
    expect(stdout).toMatch(/\na .* unknown +unknown +the price list does not say it\n/);
    expect(stdout).toMatch(/\nb .* unknown +unknown +it is not sold in demo-us-1\n/);
    expect(stdout).toContain('in all: 0.0100 EUR an hour, 7.30 EUR a month, and 2 servers whose price is unknown\n');
  });
});

describe('an infra on two accounts', () => {
  const second = () => readDemo(pathOf({ account: 'second' }, engine.env));
  const SERVERS = SHOP.replace(/ {2}- \{ name: here.*\n/, '');

  test('is made with its networks, firewall, placement and addresses, at the price that was previewed', async () => {
    await file('shop.yaml', SERVERS);
    const { cost, plan, reachable } = await asked('apply AT/shop.yaml --check');
    const from = ['0.0.0.0/0', '::/0'];
    expect(reachable).toEqual({
      public: [
        { servers: ['web-1', 'web-2'], what: 'a rule of its firewall', protocol: 'tcp', ports: '80', from },
        { servers: ['web-1', 'web-2', 'db'], what: 'SSH', protocol: 'tcp', ports: '22', from },
      ],
      notes: [],
    });
    expect((await run('apply AT/shop.yaml --check')).stdout).toMatch(/^SSH +tcp 22 +anywhere +web-1, web-2, db$/m);
    expect(cost.difference).toEqual([{ currency: 'EUR', hourly: expect.closeTo(0.074, 9), monthly: expect.closeTo(54.02, 6) }]);
    expect(plan.map(({ on }: { on: string }) => on)).toEqual(
      expect.arrayContaining(['network/shop', 'network/shop-demo-second', 'db']),
    );
    expect((await run('apply AT/shop.yaml --yes')).code).toBe(0);
    const here = await account.read();
    expect(here.networks['default/shop/shop']?.range).toBe('10.20.0.0/24');
    expect(here.servers['default/shop/web-2']).toMatchObject({
      ...{ zone: 'demo-eu-2', placement: 'apart', address: 'reserved', volumeSizes: { data: 10 } },
      firewall: [
        { protocol: 'icmp', from: ['0.0.0.0/0', '::/0'] },
        { protocol: 'tcp', ports: '80', from: ['0.0.0.0/0', '::/0'] },
      ],
    });
    expect(Object.keys((await second()).servers)).toEqual(['default/shop/db']);
    const { servers } =
      (await asked('inventory shop')).infras?.[0] ??
      (await (await engine.client()).infras.inventory({ workspace: 'default', infra: 'shop' }));
    expect(servers.db.provider).toBe('demo/second');
    expect((await asked('apply AT/shop.yaml --check')).plan).toEqual([]);
    expect((await run('inventory shop')).stdout).toMatch(/^SSH +tcp 22 +anywhere +web-1, web-2, db$/m);
  });

  test('a server of before that has no firewall gets one, visibly', async () => {
    await second().then(({ servers }) => expect(servers['default/shop/db']?.firewall).toHaveLength(1));
    await account.meddle(({ servers }) => {
      delete servers['default/shop/web-1']?.firewall;
    });
    const { plan } = await asked('apply AT/shop.yaml --check');
    expect(plan.map(({ on, title }: { on: string; title: string }) => [on, /firewall/.test(title)])).toEqual([['web-1', true]]);
    expect((await run('apply AT/shop.yaml --yes')).code).toBe(0);
    expect((await account.read()).servers['default/shop/web-1']?.firewall).toHaveLength(2);
  });

  test('a change of plan shows the difference', async () => {
    await file('grown.yaml', SERVERS.replace('plan: large', 'plan: xlarge'));
    const { stdout } = await run('apply AT/grown.yaml --check');
    expect(stdout).toMatch(
      /db +demo-large +demo-xlarge +\+0\.0480 EUR +\+35\.04 EUR\ncost: \+0\.0480 EUR an hour, \+35\.04 EUR a month\n/,
    );
  });

  test('does not shrink its volumes, and its servers do not move to another provider', async () => {
    await file('shrunk.yaml', SERVERS.replace('size: 10 GiB', 'size: 5 GiB'));
    expect((await asked('apply AT/shrunk.yaml --check', 2)).error).toMatchObject({ code: 'volume-shrinks' });
    await file('moved.yaml', SERVERS.replace('provider: demo/second', 'provider: demo'));
    expect((await asked('apply AT/moved.yaml --check', 2)).error).toMatchObject({ code: 'other-provider' });
  });

  test('refresh says what differs, is gone and is unknown; it changes nothing unless asked', async () => {
    expect(await asked('refresh shop')).toMatchObject({ asRecorded: 5, differs: [], gone: [], unknown: [], unasked: [] });
    await account.meddle(({ servers, networks }) => {
      const [one, two] = [servers['default/shop/web-1'], servers['default/shop/web-2']];
      if (!one || !two) throw new Error('the shop is gone');
      one.plan = 'demo-medium';
      delete servers['default/shop/web-2'];
      servers['default/shop/stray'] = { ...two, name: 'stray' };
      networks['default/shop/lost'] = { name: 'lost', scope: two.scope, key: 'k' };
    });
    const before = await (await engine.client()).infras.inventory({ workspace: 'default', infra: 'shop' });
    const found = await asked('refresh shop', 1);
    expect(found.differs).toEqual([
      expect.objectContaining({ name: 'web-1', changes: ['plan "demo-medium" becomes "demo-small"'] }),
    ]);
    expect(found.gone).toEqual([{ kind: 'server', name: 'web-2', provider: 'demo', apply: 'create' }]);
    expect(found.unknown.map(({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`).sort()).toEqual([
      'network lost',
      'server stray',
    ]);
    expect(await (await engine.client()).infras.inventory({ workspace: 'default', infra: 'shop' })).toEqual(before);
    expect((await run('refresh shop')).stdout).toContain('shop: 3 as recorded, 1 different, 1 gone, 0 unhealthy, 2 unknown');
    expect((await asked('refresh shop --record', 2)).error.code).toBe('needs-yes');

    expect(await asked('refresh shop --record --yes')).toMatchObject({ recorded: true });
    const after = await (await engine.client()).infras.inventory({ workspace: 'default', infra: 'shop' });
    expect(Object.keys(after?.servers ?? {}).sort()).toEqual(['db', 'web-1']);
    expect((await run('orphans --remove --yes')).code).toBe(0);
    expect((await run('apply AT/shop.yaml --yes')).code).toBe(0);
    expect(await asked('refresh shop')).toMatchObject({ asRecorded: 5, gone: [], differs: [], unknown: [] });
  });

  test('an account that does not answer is named, and stops no other', async () => {
    await meddleWithDemo(pathOf({ account: 'second' }, engine.env), (state) => {
      state.settings.failures.push({ verb: 'servers.list', times: 1, error: 'user', retryAfterMs: 1000 });
    });
    const found = await asked('refresh shop', 3);
    expect(found).toMatchObject({ asRecorded: 3, unasked: [{ provider: 'demo/second' }] });
  });

  test('import takes a server in, by id or name, and only once', async () => {
    await account.meddle(({ elsewhere }) => {
      for (const id of ['x-1', 'x-2'])
        elsewhere[id] = { id, name: 'legacy', plan: 'demo-medium', image: 'debian-12', zone: 'demo-eu-1' };
      elsewhere['x-3'] = { id: 'x-3', name: 'old_box', plan: 'demo-small', image: 'debian-12' };
    });
    const wrong = async (line: string) => (await asked(line, 2)).error.code;
    expect(await wrong('import legacy --infra shop --provider demo --yes')).toBe('which-server');
    expect(await wrong('import legcy --infra shop --provider demo --yes')).toBe('unknown-server');
    expect(await wrong('import x-3 --provider demo --yes')).toBe('import-what');
    expect(await wrong('import old_box --infra shop --provider demo --yes')).toBe('server-name');
    expect(await wrong('import x-1 --infra shop --provider demo --name db --yes')).toBe('name-taken');
    expect(await wrong('import x-1 --infra shop --provider demo --name legacy')).toBe('needs-yes');
    expect(await asked('import x-1 --infra shop --provider demo --name legacy --check')).not.toHaveProperty('imported');
    expect((await account.read()).elsewhere['x-1']).toBeDefined();

    expect(await asked('import x-1 --infra shop --provider demo --name legacy --yes')).toMatchObject({ id: 'x-1', imported: true });
    const inventory = await (await engine.client()).infras.inventory({ workspace: 'default', infra: 'shop' });
    expect(inventory?.servers.legacy).toMatchObject({
      id: 'x-1',
      provider: 'demo',
      spec: { plan: { name: 'demo-medium', cores: 2 } },
    });
    expect(await wrong('import x-1 --infra shop --provider demo --name other --yes')).toBe('owned-by-another');
    const { differs } = await asked('refresh shop', 1);
    // The applied definition does not name it yet.
    expect(differs).toEqual([
      expect.objectContaining({ name: 'legacy', changes: ['it joins the network "shop"'], apply: 'delete' }),
    ]);
    await file('taken-in.yaml', `${SERVERS}  - { name: legacy, plan: medium, zone: demo-eu-1 }\n`);
    expect((await asked('apply AT/taken-in.yaml --yes')).steps.executed).toBe(1);
    expect(await asked('refresh shop')).toMatchObject({ asRecorded: 6, differs: [], unknown: [] });

    expect(await asked('import x-3 --infra new --provider demo --name first --yes')).toMatchObject({ imported: true });
    expect(
      Object.keys((await (await engine.client()).infras.inventory({ workspace: 'default', infra: 'new' }))?.servers ?? {}),
    ).toEqual(['first']);
    for (const infra of ['new', 'shop']) expect((await run(`delete ${infra} --yes`)).code).toBe(0);
  });

  test('delete leaves nothing on either account', async () => {
    for (const { servers, networks, volumes, others } of [await account.read(), await second()])
      expect([servers, networks, volumes, others].map((table) => Object.keys(table))).toEqual([[], [], [], []]);
  });
});
