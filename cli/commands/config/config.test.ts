import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { REGISTRY } from '../../../settings/registry/keys.js';
import { isServiceField } from '../../../settings/registry/registry.js';
import { makeFolder } from '../../../test/support/temporary-folder.js';
import { runLine } from '../../fake-run.js';
import type { FakeOptions } from '../../fake-session.js';

const PRODUCT = [...REGISTRY.keys.values()].filter((key) => !isServiceField(key));

let folder: string;
beforeEach(async () => {
  folder = await makeFolder('config');
  await put({
    'ws/provisioning.yaml': 'name: shop\nconfig:\n  operation:\n    onFailure: keep # while we learn\n',
    'ws/environments/prod.yaml': 'config:\n  operation: { onFailure: ask, priority: 1 }\n',
    'ws/environments/staging.json': '{ "config": { "operation": { "priority": 5 } } }\n',
    'home/config.yaml': '# ours\nengine:\n  profile: team # of the team\nstore:\n  url: postgres://u:hunter2@db/x\n',
  });
});

async function put(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

const read = (name: string) => readFile(join(folder, name), 'utf8');
const run = async (line: string, options: FakeOptions = {}) => {
  const answer = await runLine(line, { root: join(folder, 'home'), folder: join(folder, 'ws'), ...options });
  expect(answer.out + answer.err).not.toContain('hunter2');
  return { ...answer, out: answer.out.replaceAll(folder, ''), err: answer.err.replaceAll(folder, '') };
};

describe('what counts', () => {
  test('show says each key with the layer that decides', async () => {
    const { code, out } = await run('config show --env prod --set-only');
    expect([code, out]).toEqual([
      0,
      [
        'KEY                  VALUE     FROM',
        'engine.profile       team      user /home/config.yaml:3',
        'store.url            (hidden)  user /home/config.yaml:5',
        'operation.onFailure  ask       environment environments/prod.yaml:2',
        'operation.priority   1         environment environments/prod.yaml:2',
        '',
      ].join('\n'),
    ]);
    const { settings } = JSON.parse((await run('cfg show --json')).out);
    expect(settings).toHaveLength(PRODUCT.length);
    expect(settings).toContainEqual({
      key: 'operation.onFailure',
      value: 'keep',
      layer: 'workspace',
      file: '/ws/provisioning.yaml',
      line: 4,
    });
    expect(settings).toContainEqual({ key: 'engine.namespace', value: null });
  });

  test('get prints the value alone, what may be a secret only if asked for', async () => {
    expect(await run('config get operation.onFailure')).toMatchObject({ code: 0, out: 'keep\n', err: '' });
    expect(await run('config get store.url')).toMatchObject({ code: 0, out: '(hidden)\n' });
    const revealed = await runLine('config get store.url --reveal', { root: join(folder, 'home') });
    expect(revealed.out).toBe('postgres://u:hunter2@db/x\n');
    expect(await run('config get engine.namespace')).toMatchObject({ code: 0, out: '', err: expect.stringMatching(/^not set: /) });
    const env = { PROVISIONING_ENV: 'staging' };
    expect((await run('config get operation.priority', { env, environment: 'staging' })).out).toBe('5\n');
    expect(await run('config get operation.onFailur')).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean "operation.onFailure"?'),
    });
    expect((await run('config get namespace')).err).toContain('did you mean "engine.namespace"?');
  });

  test('explain says what each layer says, and which wins', async () => {
    const { out } = await run('config explain operation.onFailure --env prod', {
      env: { PROVISIONING_OPERATION_ON_FAILURE: 'keep' },
    });
    expect(out.split('\n').slice(0, 1).concat(out.split('\n').slice(3))).toEqual(
      [
        'operation.onFailure = keep',
        '   workspace provisioning.yaml:4                      keep',
        '   environment environments/prod.yaml:2               ask',
        '*  variables PROVISIONING_OPERATION_ON_FAILURE        keep',
        '',
      ].map((line) => expect.stringMatching(`^${line.replace(/[*.]/g, '\\$&').replace(/ {3,}/g, ' +')}$`)),
    );
    const { statements } = JSON.parse((await run('config explain operation.onFailure --env prod --json')).out);
    expect(statements).toEqual([
      { layer: 'workspace', file: '/ws/provisioning.yaml', line: 4, value: 'keep', wins: false },
      { layer: 'environment', file: '/ws/environments/prod.yaml', line: 2, value: 'ask', wins: true },
    ]);
    expect((await run('config explain store.url')).out).toContain('(hidden)');
  });

  test('validate lists every problem and ends with 2', async () => {
    expect(await run('config validate')).toMatchObject({ code: 0, err: '' });
    await put({ 'ws/environments/prod.yaml': 'config:\n  operation: { onFailure: hunter2, x: 1 }\n  engine: { port: 1 }\n' });
    const { code, out, err } = await run('config validate --env prod');
    expect([code, out, err.trim().split('\n')]).toEqual([
      2,
      '',
      [
        '/ws/environments/prod.yaml:2:16: operation.onFailure: it is not one of rollback | rollback-service | keep | ask; known: ask, keep, rollback, rollback-service',
        expect.stringMatching(/^\/ws\/environments\/prod.yaml:2:36: operation.x: there is no setting "operation.x"; known: /),
        expect.stringMatching(
          /^\/ws\/environments\/prod.yaml:3:13: engine.port: "engine.port" is a setting of the machine's engine/,
        ),
      ],
    ]);
    const json = JSON.parse((await run('config validate --env prod --json')).out);
    expect([json.valid, json.problems.length, json.problems[2].code]).toEqual([false, 3, 'config-scope']);
    const shown = await run('config show --env prod');
    expect([shown.code, shown.err.match(/prod.yaml:/g)?.length]).toEqual([2, 3]);
    expect(await run('config show --env prdo')).toMatchObject({ code: 2, err: expect.stringContaining('did you mean "prod"?') });
  });

  test('diff says what differs from the defaults, or from another environment', async () => {
    expect((await run('config diff staging --env prod')).out).toBe(
      'operation.onFailure  keep  ->  ask\noperation.priority   5     ->  1\n',
    );
    expect(JSON.parse((await run('config diff --json')).out).differences.map(({ key }: { key: string }) => key)).toEqual([
      'engine.profile',
      'store.url',
      'operation.onFailure',
    ]);
  });

  test.each(['yaml', 'toml', 'json'])('what export prints as %s can be the settings of another home', async (format) => {
    const { out, err } = await run(`config export --env prod --format ${format}`);
    expect(err).toBe('left out, because it may contain a password: store.url\n');
    await put({ [`other/config.${format}`]: out });
    const settings = async (root: string, of: string, more = '') =>
      JSON.parse(
        (await runLine(`config show --json${more}`, { root: join(folder, root), folder: join(folder, of) })).out,
      ).settings.map(({ key, value }: { key: string; value: unknown }) => [key, key === 'store.url' ? null : value]);
    expect(await settings('other', 'other')).toEqual(await settings('home', 'ws', ' --env prod'));
  });

  test('path and env say where a setting can be said, keys which there are', async () => {
    expect((await run('config path --env staging --infra web')).out.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      'user is there /home/config.yaml',
      'workspace is there provisioning.yaml (config:)',
      'infra is not there infra/web.config.yaml',
      'environment is there environments/staging.json (config:)',
      '',
    ]);
    const { out } = await run('config env', {
      env: { PROVISIONING_STORE: 'postgres://hunter2', PROVISIONING_ENGINE_PORT: '7300' },
    });
    expect(out).toMatch(/^PROVISIONING_STORE +store.url +\(hidden\)$/m);
    expect(out).toMatch(/^PROVISIONING_ENGINE_PORT +engine.port +7300$/m);
  });
});

