import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDispatcher } from '../../../app/dispatch.js';
import { createEngine } from '../../../app/engine.js';
import type { Passage } from '../../../app/method.js';
import { createOwner } from '../../../app/principal.js';
import { connect } from '../../../client/connect.js';
import { storesElsewhere } from '../../../client/stores-elsewhere.js';
import { WITHOUT_WORKER } from '../../../client/without-worker.js';
import { homeOf } from '../../../home/home.js';
import { openSecrets } from '../../../stores/open-secrets.js';
import type { SecretStore } from '../../../stores/secrets.js';
import { temporalOfInfras } from '../../../test/support/temporal-of-infras.js';
import { serveGateway } from '../../../workers/gateway.js';
import { commands } from '../../commands.js';
import { runLine } from '../../fake-run.js';
import type { FakeOptions } from '../../fake-session.js';

/** Store that cannot be opened: every attempt fails after a moment. */
const CLOSED = { PROVISIONING_STORE: 'postgres://nobody@127.0.0.1:1/none', PROVISIONING_ENCRYPTION_KEY: 'no key' };

/** Home of the worker (`there`) and home of the caller (`here`). */
let [there, here] = ['', ''];
let store: SecretStore;
let closed: () => Promise<void>;
beforeEach(async () => {
  [there, here] = [await mkdtemp(join(tmpdir(), 'worker-')), await mkdtemp(join(tmpdir(), 'asker-'))];
  ({ secrets: store, close: closed } = await openSecrets(homeOf({ PROVISIONING_HOME: there }), {}));
});
afterEach(async () => {
  await closed();
  for (const place of [there, here]) await rm(place, { recursive: true, force: true });
});

/** Records of the calls to the worker. */
const audited: string[] = [];
const record = ({ method, action, located }: Passage) => audited.push(JSON.stringify([method.name, action, located]));

/** Starts a worker with its own store on the socket of the caller's home. */
async function startWorker() {
  audited.length = 0;
  const engine = createEngine({
    temporal: temporalOfInfras({ list: async () => [], inventory: async () => undefined }),
    taskQueue: 'test',
    stores: { ...storesElsewhere(homeOf({ PROVISIONING_HOME: there })), secrets: store },
  });
  const audit = async (passage: Passage) => {
    record(passage);
    return async () => {};
  };
  return serveGateway(socket(), createDispatcher({ engine, principal: createOwner('eve@desk'), checksAnswers: true, audit }));
}

const socket = () => homeOf({ PROVISIONING_HOME: here }).socket;

/** Runs a command line in the caller's home, through the process that answers there. */
async function run(line: string, { env = {}, ...options }: FakeOptions = {}) {
  const all = { PROVISIONING_HOME: here, ...env };
  const client = connect({ home: homeOf(all), env: all });
  client.catch(() => {});
  const done = await runLine(line, { root: here, env: all, connect: () => client, ...options });
  await client.then(
    (one) => one.close(),
    () => {},
  );
  return done;
}

