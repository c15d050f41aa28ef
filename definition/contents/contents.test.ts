import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { modules } from '../../test/support/modules.js';
import { loadDefinition } from '../load-definition.js';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'contents-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(files: Record<string, string | Buffer>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
}

const registryOf = <Module extends object>(all: Record<string, Module>) =>
  Object.fromEntries(Object.entries(all).map(([name, module]) => [name, { ...module, load: async () => module }]));

/** A definition whose taskserv `files` has these entries, written as a flow map of YAML. */
async function load(entries: string, more = '') {
  await put({
    'shop.yaml': `infra: shop\nprovider: demo\nservers: [{ name: web, count: 2, plan: small }]\n${more}\ntaskservs:\n  - name: files\n    config: { files: ${entries} }\n`,
  });
  const options = {
    workspace: 'default',
    registries: { taskservs: registryOf(modules.taskservs), providers: registryOf(modules.providers) },
    secretNames: { has: () => false },
    closed: [join(root, 'state')],
  };
  return loadDefinition(join(root, 'shop.yaml'), options as never);
}

async function filesOf(entries: string, more = '') {
  const { definition, problems } = await load(entries, more);
  expect(problems).toEqual([]);
  const configs = (definition?.servers ?? []).flatMap(({ taskservs }) => taskservs.filter(({ name }) => name === 'files'));
  return configs.map(({ config }) => (config as { files: Record<string, unknown> }).files);
}

const problemsOf = async (entries: string, more = '') =>
  (await load(entries, more)).problems.map(({ path, message }) => `${path}: ${message.replaceAll(root, 'ROOT')}`);

describe('a file beside a definition', () => {
  test('is read as it is, whatever it looks like', async () => {
    await put({ 'conf/a.conf': 'port {{ vars.port }}\n' });
    const [first] = await filesOf('{ a: { path: /etc/a, content: { content-of: conf/a.conf } } }', 'vars: { port: 80 }');
    expect(first).toMatchObject({ a: { content: { text: 'port {{ vars.port }}\n' } } });
  });

  test('is filled in as a template, for each server', async () => {
    await put({ 'a.conf': 'port {{ vars.port }} of {{ server.name }}\n' });
    const files = await filesOf('{ a: { path: /etc/a, content: { content-of: a.conf, template: true } } }', 'vars: { port: 80 }');
    expect(files).toMatchObject([
      { a: { content: { text: 'port 80 of web-1\n' } } },
      { a: { content: { text: 'port 80 of web-2\n' } } },
    ]);
  });

  test('is kept with the definition', async () => {
    await put({ 'a.conf': 'text\n' });
    const { source } = await load('{ a: { path: /etc/a, content: { content-of: a.conf } } }');
    expect(source?.texts).toContainEqual({ file: expect.stringMatching(/a\.conf$/), text: 'text\n' });
  });

  test('may be no text, and may be run', async () => {
    await put({ 'site/dot.png': Buffer.from([0, 1, 2]), 'site/bin/go': '#!/bin/sh\n', 'site/.well-known/a': 'b' });
    await chmod(join(root, 'site/bin/go'), 0o755);
    const [first] = await filesOf('{ a: { path: /srv/a, tree: { tree-of: site } } }');
    expect(first).toMatchObject({
      a: {
        tree: {
          'dot.png': { base64: 'AAEC' },
          'bin/go': { text: '#!/bin/sh\n', executable: true },
          '.well-known/a': { text: 'b' },
        },
      },
    });
  });

  test.each([
    ['outside', '../a', 'cannot read the file "../a": it is outside of the workspace'],
    ['absolute', '/etc/passwd', 'cannot read the file "/etc/passwd": it is outside of the workspace'],
    ['not there', 'none', 'cannot read the file "none": the file does not exist'],
    ['a folder', 'site', 'cannot read the file "site": it is a folder'],
    ['a link that leads out', 'out', 'cannot read the file "out": it is a link that leads out of the workspace'],
    ['hidden', '.env', 'cannot read the file ".env": .env is hidden; hidden files are not read'],
    ['of the state', 'state/key', 'cannot read the file "state/key": the platform keeps its own state there'],
    ['too large', 'large', 'cannot read the file "large": it has 1.0 MiB, at most 1 MiB are read'],
  ])('is refused where it is %s', async (_, path, message) => {
    await put({ 'site/index.html': '', '.env': 'A=1', 'state/key': 'k', large: 'x'.repeat(1024 * 1024 + 1) });
    await symlink('/etc/passwd', join(root, 'out'));
    expect(await problemsOf(`{ a: { path: /etc/a, content: { content-of: ${path} } } }`)).toEqual([
      `taskservs[0].config.files.a.content.content-of: ${message}`,
    ]);
  });

  test('is no template where the definition has no expressions, or it is not a text file', async () => {
    await put({ a: 'b', c: Buffer.from([0]) });
    const wanted = (path: string) => `{ a: { path: /etc/a, content: { content-of: ${path}, template: true } } }`;
    expect(await problemsOf(wanted('a'))).toEqual([
      'taskservs[0].config.files.a.content.template: the definition does not use expressions',
    ]);
    expect(await problemsOf(wanted('c'), 'interpolate: true')).toEqual([
      'taskservs[0].config.files.a.content.content-of: cannot read the file "c": it is not UTF-8 text',
    ]);
  });
});

