import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { type TestWorkspace, workspaceOf } from '../support/workspace.js';

const FILES = {
  'infra/shop.yaml':
    '# Whatever stands here stays.\ninclude: [../common.yaml]\nvars: { count: 1 }\ninfra: shop\nservers:\n  - { name: web, count: "{{ vars.count }}" }\n',
  'infra/shop.prod.yaml': 'servers:\n  - { name: web, plan: medium }\n',
  'common.yaml': 'provider: demo\n',
  'environments/prod.yaml': 'vars: { count: 2 }\n',
};

describe('the files that a definition was applied from', () => {
  let engine: TestEngine;
  let workspace: TestWorkspace;
  const run: TestWorkspace['run'] = (...args) => workspace.run(...args);
  const json: TestWorkspace['json'] = (...args) => workspace.json(...args);

  beforeAll(async () => {
    engine = await startTestEngine();
    workspace = await workspaceOf(engine, FILES);
  });
  afterAll(async () => {
    await engine?.stop();
    await workspace?.remove();
  });

  test('are kept with it, and can be written out again', { timeout: 120_000 }, async () => {
    await workspace.write('more.yaml', 'vars: { count: 1 }\n');
    const apply = ['apply', 'infra/shop.yaml', '--env', 'prod', '--yes'];
    expect((await run(...apply, '--var-file', 'more.yaml')).code).toBe(0);
    await workspace.write('common.yaml', 'provider: demo\nprotect: false\nonFailure: keep\n');
    expect((await run(...apply)).code).toBe(0);

    const newest = await json('infra', 'source', 'shop');
    const paths = ({ files }: { files: { path: string }[] }) => files.map(({ path }) => path).sort();
    expect([newest.main, newest.environment, paths(newest)]).toEqual([
      'infra/shop.yaml',
      'prod',
      ['common.yaml', 'environments/prod.yaml', 'infra/shop.prod.yaml', 'infra/shop.yaml'],
    ]);
    expect((await run('infra', 'source', 'shop', '--number', '2', '--file', 'more.yaml')).stdout).toBe('vars: { count: 1 }\n');

    expect((await run('infra', 'source', 'shop', '--number', '2', '--out', 'before')).code).toBe(0);
    const written = Object.keys(FILES).map(async (path) => [path, await readFile(join(workspace.root, 'before', path), 'utf8')]);
    expect(Object.fromEntries(await Promise.all(written))).toEqual(FILES);
    const again = await run('infra', 'source', 'shop', '--out', 'before');
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('no file is overwritten')]);
    expect((await readdir(join(workspace.root, 'before'))).sort()).toEqual(['common.yaml', 'environments', 'infra', 'more.yaml']);
  });

  test('a former definition is applied again without them, and says so', { timeout: 120_000 }, async () => {
    expect((await run('infra', 'rollback', 'shop', '--to', '2', '--yes', '--allow-destroy')).code).toBe(0);
    const { code, stderr } = await run('infra', 'source', 'shop');
    expect([code, stderr]).toEqual([2, expect.stringContaining('it was applied without its files')]);
  });

  test('a request with a bundle of another definition is refused', async () => {
    const client = await engine.client();
    const first = (await client.infras.definitions({ workspace: 'default', infra: 'shop' })).at(-1);
    const request = await client.operations.request({ operation: first?.operation ?? 'none' });
    if (!request.definition) throw new Error('the request has no definition');
    const other = { ...request.definition, protect: true };
    const asked = { ...request, id: 'cluster-ensure-shop-other', definition: other };
    await expect(client.operations.submit({ request: asked })).rejects.toMatchObject({ details: { code: 'bad-bundle' } });
    const unknown = { ...request, id: 'cluster-ensure-shop-unknown', bundle: 'f'.repeat(64) };
    await expect(client.operations.submit({ request: unknown })).rejects.toMatchObject({ details: { code: 'unknown-bundle' } });
  });
});
