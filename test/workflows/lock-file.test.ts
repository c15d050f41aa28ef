import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import published from '../../taskservs/traefik/versions.json' with { type: 'json' };
import { provisioning } from '../support/command-line.js';
import type { DemoAccount } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';

const ASKED = '>=3.3.4 <3.4';
const [NEW, OLD] = ['3.3.5', '3.3.4'] as const;

const hashesOf = (version: typeof NEW | typeof OLD) => {
  const { amd64, arm64 } = published.versions[version];
  return { amd64: amd64.sha256, arm64: arm64.sha256 };
};
const definition = (infra: string) =>
  `infra: ${infra}\nprovider: demo\nservers: [{ name: web }]\ntaskservs:\n  - { name: traefik, version: '${ASKED}' }\n`;
const lock = (infra: string, version: typeof NEW | typeof OLD, sha256 = hashesOf(version)) =>
  JSON.stringify({ lockfile: 1, infras: { [infra]: { traefik: [{ asked: ASKED, version, sha256 }] } } });

describe('the lock file of a definition', { timeout: 180_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;
  let folder: string;
  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lock-file-'));
  });
  beforeEach(async () => {
    await account.behave({});
    for (const file of await readdir(folder)) await rm(join(folder, file));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const run = (...args: string[]) => provisioning(engine, args, '', folder);
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  const lockedIn = async (infra: string) =>
    parse(await readFile(join(folder, 'provisioning.lock'), 'utf8')).infras[infra]?.traefik[0];
  const runs = async (infra: string) =>
    (await (await engine.client()).infras.inventory({ workspace: 'default', infra }))?.servers.web?.services.traefik?.version;

  test('is written by an apply, and by nothing that only looks', async () => {
    await write('new.yaml', definition('new'));
    for (const looks of [
      ['validate', 'new.yaml'],
      ['apply', 'new.yaml', '--check'],
      ['apply', 'new.yaml', '--plan-out', 'a.plan'],
    ]) {
      expect(await run(...looks)).toMatchObject({ code: 0 });
      expect(await readdir(folder)).not.toContain('provisioning.lock');
    }
    const frozen = await run('apply', 'new.yaml', '--yes', '--frozen-lock');
    expect([frozen.code, frozen.stdout + frozen.stderr]).toEqual([2, expect.stringContaining(`no version for "${ASKED}"`)]);
    const applied = await run('apply', 'new.yaml', '--yes');
    expect([applied.code, applied.stdout]).toEqual([0, expect.stringContaining('provisioning.lock has the versions')]);
    expect(await lockedIn('new')).toEqual({ asked: ASKED, version: NEW, sha256: hashesOf(NEW) });
    expect(await run('apply', 'new.yaml', '--yes', '--frozen-lock')).toMatchObject({ code: 0 });
    expect(await run('validate', 'new.yaml', '--frozen-lock')).toMatchObject({ code: 0 });
  });

  test('holds a version that an older build chose, and an upgrade moves it, or leaves it as it was', async () => {
    await write('held.yaml', definition('held'));
    await write('provisioning.lock', lock('held', OLD));
    expect(await run('apply', 'held.yaml', '--yes')).toMatchObject({ code: 0 });
    expect(await runs('held')).toBe(OLD);

    const before = await readFile(join(folder, 'provisioning.lock'), 'utf8');
    await account.behave({ failures: [{ verb: 'host.step', times: 1, error: 'user' }] });
    const failed = await run('taskserv', 'upgrade', 'traefik', '--to', NEW, '--file', 'held.yaml', '--yes', '--json');
    expect(failed.code).not.toBe(0);
    expect(JSON.parse(failed.stdout).files).toEqual([{ file: 'provisioning.lock', lock: true, state: 'restored' }]);
    expect([await lockedIn('held'), await runs('held')]).toEqual([parse(before).infras.held.traefik[0], OLD]);

    await account.behave({});
    const done = await run('taskserv', 'upgrade', 'traefik', '--to', NEW, '--file', 'held.yaml', '--yes');
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining(`+        version: ${NEW}`)]);
    expect([(await lockedIn('held')).version, await runs('held')]).toEqual([NEW, NEW]);
    expect(await readFile(join(folder, 'held.yaml'), 'utf8')).toBe(definition('held'));
    const again = JSON.parse((await run('apply', 'held.yaml', '--yes', '--json')).stdout);
    expect([again.status, again.steps.executed, again.files]).toEqual(['done', 0, undefined]);
  });

  test('with the hash of another artifact stops an apply before anything is touched', async () => {
    await write('other.yaml', definition('other'));
    await write('provisioning.lock', lock('other', NEW, { amd64: 'a'.repeat(64), arm64: hashesOf(NEW).arm64 }));
    const { effects } = await account.read();
    const refused = await run('apply', 'other.yaml', '--yes');
    expect([refused.code, refused.stdout + refused.stderr]).toEqual([2, expect.stringContaining('is another one')]);
    expect((await account.read()).effects).toEqual(effects);
  });

  test('is not there after a first apply that left nothing', async () => {
    await write('lost.yaml', definition('lost'));
    await account.behave({ failures: [{ verb: 'servers.create', name: 'web', times: 100, error: 'user' }] });
    expect((await run('apply', 'lost.yaml', '--yes')).code).not.toBe(0);
    expect(await readdir(folder)).toEqual(['lost.yaml']);
  });
});