describe('a folder beside a definition', () => {
  test.each([
    ['a link that leads out', 'cannot read the folder "site": passwd: it is a link that leads out of the workspace'],
    ['a hidden file', 'cannot read the folder "site": .git/config: .git is hidden; hidden files are not read'],
  ])('is refused with %s', async (what, message) => {
    await put({ 'site/index.html': '' });
    if (what === 'a hidden file') await put({ 'site/.git/config': '' });
    else await symlink('/etc/passwd', join(root, 'site/passwd'));
    expect(await problemsOf('{ a: { path: /srv/a, tree: { tree-of: site } } }')).toEqual([
      `taskservs[0].config.files.a.tree.tree-of: ${message}`,
    ]);
  });

  test('is refused where it has more files than are taken', async () => {
    await put(Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`site/${index}`, ''])));
    expect(await problemsOf('{ a: { path: /srv/a, tree: { tree-of: site } } }')).toEqual([
      'taskservs[0].config.files.a.tree.tree-of: cannot read the folder "site": it has 501 files, at most 500 are allowed',
    ]);
  });
});

describe('what one taskserv of a server has to itself', () => {
  test('a file that another writes is refused', async () => {
    const more = 'interpolate: false\n';
    expect(
      await problemsOf('{ a: { path: /etc/redis/redis.conf, content: x } } }\n  - { name: redis, config: { port: 6380 }', more),
    ).toEqual([
      'taskservs[0].config.files.a.path: /etc/redis/redis.conf is a file of the taskserv "redis", which "web-1" has as well',
      'taskservs[0].config.files.a.path: /etc/redis/redis.conf is a file of the taskserv "redis", which "web-2" has as well',
    ]);
  });

  test('a package that another needs is not removed', async () => {
    expect(
      await problemsOf(
        '{ a: { path: /etc/a, content: x } } }\n  - redis\n  - { name: packages, config: { packages: { redis-server: absent } }',
      ),
    ).toContain(
      'taskservs[2].config.packages.redis-server: the package redis-server is listed as absent, but the taskserv "redis" of "web-1" needs it',
    );
  });

  test('an order after what there is not is refused, and one after itself', async () => {
    expect(await problemsOf('{ a: { path: /etc/a, content: x } }, after: [ngnix]')).toEqual([
      'taskservs[0].config.after: unknown taskserv "ngnix"',
    ]);
    expect(await problemsOf('{ a: { path: /etc/a, content: x } }, after: [files]')).toEqual([
      expect.stringContaining('files → files'),
    ]);
  });
});