describe('what changes files', () => {
  test('set keeps comments and order, and says which file', async () => {
    expect(await run('config set engine.namespace shop')).toMatchObject({
      code: 0,
      out: 'set: engine.namespace = shop in /home/config.yaml\n',
      err: '',
    });
    expect(await read('home/config.yaml')).toBe(
      '# ours\nengine:\n  profile: team # of the team\n  namespace: shop\nstore:\n  url: postgres://u:hunter2@db/x\n',
    );
    expect((await run('config set engine.profile other')).code).toBe(0);
    expect(await read('home/config.yaml')).toContain('  profile: other # of the team\n');
    expect((await run('config set engine.profile other')).out).toMatch(/^was set already: /);
    expect((await run('config unset engine.namespace')).out).toBe('unset: engine.namespace in /home/config.yaml\n');
    expect((await run('config unset store.url')).code).toBe(0);
    expect(await read('home/config.yaml')).toBe('# ours\nengine:\n  profile: other # of the team\n');
    expect(await readdir(join(folder, 'home'))).toEqual(['config.yaml']);
  });

  test('set writes into the file of the layer, whatever its format, and says what goes before it', async () => {
    const set = async (line: string) => (await run(`config set ${line}`)).out;
    await set('operation.onFailure rollback --layer workspace');
    expect(await read('ws/provisioning.yaml')).toBe(
      'name: shop\nconfig:\n  operation:\n    onFailure: rollback # while we learn\n',
    );
    await set('operation.priority 2 --layer environment --env staging');
    expect(JSON.parse(await read('ws/environments/staging.json'))).toEqual({ config: { operation: { priority: 2 } } });
    await set('operation.priority 4 --layer infra --infra shop');
    expect(await read('ws/infra/shop.config.yaml')).toBe('operation:\n  priority: 4\n');
    await put({ 'ws/infra/web.config.toml': '# web\n[operation]\npriority = 3 # usual\n' });
    await set('operation.onFailure keep --layer infra --infra web');
    expect(await read('ws/infra/web.config.toml')).toBe('# web\n[operation]\npriority = 3 # usual\nonFailure = "keep"\n');
    const noted = await run('config set operation.priority 5 --env prod');
    expect(noted.err).toBe('note: environment environments/prod.yaml:2 takes precedence\n');
  });

  test.each([
    ['config set engine.port 99999', 'it is not a whole number from 1 to 65535'],
    ['config set operation.onFailure kep', 'did you mean "keep"?'],
    ['config set engine.prot 1', 'did you mean "engine.port"?'],
    ['config set engine.port 1 --layer workspace', 'a workspace cannot set it'],
    ['config set operation.priority 1 --layer environment', 'name it, --env NAME'],
    ['config set operation.priority 1 --layer infra --infra ../x', 'use lower-case letters'],
    ['config set store.url=hunter2 x', 'no such setting exists'],
  ])('%s is refused, and nothing is written', async (line, why) => {
    const before = await Promise.all(['home/config.yaml', 'ws/provisioning.yaml'].map(read));
    const { code, out, err } = await runLine(line, { root: join(folder, 'home'), folder: join(folder, 'ws') });
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(why);
    expect(await Promise.all(['home/config.yaml', 'ws/provisioning.yaml'].map(read))).toEqual(before);
  });

  test('a new file of the home is private, one that is there keeps its mode', async () => {
    await runLine('config set engine.port 7300', { root: join(folder, 'new') });
    expect((await stat(join(folder, 'new/config.yaml'))).mode & 0o777).toBe(0o600);
    await chmod(join(folder, 'home/config.yaml'), 0o640);
    await run('config set engine.port 7300');
    expect((await stat(join(folder, 'home/config.yaml'))).mode & 0o777).toBe(0o640);
  });

  test('edit takes over a copy that is right, and no other', async () => {
    const editor = async (line: string) => {
      await put({ 'editor.sh': `#!/bin/sh\n${line}\n` });
      await chmod(join(folder, 'editor.sh'), 0o755);
      return { env: { ...process.env, VISUAL: '', EDITOR: join(folder, 'editor.sh') } };
    };
    const before = await read('home/config.yaml');
    expect(await run('config edit', await editor('true'))).toMatchObject({
      code: 0,
      out: 'nothing was changed: /home/config.yaml\n',
    });
    const wrong = await run('config edit', await editor('echo "wrong: 1" >> "$1"'));
    expect([wrong.code, await read('home/config.yaml')]).toEqual([2, before]);
    const copy = /(\S+provisioning-config-\w+\/config.yaml):6/.exec(wrong.err)?.[1] ?? '';
    expect(await readFile(copy, 'utf8')).toBe(`${before}wrong: 1\n`);
    expect(await run('config edit', await editor('exit 3'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('ended with 3'),
    });
    expect((await run('config edit', await editor('echo "ui: { port: 7400 }" >> "$1"'))).out).toBe('written: /home/config.yaml\n');
    expect(await read('home/config.yaml')).toBe(`${before}ui: { port: 7400 }\n`);
  });
});

describe('migrate', () => {
  const former = '# of the team\nprofile: team\nstore: postgres://u:hunter2@db/x\nallowThisHost: true\n';
  const env = { PROVISIONING_LIMITS: 'hosts=5', TEMPORAL_PROFILE: 'other' };
  beforeEach(async () => {
    await put({ 'old/settings.yaml': former });
  });
  const migrate = (more: string, options: FakeOptions = {}) =>
    run(`config migrate${more}`, { root: join(folder, 'old'), env, ...options });

  test('shows, asks, writes one file and removes the other', async () => {
    const { out } = await migrate(' --check');
    expect(out.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      'engine.profile other from TEMPORAL_PROFILE',
      'store.url (hidden) from /old/settings.yaml',
      'worker.allowThisHost true from /old/settings.yaml',
      'worker.limits hosts=5 from PROVISIONING_LIMITS',
      'into /old/config.yaml',
      '',
    ]);
    expect((await migrate('')).err).toContain('add --yes');
    expect((await migrate('', { interactive: true, answers: [false] })).code).toBe(5);
    expect(await readdir(join(folder, 'old'))).toEqual(['settings.yaml']);
    expect((await migrate('', { interactive: true, answers: [true] })).code).toBe(0);
    expect(await readdir(join(folder, 'old'))).toEqual(['config.yaml']);
    expect(await read('old/config.yaml')).toBe(
      '# of the team\nengine:\n  profile: other\nstore:\n  url: postgres://u:hunter2@db/x\nworker:\n  allowThisHost: true\n  limits:\n    hosts: 5\n',
    );
    expect((await migrate(' --yes', { env: {} })).out).toBe('nothing to move\n');
  });

  test('what was said before is what is said afterwards', async () => {
    const shown = async () =>
      JSON.parse((await runLine('config show --json', { root: join(folder, 'old') })).out).settings.map(
        ({ key, value }: { key: string; value: unknown }) => [key, value],
      );
    const before = await shown();
    expect((await migrate(' --yes --json', { env: {} })).code).toBe(0);
    expect(await shown()).toEqual(before);
  });

  test('until then set asks for it, and both files are an error that says what to do', async () => {
    const set = await run('config set engine.port 7300', { root: join(folder, 'old') });
    expect([set.code, set.err]).toEqual([2, expect.stringContaining('provisioning config migrate')]);
    await put({ 'old/config.yaml': '' });
    const both = await run('config show', { root: join(folder, 'old') });
    expect([both.code, both.err]).toEqual([
      2,
      expect.stringContaining('move what /old/settings.yaml says into /old/config.yaml, and remove it'),
    ]);
  });
});
