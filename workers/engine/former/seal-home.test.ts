import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProgressReport } from '../../../core/report.js';
import { type Home, homeOf } from '../../../home/home.js';
import { isSealed } from '../../../stores/files/private-text.js';
import { openSecrets } from '../../../stores/open-secrets.js';
import { sealHome } from './seal-home.js';

const COUNT = 400;
let place: string;
let home: Home;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'seal-'));
  home = homeOf({ PROVISIONING_HOME: join(place, 'home') });
  env = { ...process.env, HOME: place, XDG_STATE_HOME: join(place, 'state') };
  await mkdir(home.secrets, { recursive: true, mode: 0o700 });
  await mkdir(home.encryption, { mode: 0o700 });
  await writeFile(home.identity, '{"id":"cafe"}', { mode: 0o600 });
  const key = Buffer.alloc(32, 3).toString('base64');
  const keys = { keys: [{ id: 'former', since: 'long ago', key }] };
  await writeFile(join(home.encryption, 'keys.json'), JSON.stringify(keys), { mode: 0o600 });
});
afterEach(() => rm(place, { recursive: true, force: true }));

const seal = async () => {
  const said: ProgressReport[] = [];
  await sealHome(home, env, (report) => said.push(report));
  return said;
};
const put = (name: string, bytes: string | Uint8Array) => writeFile(join(home.secrets, name), bytes, { mode: 0o600 });
const sealedFiles = async () => {
  const names = (await readdir(home.secrets)).filter((name) => !name.startsWith('.'));
  const bytes = await Promise.all(names.map((name) => readFile(join(home.secrets, name))));
  return bytes.filter(isSealed).length;
};

describe('a home of a former version', () => {
  test('is sealed once, and says so in a line', async () => {
    await put('one', 'hunter2');
    await put('empty', '');
    expect(await seal()).toEqual([
      { task: 'encryption', text: 'sealed 2 secrets, wrapped 1 encryption keys (local)', state: 'done' },
    ]);
    expect(await seal()).toEqual([]);
    expect(await readFile(join(home.encryption, 'keys.json'), 'utf8')).not.toContain(Buffer.alloc(32, 3).toString('base64'));
    const { secrets } = await openSecrets(home, env);
    expect([await secrets.get('one'), await secrets.get('empty')]).toEqual(['hunter2', '']);
    expect((await stat(join(home.secrets, 'one'))).mode & 0o777).toBe(0o600);
  });

  test('keeps what is no text, and loses what a killed process was writing', async () => {
    await put('bytes', Uint8Array.of(0xff, 0xfe, 0));
    const [draft, fresh] = ['.9f3c2a1e-0000-4000-8000-000000000000', '.9f3c2a1e-0000-4000-8000-000000000001'];
    await put(draft, 'hunter2');
    await put(fresh, 'being written');
    await utimes(join(home.secrets, draft), 1, 1);
    expect((await seal()).map(({ state }) => state)).toEqual(['skipped', 'done']);
    expect(await readFile(join(home.secrets, 'bytes'))).toEqual(Buffer.from([0xff, 0xfe, 0]));
    expect((await readdir(home.secrets)).sort()).toEqual([fresh, 'bytes']);
  });

  test('is whole at every moment: killed midway, all is read, and the next one goes on', async () => {
    for (let index = 0; index < COUNT; index++) await put(`s${index}`, `value ${index}`);
    const { secrets } = await openSecrets(home, env);
    const readAll = async () => {
      for (let index = 0; index < COUNT; index++) expect(await secrets.get(`s${index}`)).toBe(`value ${index}`);
    };
    const moments: number[] = [];
    for (let least = 1; least < COUNT; least = (moments.at(-1) ?? 0) + 100) {
      const child = sealingProcess();
      while ((await sealedFiles()) < least && child.exitCode === null) await sleep(1);
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      moments.push(await sealedFiles());
      await readAll();
    }
    expect(moments.filter((count) => count > 0 && count < COUNT).length).toBeGreaterThan(0);
    await seal();
    expect(await sealedFiles()).toBe(COUNT);
    await readAll();
  });
});

function sealingProcess(): ChildProcess {
  const module = fileURLToPath(new URL('seal-home.ts', import.meta.url));
  const code = `import { sealHome } from ${JSON.stringify(module)};
    await sealHome(${JSON.stringify(home)}, process.env, () => {});`;
  return spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', code], { env, stdio: 'ignore' });
}
