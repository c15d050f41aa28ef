import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Inventory } from '../../../core/infra/inventory.js';
import type { OperationStatus } from '../../../core/operation/operation.js';
import { createMaker } from '../../../secrets/generate/makers.js';
import { openSecrets } from '../../../stores/open-secrets.js';
import type { SecretStore } from '../../../stores/secrets.js';
import { runLine } from '../../fake-run.js';
import { type FakeOptions, type Fakes, fakeSession, inventoryNamed, resultOf } from '../../fake-session.js';

const CA = 'generated/default/shop/ca/internal';
const DB = 'generated/default/shop/certificate/db';
const OTHER = 'generated/default/shop/certificate/other';

let root: string;
let store: SecretStore;
/** Infras of each batch, in order, with the number of certificates in the CA file at that time. */
let asked: { infras: string; trusted: number }[];
let statusOf: () => OperationStatus;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rotate-authority-'));
  store = (await openSecrets(fakeSession({ root }).home, {})).secrets;
  for (const [name, ca] of [
    [DB, 'internal'],
    [OTHER, 'external'],
  ] as const)
    await store.ensureGenerated(name, await createMaker(store, name, { generate: 'certificate', ca, names: ['a.b'] }));
  asked = [];
  statusOf = () => 'done';
});
afterEach(() => rm(root, { recursive: true }));

const service = (taskserv: string, config: object) => ({ [taskserv]: { taskserv, version: '1', config, since: 'op' } });
const secret = (name: string) => ({ $secret: name });
const shop = {
  ...inventoryNamed('shop'),
  servers: {
    db: {
      name: 'db',
      provider: 'demo',
      services: service('postgres', { tls: { certificate: secret(`${DB}/certificate`), key: secret(`${DB}/key`) } }),
    },
    hub: { name: 'hub', provider: 'demo', services: service('prometheus', { authority: secret(`${CA}/certificate`) }) },
    kv: {
      name: 'kv',
      provider: 'demo',
      services: service('etcd', { certificate: secret(`${DB}/certificate`), authority: secret(`${DB}/authority`) }),
    },
    web: { name: 'web', provider: 'demo', services: service('nginx', { certificate: secret(`${OTHER}/certificate`) }) },
  },
} as unknown as Inventory;

const trusted = async () => ((await run(`secret get ${CA}/certificate --reveal`)).out.match(/BEGIN CERT/g) ?? []).length;
const run = (line: string, options: FakeOptions = {}) => runLine(line, { root, client: client(), ...options });

function client(): Fakes {
  return {
    'infras.list': async () => ['shop'],
    'infras.inventory': async () => shop,
    async 'secrets.apply'({ as, infras = [] }) {
      const ca = (await store.get(CA)) ?? '';
      asked.push({ infras: `${infras}`, trusted: ca.match(/BEGIN CERT/g)?.length ?? 0 });
      return { batch: as, infras: [...infras] };
    },
    async 'batches.rows'({ batch, from = 0 }) {
      const row = { index: 0, name: 'shop', kind: 'taskserv', verb: 'ensure', infra: 'shop', stage: 0 } as const;
      return from > 0 ? [] : [{ ...row, mark: statusOf() === 'done' ? 'done' : 'failed', operation: `${batch}-1` }];
    },
    async *'operations.follow'({ operation }) {
      yield { type: 'end', result: resultOf({ id: operation, kind: 'taskserv' }, { infra: 'shop', status: statusOf() }) };
    },
  };
}

const next = `Afterwards, continue with step 2:\n  provisioning secret rotate ${CA} --continue\n`;

