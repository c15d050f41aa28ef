import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { requestOf } from '../support/operations.js';
import { type TestWorkspace, workspaceOf } from '../support/workspace.js';

const GREETING = `
import { defineTaskserv, ensureFile, ensureNoFile, file, line } from 'provisioning/sdk';
import { path } from '../../lib/path.js';
import * as z from 'zod';
export default defineTaskserv({
  name: 'greeting', category: 'system', description: 'Says something.',
  versions: { default: '1', supported: ['1'], source: 'debian' },
  config: z.strictObject({ words: line().describe('What it says') }),
  facts: () => ({ page: file(path) }),
  installed: (found) => (found.page.exists ? '1' : undefined),
  plan: ({ words }, found) => ensureFile(found.page, { content: words + '\\n' }),
  health: () => [{ title: 'it is there', command: 'test -f ' + path }],
  remove: (_, found) => ensureNoFile(found.page),
});
`;
const definition = (words: string) => `infra: shop
provider: demo
servers: [{ name: web }]
taskservs:
  - { name: greeting, config: { words: ${words} } }
`;

describe('a taskserv of a workspace', () => {
  let engine: TestEngine;
  let workspace: TestWorkspace;
  const run: TestWorkspace['run'] = (...args) => workspace.run(...args);
  const json: TestWorkspace['json'] = (...args) => workspace.json(...args);
  const inventory = async () => (await engine.client()).infras.inventory({ workspace: 'default', infra: 'shop' });

  beforeAll(async () => {
    engine = await startTestEngine();
    workspace = await workspaceOf(engine, {
      'infra/shop.yaml': definition('hello'),
      'lib/path.ts': "export const path = '/etc/greeting';\n",
      'taskservs/greeting/greeting.ts': GREETING,
      'taskservs/unused.ts': 'no module\n',
    });
  });
  afterAll(async () => {
    await engine?.stop();
    await workspace?.remove();
  });

  test('is listed and described like any other', async () => {
    const listed = await run('taskserv', 'list', '--available', '--json');
    const { taskservs } = JSON.parse(listed.stdout);
    const origins = Object.fromEntries(taskservs.map(({ name, origin }: Record<string, string>) => [name, origin]));
    expect(origins).toMatchObject({ greeting: 'workspace', nginx: 'platform' });
    // A module that cannot be read causes a warning and does not block other modules.
    expect([origins.unused, listed.stderr]).toEqual([undefined, expect.stringContaining('taskservs/unused.ts:1')]);
    const { fields } = await json('taskserv', 'show', 'greeting');
    expect(fields).toMatchObject([{ path: 'words', description: 'What it says' }]);
    expect((await run('validate', 'infra/shop.yaml')).code).toBe(0);
    await workspace.write('infra/wrong.yaml', definition('hello').replace('words:', 'wrds:'));
    const { code, stdout } = await run('validate', 'infra/wrong.yaml');
    expect([code, stdout]).toEqual([
      2,
      expect.stringMatching(/infra\/wrong.yaml:5:\d+: .*unknown key "wrds"; did you mean "words"/),
    ]);
  });

  test('is previewed, installed, and there is nothing to do then', { timeout: 120_000 }, async () => {
    const preview = await run('apply', 'infra/shop.yaml', '--check');
    expect([preview.code, preview.stdout]).toEqual([0, expect.stringContaining('Write /etc/greeting')]);
    const applied = await run('apply', 'infra/shop.yaml', '--yes');
    expect([applied.code, applied.stderr]).toEqual([0, expect.stringMatching(/^operation \S+\n$/)]);
    const again = await json('apply', 'infra/shop.yaml', '--yes');
    expect([again.status, again.steps]).toEqual(['done', { executed: 0, planned: 0 }]);
    expect((await inventory())?.servers.web?.services.greeting).toMatchObject({
      taskserv: 'greeting',
      module: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const { files } = await json('infra', 'source', 'shop');
    const paths = files.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(expect.arrayContaining(['taskservs/greeting/greeting.ts', 'lib/path.ts', 'infra/shop.yaml']));
  });

  test('is changed by its code as well as by its configuration', { timeout: 120_000 }, async () => {
    await workspace.write('taskservs/greeting/greeting.ts', GREETING.replace("words + '", "words + '!"));
    expect((await run('apply', 'infra/shop.yaml', '--check')).stdout).toContain('Write /etc/greeting');
    expect((await run('apply', 'infra/shop.yaml', '--yes')).code).toBe(0);
    await workspace.write('infra/shop.yaml', definition('bye'));
    expect((await run('apply', 'infra/shop.yaml', '--yes')).code).toBe(0);
    expect((await json('apply', 'infra/shop.yaml', '--yes')).steps).toEqual({ executed: 0, planned: 0 });
  });

  test('whose file is broken is one problem with its place, and nothing is asked for', async () => {
    await workspace.write('taskservs/greeting/greeting.ts', GREETING.replace('line()', 'line('));
    const { code, stderr } = await run('apply', 'infra/shop.yaml', '--yes');
    expect([code, stderr]).toEqual([2, expect.stringContaining('taskservs/greeting/greeting.ts:8')]);
    await workspace.write('taskservs/greeting/greeting.ts', GREETING);
  });

  test('of one workspace cannot be used by another that knows its address', async () => {
    const known = (await inventory())?.definition;
    if (!known) throw new Error('nothing was applied');
    const client = await engine.client();
    const stolen = { ...structuredClone(known), workspace: 'other' };
    const request = requestOf({ infra: 'shop', workspace: 'other', definition: stolen, check: true } as Parameters<
      typeof requestOf
    >[0]);
    const { operation } = await client.operations.submit({ request });
    const { status, error } = await client.operations.result({ operation });
    expect([status, JSON.stringify(error)]).toEqual(['failed', expect.stringContaining('module-missing')]);
  });

  test('is removed with the code that installed it, which the folder no longer has', { timeout: 120_000 }, async () => {
    await rm(join(workspace.root, 'taskservs'), { recursive: true });
    const gone = await run('apply', 'infra/shop.yaml', '--yes');
    expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining('unknown taskserv "greeting"')]);
    const { code, stderr } = await run('taskserv', 'delete', 'greeting', '--infra', 'shop', '--yes');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^operation \S+\n$/)]);
    expect((await inventory())?.servers.web?.services).toEqual({});
  });
});
