import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { activityEnvironment } from '../../../test/support/activity-environment.js';
import { hostVerbs, question, workOf } from '../../../test/support/host-verbs.js';
import { journalHost, mayMount } from '../../../test/support/journal-host.js';
import type { Transport } from '../transport.js';
import { scriptHost } from './script-host.js';

const scope = { workspace: 'default', infra: 'shop', uuid: 'u-1' };
const secrets = { list: async () => [], listScoped: async () => [], get: async () => undefined };
const dependencies = {
  secrets: { ...secrets, within: () => secrets },
  providers: {},
  sealer: { seal: (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed },
  logs: { open: async () => ({ write() {}, close: async () => {} }), read: async () => [] },
};

describe.skipIf(!mayMount)('every verb that sends a script to a host', () => {
  let folder: string;
  let state: string;
  let transport: Transport;
  let ran: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'own-host-'));
    ({ state, host: transport } = journalHost(folder));
    ran = join(folder, 'ran');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const host = () => scriptHost({ scope, server: 'box', open: async () => ({ ...transport, close() {} }) }, dependencies as never);
  const within = <T>(work: () => Promise<T>): Promise<T> => activityEnvironment({ attempt: 9 }).run(work);
  const asks = () => question(ran);
  const work = () => workOf(ran);
  /** All files of the host, with their times. */
  const there = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => `${name} ${statSync(join(folder, name)).mtimeMs}`);

  test.each(hostVerbs('').map(([name]) => name))('runs nothing on a host of another infra, and asks nothing: %s', async (verb) => {
    const [, call = async () => {}] = hostVerbs(ran).find(([name]) => name === verb) ?? [];
    for (const mark of [
      'u-2 default other\n',
      'u-2 default other',
      'u-11 default shop\n',
      '\nu-1 default shop\n',
      '*\n',
      ' u-1 x y\n',
    ]) {
      writeFileSync(join(state, 'owner'), mark);
      const before = there();
      await expect(within(() => call(host()))).rejects.toMatchObject({ details: { code: 'host-managed-by-another', on: 'box' } });
      expect(there()).toEqual(before);
    }
    expect(existsSync(ran)).toBe(false);
  });

  test('says whose it is, in words that the host cannot choose', async () => {
    writeFileSync(join(state, 'owner'), 'u-2 default other\n');
    await expect(within(() => host().pause(work(), 1))).rejects.toThrow('infra "other" of workspace "default" (u-2) manages it');
    writeFileSync(join(state, 'owner'), '\u001b]0;title\u0007 `x` $(x)\n');
    await expect(within(() => host().pause(work(), 1))).rejects.toThrow('infra "unknown" of workspace "unknown" (unreadable)');
  });

  test('runs on its own host, and on one without a mark', async () => {
    for (const mark of ['u-1 default shop\n', 'u-1 default shop', '']) {
      writeFileSync(join(state, 'owner'), mark);
      await within(() => host().look([asks()]));
      expect(readFileSync(ran, 'utf8').split('\n').sort().join(' ').trim()).toBe('check fact');
      rmSync(ran);
    }
    await within(() => host().run(work()));
    expect(readFileSync(ran, 'utf8')).toBe('step\n');
    // It bore none, and is marked since.
    expect(readFileSync(join(state, 'owner'), 'utf8')).toBe('u-1 default shop\n');
  });

  test('leaves alone the mark of who came first, and tells no other that it has the host', async () => {
    const infras = ['u-1', 'u-2', 'u-3', 'u-4'].map((uuid) => ({ ...scope, uuid }));
    const open = async () => ({ ...transport, close() {} });
    const claims = await Promise.allSettled(
      infras.map((of) => within(() => scriptHost({ scope: of, server: 'box', open }, dependencies as never).access.claim())),
    );
    const [winner] = readFileSync(join(state, 'owner'), 'utf8').split(' ');
    expect(claims.map(({ status }) => status)).toEqual(infras.map(({ uuid }) => (uuid === winner ? 'fulfilled' : 'rejected')));
  });

  test('but for who manages it, and for taking off our own mark: those judge by themselves', async () => {
    writeFileSync(join(state, 'owner'), 'u-2 default other\n');
    expect(await within(async () => host().access.record())).toMatchObject({ mark: { infra: 'other', proven: false } });
    await within(() => host().access.leave());
    expect(readFileSync(join(state, 'owner'), 'utf8')).toBe('u-2 default other\n');
  });
});