test('a rotation reaches in each step the services that it changes, and each step begins when the one before is everywhere', async () => {
  const other = await store.get(OTHER);
  const begun = await run(`secret rotate ${CA} --yes`);
  expect(begun.code).toBe(0);
  expect(begun.out).toContain(`rotated: ${CA} (generated), step 1 of 3 (trust), now version 2\n`);
  expect(begun.out).toContain(next);
  expect([asked, await trusted()]).toEqual([[{ infras: 'shop', trusted: 2 }], 2]);
  expect((await run(`secret get ${CA}`)).out).toBe(`set: ${CA} (generated)\nrotation: step 1 of 3 (trust)\n`);
  expect(JSON.parse((await run(`secret get ${CA} --json`)).out)).toMatchObject({ step: 'trust' });

  asked = [];
  const issued = await run(`secret rotate ${CA} --continue --yes`);
  expect(issued.code).toBe(0);
  expect(issued.out).toContain(`rotated: ${CA}, ${DB} (generated), step 2 of 3 (issue), now version 3\n`);
  expect([asked.map(({ infras }) => infras), await trusted()]).toEqual([['shop', 'shop'], 2]);

  asked = [];
  const finished = await run(`secret rotate ${CA} --continue --yes --json`);
  expect(JSON.parse(finished.out)).toMatchObject({ version: 4, rotation: { step: 'finish', repeated: false }, left: [] });
  expect([asked.map(({ infras }) => infras), await trusted()]).toEqual([['shop', 'shop'], 1]);
  expect(await store.get(OTHER)).toBe(other);
  expect((await run(`secret get ${CA}`)).out).toBe(`set: ${CA} (generated)\n`);
  const history = JSON.parse((await run(`secret history ${CA} --json`)).out) as { versions: { how: string }[] };
  expect(history.versions.map(({ how }) => how)).toEqual([
    'secret rotate, step 3 of 3 (finish)',
    'secret rotate, step 2 of 3 (issue)',
    'secret rotate, step 1 of 3 (trust)',
    'generated',
  ]);
});

test('a repeated command makes nothing new, and a step that is not everywhere is not followed by the next', async () => {
  statusOf = () => 'rolled-back';
  const failed = await run(`secret rotate ${CA} --yes`);
  expect(failed.code).toBe(1);
  expect(failed.err).toContain(`Version 2 of ${CA} stays.`);
  const kept = await store.get(CA);

  const refused = await run(`secret rotate ${CA} --continue --yes`);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('The step was not taken, because these are not at the present one:\n');
  expect(refused.err).toContain(`provisioning secret rotate ${CA} --continue`);
  expect(await store.get(CA)).toBe(kept);

  statusOf = () => 'done';
  expect((await run(`secret rotate ${CA} --yes`)).code).toBe(0);
  expect(await store.get(CA)).toBe(kept);
});

test('each preview says what the step does, and changes nothing', async () => {
  const look = async (flags: string) => (await run(`secret rotate ${CA} --check${flags}`)).out;
  const versions = async () => (await store.history(CA)).length;
  expect(await look('')).toBe(
    'Step 1 of 3 (trust): clients trust the next authority beside the present one. Certificates stay as they are.\nshop: etcd on kv, prometheus on hub\nNothing was changed.\n',
  );
  expect(await look(' --at-once')).toBe(
    'All in one step: a new authority signs all certificates, and the former one is no longer trusted.\nWarning: clients that trust only the former authority fail at once, until they have the new one.\nshop: etcd on kv, postgres on db, prometheus on hub\nNothing was changed.\n',
  );
  expect(await versions()).toBe(1);
  await run(`secret rotate ${CA} --yes`);
  expect(await look('')).toContain('The authority is in this step already.');
  expect(await look(' --continue')).toBe(
    'Step 2 of 3 (issue): the next authority signs all certificates. Clients still trust both.\nshop: etcd on kv, postgres on db\nBefore this step, the present one is applied again in shop: etcd on kv, prometheus on hub\nNothing was changed.\n',
  );
  expect([await versions(), await trusted()]).toEqual([2, 2]);
  const declined = await run(`secret rotate ${CA} --continue`, { interactive: true, answers: [false] });
  expect([declined.code, declined.session.asked[0], await versions()]).toEqual([
    5,
    expect.stringContaining(`Step 2 of 3 (issue): the next authority`),
    2,
  ]);
});

test('in one step it warns, and reaches everybody at once', async () => {
  const { code, err } = await run(`secret rotate ${CA} --at-once --yes`);
  const warning = 'Warning: clients that trust only the former authority fail at once, until they have the new one.\n';
  expect([code, err]).toEqual([0, expect.stringContaining(warning)]);
  expect([asked, await trusted()]).toEqual([[{ infras: 'shop', trusted: 1 }], 1]);
});

test.each([
  [`${CA} --continue --yes`, 'no rotation of this authority is under way'],
  [`${CA} --continue --at-once --yes`, '--continue and --at-once exclude each other'],
  [`${DB} --continue --yes`, 'it is not an authority, and only authorities are rotated in steps'],
  [`${DB} --at-once --yes`, 'it is not an authority, and only authorities are rotated in steps'],
])('secret rotate %s is refused: %s', async (line, why) => {
  const { code, err } = await run(`secret rotate ${line}`);
  expect([code, err, asked]).toEqual([2, expect.stringContaining(why), []]);
});
