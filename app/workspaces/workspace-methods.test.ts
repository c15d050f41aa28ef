import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clientOver } from '../../client/client.js';
import { homeOf } from '../../home/home.js';
import { activate, activeName } from '../../home/workspaces/registry.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner, type Principal } from '../principal.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'workspace-methods-')));
});
afterEach(() => rmSync(root, { recursive: true }));

const home = () => homeOf({ PROVISIONING_HOME: join(root, 'home') });
const failure = (code: string) => ({ details: expect.objectContaining({ code }) });

/** A folder with the file of a workspace. */
function folderOf(name: string, text = `# ours\nname: ${name}\n`): string {
  const folder = join(root, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'provisioning.yaml'), text);
  return folder;
}

/** @param has infras, as Temporal lists them, and secrets of the workspace shop */
function workspacesOf({ infras = [] as string[], secrets = [] as string[] } = {}, principal: Principal = createOwner('ann@desk')) {
  const executions = infras.map((infra) => ({
    execution: { workflowId: `infra/shop/${infra}`, runId: 'r' },
    type: { name: 'infra' },
    ...{ status: 1, startTime: msToTs(1_000), taskQueue: 'q', historyLength: msToTs(1_000).seconds, searchAttributes: {} },
  }));
  const engine = {
    temporal: {
      options: { namespace: 'n', loadedDataConverter: undefined },
      workflowService: {
        listWorkflowExecutions: async ({ query }: { query: string }) => ({ executions: /'shop'/.test(query) ? executions : [] }),
      },
    },
    stores: { secrets: { listScoped: async (of: string) => (of === 'shop' ? secrets.map((name) => ({ name })) : []) } },
    beside: { home: home(), env: {} },
  } as unknown as Engine;
  return clientOver({ ...createDispatcher({ engine, principal, checksAnswers: true }), close: async () => {} }).workspaces;
}

test('a folder is registered by its name, shown, found again where it was moved, and removed', async () => {
  const workspaces = workspacesOf();
  const folder = folderOf('shop');
  expect(await workspaces.register({ workspace: 'shop', folder })).toMatchObject({ name: 'shop', folder });
  expect(await workspaces.get({ workspace: 'shop' })).toMatchObject({ name: 'shop', folder, infras: [], active: false });
  renameSync(folder, `${folder}-2`);
  expect(await workspaces.get({ workspace: 'shop' })).toMatchObject({ trouble: { why: expect.stringContaining('is gone') } });
  expect(await workspaces.register({ workspace: 'shop', folder: `${folder}-2` })).toMatchObject({ movedFrom: folder });
  expect(await workspaces.remove({ workspace: 'shop' })).toEqual({ name: 'shop', folder: `${folder}-2` });
  expect(existsSync(`${folder}-2/provisioning.yaml`)).toBe(true);
  await expect(workspaces.get({ workspace: 'shop' })).rejects.toMatchObject(failure('unknown-workspace'));
});

test('a workspace without a folder is shown with its infras', async () => {
  const shown = await workspacesOf({ infras: ['web', 'db'] }).get({ workspace: 'shop' });
  expect(shown).toEqual({ name: 'shop', infras: ['db', 'web'], active: false });
});

test('the name of the file is the name that the caller has a right to', async () => {
  const folder = folderOf('prod');
  const may: Principal['may'] = (_, { workspace }) => workspace === 'shop';
  const workspaces = workspacesOf({}, { actor: 'eve@desk', may });
  await expect(workspaces.register({ workspace: 'shop', folder })).rejects.toMatchObject(failure('workspace-name'));
  await expect(workspaces.register({ workspace: 'prod', folder })).rejects.toMatchObject(failure('unknown-workspace'));
  await expect(workspaces.remove({ workspace: 'prod' })).rejects.toMatchObject(failure('unknown-workspace'));
  await expect(workspacesOf().get({ workspace: 'prod' })).rejects.toMatchObject(failure('unknown-workspace'));
});

test.each([
  ['not-a-workspace', '/', 'shop'],
  ['bad-request', 'shop', 'shop'],
  ['bad-definition', 'broken', 'shop'],
])('%s: %s is not registered', async (code, folder, workspace) => {
  folderOf('broken', 'name: 7\n');
  const path = folder === 'broken' ? join(root, folder) : folder;
  await expect(workspacesOf().register({ workspace, folder: path })).rejects.toMatchObject(failure(code));
});

test('a workspace is renamed in its file and stays active, unless something is stored under its name', async () => {
  const folder = folderOf('shop');
  await workspacesOf().register({ workspace: 'shop', folder });
  activate(home(), 'shop');
  const rename = { workspace: 'shop', to: 'store' };
  await expect(workspacesOf({ infras: ['web'] }).rename(rename)).rejects.toMatchObject(failure('workspace-in-use'));
  await expect(workspacesOf({ secrets: ['token'] }).rename(rename)).rejects.toMatchObject(failure('workspace-in-use'));
  await expect(workspacesOf().rename({ ...rename, to: 'Ü' })).rejects.toMatchObject(failure('workspace-name'));
  expect(readFileSync(join(folder, 'provisioning.yaml'), 'utf8')).toBe('# ours\nname: shop\n');
  expect(await workspacesOf().rename(rename)).toMatchObject({ name: 'store', folder });
  expect(readFileSync(join(folder, 'provisioning.yaml'), 'utf8')).toBe('# ours\nname: store\n');
  expect(activeName(home())).toBe('store');
  await expect(workspacesOf().rename(rename)).rejects.toMatchObject(failure('unknown-workspace'));
});
