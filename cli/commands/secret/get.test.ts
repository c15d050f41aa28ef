import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMaker } from '../../../secrets/generate/makers.js';
import { openSecrets } from '../../../stores/open-secrets.js';
import { runLine } from '../../fake-run.js';
import { type FakeOptions, fakeSession } from '../../fake-session.js';

const VALUE = 'hunter2-\u001b[5A';
let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'secrets-'));
  for (const line of ['pw', 'pw --infra shop', 'other --shared', 'hetzner/prod/token'])
    await run(`secret set ${line}`, { stdin: `${VALUE}\n` });
});
afterAll(() => rm(root, { recursive: true }));

const run = (line: string, options: FakeOptions = {}) => runLine(line, { root, ...options });

test.each([
  ['pw', 'workspace default'],
  ['pw --infra shop', 'infra shop'],
  ['other --shared', 'shared'],
  ['hetzner/prod/token', 'account'],
])('secret get %s says that there is one, and its value only with --reveal', async (line, scope) => {
  const [name = ''] = line.split(' ');
  const told = await run(`secret get ${line}`);
  expect([told.code, told.out, told.err]).toEqual([0, `set: ${name} (${scope})\n`, '']);
  const document = await run(`secret get ${line} --json`);
  expect(JSON.parse(document.out)).toEqual({ secret: name, set: true, scope });
  const revealed = await run(`secret get ${line} --reveal`);
  expect([revealed.code, revealed.out, revealed.err]).toEqual([0, `${VALUE}\n`, '']);
  const both = await run(`secret get ${line} --reveal --json`);
  expect([JSON.parse(both.out), both.err]).toEqual([{ secret: name, set: true, scope, value: VALUE }, '']);
});

test('a generated secret is of its infra and its workspace', async () => {
  const name = 'generated/default/shop/db.redis.password';
  const store = (await openSecrets(fakeSession({ root }).home, {})).secrets;
  const value = await store.ensureGenerated(name);
  expect((await run(`secret get ${name} --reveal`)).out).toBe(`${value}\n`);
  expect((await run(`secret get ${name}`)).out).toBe(`set: ${name} (generated)\n`);
  const refused = await run(`secret get ${name} --reveal`, { workspace: 'other' });
  expect([refused.code, refused.out]).toEqual([2, '']);
  expect(refused.err).toContain(`generated for another workspace\nhint: provisioning secret get ${name} --workspace default\n`);
});

test('of what is generated as a pair a part is given alone, and what it has not is refused', async () => {
  const name = 'generated/default/shop/ca/internal';
  const store = (await openSecrets(fakeSession({ root }).home, {})).secrets;
  const both = await store.ensureGenerated(name, await createMaker(store, name, { generate: 'ca', name: 'internal' }));
  const { out } = await run(`secret get ${name}/certificate --reveal`);
  expect([out.includes('PRIVATE KEY'), both.includes('PRIVATE KEY')]).toEqual([false, true]);
  expect(both).toContain(out.trim());
  expect((await run(`secret get ${name}/certificate`)).out).toBe(`set: ${name}/certificate (generated)\n`);
  const refused = await run(`secret get ${name}/key --reveal`);
  expect([refused.code, refused.out]).toEqual([2, '']);
  expect(refused.err).toContain('the pair has no such part');
});

test.each([
  ['pwd', 'the secret is not set for workspace default', 'did you mean "pw"?'],
  ['pw --shared', 'the secret is not set for shared', 'provisioning secret get pw'],
  ['other', 'the secret is not set for workspace default', 'provisioning secret get other --shared'],
  ['pw --infra shoe', 'the secret is not set for infra shoe', 'provisioning secret get pw'],
  ['generated/default/shop/none', 'the secret is not set for generated', ''],
  ['../pw', 'a name consists of letters', ''],
])('secret get %s: %s', async (line, why, hint) => {
  for (const more of ['', ' --reveal', ' --reveal --json']) {
    const { code, out, err } = await run(`secret get ${line}${more}`);
    expect([code, more.includes('json') ? out : err]).toEqual([2, expect.stringContaining(why)]);
    expect(more.includes('json') ? out : err).toContain(more.includes('json') ? hint.replaceAll('"', '\\"') : hint);
    expect(out + err).not.toContain('hunter2');
  }
});

test('what the environment gives goes before what is shared, and is named as such', async () => {
  const env = { PROVISIONING_SECRET_OTHER: 'from-env', PROVISIONING_SECRET_ALONE: 'x' };
  const told = await run('secret get other --shared', { env });
  expect(told.out).toBe('set: other (environment PROVISIONING_SECRET_OTHER)\n');
  expect((await run('secret get other --shared --reveal', { env })).out).toBe('from-env\n');
  expect((await run('secret get pw --reveal', { env: { PROVISIONING_SECRET_PW: 'no' } })).out).toBe(`${VALUE}\n`);
  expect((await run('secret get alone', { env })).err).toContain('PROVISIONING_SECRET_ALONE of this environment sets it');
});

test('the program gives a pipe the value as it was set, and leaves no other trace of it', async () => {
  const home = await mkdtemp(join(tmpdir(), 'secret-home-'));
  try {
    const value = 'line one\r\nline two \u001b[1m\r\n';
    await (await openSecrets(fakeSession({ root: home }).home, {})).secrets.within({ workspace: 'default' }).set('key', value);
    const before = await readdir(home, { recursive: true });
    const program = join(import.meta.dirname, '../../main.ts');
    const env = { ...process.env, PROVISIONING_HOME: home };
    const args = [...process.execArgv, '--import', 'tsx', program, 'secret', 'get', 'key', '--reveal', '--verbose'];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env });
    expect(stdout).toBe(`${value}\n`);
    expect(stderr).not.toContain('line one');
    const after = await readdir(home, { recursive: true });
    const added = after.filter((one) => !before.includes(one));
    // Only the read is recorded.
    expect(added.map((one) => one.split('.reads')[1] ?? one).sort()).toEqual(['', '/key', '/key/new']);
    expect(await readFile(join(home, added.find((one) => one.endsWith('/new')) ?? ''), 'utf8')).not.toContain('line one');
  } finally {
    await rm(home, { recursive: true });
  }
});