describe('with a worker', () => {
  const asked = (line: string, options: FakeOptions = {}) => run(line, { env: CLOSED, ...options });

  test('commands open no store: they work where the files, the password and the key are out of reach', async () => {
    // These can be neither created as folders nor read as files.
    for (const name of ['secrets', 'encryption', 'keys']) await writeFile(join(here, name), 'no folder', { mode: 0o000 });
    const worker = await startWorker();
    try {
      const before = (await readdir(here, { recursive: true })).sort();
      const ends = [];
      for (const [line, stdin] of [
        ['set pw', 'hunter2\n'],
        ['set pw --infra shop', 'hunter3'],
        ['list'],
        ['get pw'],
        ['get pw --reveal'],
        ['history pw'],
        ['usage pw'],
        ['rotate pw --yes', 'hunter4'],
        ['rollback pw --to 1'],
        ['import - --format dotenv --yes', 'A=hunter5\n'],
        ['export --reveal --format dotenv'],
        ['delete pw'],
        ['access pw'],
      ] as const) {
        const { code, out, err } = await asked(`secret ${line}`, { stdin });
        ends.push([line, code, line.startsWith('history') || line.startsWith('access') ? '' : out, err]);
      }
      expect(ends).toEqual([
        ['set pw', 0, 'set: pw (workspace default)\n', ''],
        ['set pw --infra shop', 0, 'set: pw (infra shop)\n', ''],
        ['list', 0, 'pw  workspace\npw  infra shop\n', ''],
        ['get pw', 0, 'set: pw (workspace default)\n', ''],
        ['get pw --reveal', 0, 'hunter2\n', ''],
        ['history pw', 0, '', ''],
        ['usage pw', 0, 'not used\n', ''],
        ['rotate pw --yes', 0, 'rotated: pw (workspace default), now version 2\n', ''],
        ['rollback pw --to 1', 0, 'rolled back: pw (workspace default) to 1, now version 3\n', ''],
        ['import - --format dotenv --yes', 0, 'new     A (workspace default)\n', ''],
        ['export --reveal --format dotenv', 0, 'A=hunter5\npw=hunter2\n', ''],
        ['delete pw', 0, 'deleted: pw (workspace default)\n', ''],
        ['access pw', 0, '', ''],
      ]);
      expect((await readdir(here, { recursive: true })).sort()).toEqual(before);
      expect(await store.listScoped('default')).toEqual([{ name: 'A' }, { name: 'pw', infra: 'shop' }]);
      // The worker determines the caller, whatever the command reports.
      expect((await store.within({ workspace: 'default' }).history('A'))[0]).toMatchObject({ by: 'eve@desk' });
      expect(audited).toContain(JSON.stringify(['secrets.set', 'secret:set', { type: 'Secret', id: 'default//pw', tenant: '' }]));
      expect(audited.join('\n')).not.toContain('hunter');
    } finally {
      await worker.close();
    }
  });

  test('--offline asks it nothing', async () => {
    const worker = await startWorker();
    try {
      await store.within({ workspace: 'default' }).set('pw', 'of the worker');
      const { code, err } = await run('secret get pw --reveal --offline');
      expect([code, err, audited]).toEqual([2, expect.stringContaining('not set for workspace default'), []]);
    } finally {
      await worker.close();
    }
  });

  test('whose socket somebody else may have made nothing is told, and nothing is opened instead', async () => {
    await mkdir(join(here, 'engine'));
    await chmod(join(here, 'engine'), 0o777);
    const { code, err } = await run('secret set pw', { stdin: 'x' });
    expect([code, err]).toEqual([2, expect.stringContaining('engine')]);
    expect(await readdir(here)).toEqual(['engine']);
  });
});

describe('without a worker', () => {
  test('a home on this machine answers itself, before its first engine as well', async () => {
    expect((await run('secret set pw', { stdin: 'hunter2\n' })).out).toBe('set: pw (workspace default)\n');
    expect((await run('secret get pw --reveal')).out).toBe('hunter2\n');
    expect((await run('secret export --reveal')).out).toBe('pw: "hunter2"\n');
    const usage = await run('secret usage pw');
    expect([usage.code, usage.err]).toEqual([3, expect.stringContaining('pw: no engine is running for this home')]);
    const rotated = await run('secret rotate pw --yes', { stdin: 'x' });
    expect([rotated.code, rotated.err]).toEqual([3, expect.stringContaining('no engine is running for this home')]);
    const deleted = await run('secret delete pw', { interactive: true, answers: [true] });
    expect(deleted.session.asked[0]).toMatch(/^Cannot tell whether an infra uses it: no engine is running for this home\.\n/);
    expect((await run('secret list')).out).toBe('no secrets\n');
  });

  test('the store of a team stays closed, except to those who ask for it by name', async () => {
    for (const line of ['set pw', 'list', 'get pw --reveal', 'export --reveal']) {
      const { code, err } = await run(`secret ${line}`, { env: CLOSED, stdin: 'hunter2' });
      expect([line, code]).toEqual([line, 3]);
      expect(err).toContain('commands open the store of a team only while its engine answers');
      expect(err).toContain('secret get --offline');
    }
    for (const line of ['get pw --reveal --offline', 'export --reveal --offline']) {
      const { err } = await run(`secret ${line}`, { env: CLOSED });
      // The store is opened: this fails, since nothing listens there.
      expect([line, err]).toEqual([line, expect.not.stringContaining('only while its engine')]);
      expect([line, err]).toEqual([line, expect.stringMatching(/^error: cannot /)]);
    }
  });

  test('each command with --offline is listed with its reason, and says so in its help', async () => {
    const found = [];
    for (const { name, load } of commands) {
      const { options = [], details = '' } = (await load()).command;
      if (!options.some(({ flags }) => flags.split(' ')[0] === '--offline')) continue;
      found.push(name);
      expect(WITHOUT_WORKER.offline).toContain(`\`${name}\``);
      expect(details).toContain('--offline');
    }
    expect(found.sort()).toEqual(['secret export', 'secret get']);
  });
});
