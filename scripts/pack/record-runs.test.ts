import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openPack } from '../../cli/start/pack.js';
import { packageRoot } from '../../definition/source/package-root.js';
import { buildPack } from './build-pack.js';
import { recordRuns } from './record-runs.js';

const root = packageRoot();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runs-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function run(name: string, text: string) {
  const path = join(folder, `${name}.mjs`);
  await writeFile(path, `import { writeFileSync } from 'node:fs';\nconst [, , pack, out] = process.argv;\n${text}`);
  return { script: relative(root, path), args: [name] };
}

/** A script that hands over a text as the code of a chunk. */
const handsOver = (chunk: string, expression: string) =>
  `const code = ${expression};\nwriteFileSync(out, JSON.stringify([['${chunk}', Buffer.byteLength(code)]]) + '\\n' + code);`;

test('a run knows no server, engine, account or home of the person who builds', async () => {
  const secrets = {
    ...{ PROVISIONING_SERVER: 'https://prod.example', PROVISIONING_TOKEN: 'prov_x', PROVISIONING_SOCKET: '/run/prod.sock' },
    ...{ PROVISIONING_HOME: '/srv/prod', PROVISIONING_CONTEXT: 'prod', TEMPORAL_ADDRESS: 'prod:7233', TEMPORAL_API_KEY: 'x' },
    ...{ HCLOUD_TOKEN: 'x', AWS_PROFILE: 'prod', XDG_CONFIG_HOME: '/srv/config', NODE_OPTIONS: '--stack-trace-limit=7' },
  };
  for (const [name, value] of Object.entries(secrets)) vi.stubEnv(name, value);
  const { compiled, failures } = await recordRuns(
    root,
    [await run('environment', handsOver('env', 'JSON.stringify(process.env)'))],
    Buffer.from('bare'),
  );
  vi.unstubAllEnvs();
  expect(failures).toEqual([]);
  const env = JSON.parse(String(compiled.get('env')));
  for (const [name, value] of Object.entries(secrets)) expect([name, env[name]]).not.toEqual([name, value]);
  const known = /^(PATH|TMPDIR|LANG|LC_[A-Z]+|HOME|PROVISIONING_HOME|TEMPORAL_ADDRESS)$/;
  expect(Object.keys(env).filter((name) => !known.test(name))).toEqual([]);
  expect(env).toMatchObject({ PATH: process.env.PATH, TEMPORAL_ADDRESS: '127.0.0.1:1' });
  expect(env.PROVISIONING_HOME).toBe(join(env.HOME, 'home'));
  await expect(stat(env.HOME)).rejects.toThrow('ENOENT');
});

test('a run that fails leaves only its own code out, and the next build tries again', async () => {
  const target = join(folder, 'a.pack');
  const code = "'from a run'";
  const runs = [
    await run('throws', 'throw new Error()'),
    await run('part', `writeFileSync(out, '[["a.js",400]]\\n123');`),
    await run('whole', handsOver('a.js', code)),
  ];
  const program = { target, chunks: new Map([['a.js', 'export const a = 1;']]), banner: '' };
  const warnings = await buildPack(root, { ...program, runs });
  expect(warnings).toEqual([expect.stringMatching(/^a\.pack: .*throws\.mjs throws, .*part\.mjs part$/)]);
  const pack = openPack(target);
  expect(pack?.index).toMatchObject({ isIncomplete: true });
  expect(String(pack?.read('a.js').code)).toBe('from a run');

  await run('throws', handsOver('a.js', code));
  await run('part', handsOver('a.js', code));
  expect(await buildPack(root, { ...program, runs })).toEqual([]);
  expect(openPack(target)?.index.isIncomplete).toBeUndefined();
});

test('after a run that takes too long the others are left out, and the pack needs none', async () => {
  const runs = [await run('late', handsOver('a.js', "'x'")), await run('never', handsOver('a.js', "'x'"))];
  const { compiled, failures } = await recordRuns(root, runs, Buffer.from('bare'), 1);
  expect([compiled.size, failures.length]).toEqual([0, 2]);
});
