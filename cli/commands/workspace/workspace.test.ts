import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WORKSPACE_TEMPLATES } from '../../../authoring/workspaces/templates.js';
import { unreachableError } from '../../../core/errors.js';
import { loadDefinition } from '../../../definition/load-definition.js';
import { registries } from '../../../definition/registries/registries.js';
import { chooseWorkspace } from '../../../home/workspaces/which.js';
import { commands } from '../../commands.js';
import { type FakeOptions, fakeSession } from '../../fake-session.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'provisioning-workspace-')));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Runs a command of the group. Returns its output and exit code, or throws its error. */
async function ws(verb: string, args: string[] = [], flags: Record<string, unknown> = {}, more: FakeOptions = {}) {
  const entry = commands.find(({ name }) => name === `workspace ${verb}`);
  if (!entry) throw new Error(`no command ${verb}`);
  const session = fakeSession({ root: join(root, 'home'), ...more });
  const exitCode = await (await entry.load()).command.run(session, { args, flags: flags as never, rest: [] });
  return { exitCode, said: session.said(), complained: session.complained() };
}

const init = (name: string, flags = {}) => ws('init', [name], { path: join(root, name), ...flags });
const active = () => chooseWorkspace({ home: fakeSession({ root: join(root, 'home') }).home, env: {}, cwd: root });
const failing = (code: string) => expect.objectContaining({ details: expect.objectContaining({ code }) });
const none = { 'infras.list': async () => [] };

describe('workspace init', () => {
  test.each(WORKSPACE_TEMPLATES)(
    '%s: a definition that validates, nothing beside it, and nothing of secrets in Git',
    async (template) => {
      const { said } = await init('shop', { template });
      expect(said).toContain('provisioning apply infra/shop.yaml --check');
      const loaded = await loadDefinition(join(root, 'shop/infra/shop.yaml'), {
        workspace: 'shop',
        registries: await registries(),
        secretNames: new Set<string>(),
      });
      expect(loaded.problems).toEqual([]);
      expect(loaded.definition?.infra).toBe('shop');
      expect(readFileSync(join(root, 'shop/.gitignore'), 'utf8')).toContain('*.plan');
      expect(JSON.parse((await ws('list', [], {}, { json: true })).said).workspaces).toMatchObject([
        { workspace: 'shop', folder: join(root, 'shop'), active: false },
      ]);
    },
  );

  test('is refused where something is, or has the name, and leaves nothing behind', async () => {
    mkdirSync(join(root, 'full'));
    writeFileSync(join(root, 'full/notes'), '');
    await expect(init('full')).rejects.toEqual(failing('folder-not-empty'));
    await init('shop');
    await expect(ws('init', ['shop'], { path: join(root, 'other') })).rejects.toEqual(failing('workspace-name-taken'));
    await expect(init('Shop')).rejects.toEqual(failing('workspace-name'));
    await expect(ws('init', ['deep'], { path: join(root, 'no/such/deep') })).resolves.toMatchObject({ exitCode: 0 });
    await expect(ws('init', ['below'], { path: join(root, 'full/notes/below') })).rejects.toEqual(failing('folder-not-writable'));
    expect([existsSync(join(root, 'other')), existsSync(join(root, 'Shop'))]).toEqual([false, false]);
  });
});

describe('one that was moved', () => {
  test('is reported with what to do, and registered where it is now', async () => {
    await init('shop');
    await ws('switch', ['shop']);
    expect(active()).toMatchObject({ name: 'shop', by: 'active' });
    renameSync(join(root, 'shop'), join(root, 'moved'));
    const { said, complained } = await ws('list');
    expect(said).toContain(`${join(root, 'shop')} is gone, or has no provisioning.yaml`);
    expect(complained).toContain('provisioning workspace register FOLDER');
    await expect(ws('switch', ['shop'])).rejects.toEqual(failing('workspace-folder-gone'));
    expect((await ws('register', [join(root, 'moved')])).said).toBe(
      `registered: shop (${join(root, 'moved')}), which was in ${join(root, 'shop')}\n`,
    );
    expect(active()).toMatchObject({ name: 'shop', registered: { folder: join(root, 'moved') } });
  });
});

describe('workspace register', () => {
  test('refuses a second folder of a name, a second name of a folder, and what is no workspace', async () => {
    await init('shop');
    mkdirSync(join(root, 'copy'));
    writeFileSync(join(root, 'copy/provisioning.yaml'), 'name: shop\n');
    await expect(ws('register', [join(root, 'copy')])).rejects.toEqual(failing('workspace-name-taken'));
    writeFileSync(join(root, 'shop/provisioning.yaml'), 'name: other\n');
    await expect(ws('register', [join(root, 'shop')])).rejects.toEqual(failing('workspace-folder-registered'));
    await expect(ws('register', [root])).rejects.toEqual(failing('not-a-workspace'));
    writeFileSync(join(root, 'copy/provisioning.yaml'), 'nam: shop\n');
    await expect(ws('register', [join(root, 'copy')])).rejects.toMatchObject({
      problems: expect.arrayContaining([expect.objectContaining({ line: 1, path: 'nam' })]),
    });
  });
});

describe('workspace rename', () => {
  test('keeps comments, the folder and the mark of the active one', async () => {
    await init('shop');
    await ws('switch', ['shop']);
    await ws('rename', ['shop', 'store'], {}, { client: none });
    expect(readFileSync(join(root, 'shop/provisioning.yaml'), 'utf8')).toMatch(/^# Makes this folder .*\nname: store\n$/);
    expect(active()).toMatchObject({ name: 'store', registered: { folder: join(root, 'shop') } });
    expect((await ws('doctor', [], {}, { client: none })).exitCode).toBe(0);
  });

  test('is refused where it has infras, or nobody can say', async () => {
    await init('shop');
    const has = { 'infras.list': async () => ['web'] };
    await expect(ws('rename', ['shop', 'store'], {}, { client: has })).rejects.toEqual(failing('workspace-in-use'));
    const down = {
      'infras.list': async () => {
        throw unreachableError({ code: 'engine-not-running', what: 'find the engine', why: 'none runs' });
      },
    };
    await expect(ws('rename', ['shop', 'store'], {}, { client: down })).rejects.toThrow(
      'cannot tell whether the workspace has infras: none runs',
    );
    await expect(ws('rename', ['shopp', 'store'], {}, { client: none })).rejects.toMatchObject({
      details: { code: 'unknown-workspace', hint: 'did you mean "shop"?' },
    });
    expect(readFileSync(join(root, 'shop/provisioning.yaml'), 'utf8')).toContain('name: shop\n');
  });
});

describe('workspace remove', () => {
  test('forgets where it is; files stay, and it can be registered again', async () => {
    await init('shop');
    await ws('switch', ['shop']);
    expect((await ws('remove', ['shop'])).said).toContain('is still there');
    expect(active()).toEqual({ name: 'default', by: 'default' });
    expect(existsSync(join(root, 'shop/infra/shop.yaml'))).toBe(true);
    await ws('register', [join(root, 'shop')]);
    expect((await ws('list')).said).toContain(join(root, 'shop'));
  });
});

describe('workspace doctor', () => {
  test('names what is wrong with definitions, and infras that no file defines', async () => {
    await init('shop');
    writeFileSync(join(root, 'shop/infra/twin.yaml'), 'infra: shop\nprovider: demo\nservers:\n  - name: web\n');
    writeFileSync(join(root, 'shop/infra/bad.yaml'), 'infra: bad\nprovider: demoo\nservers:\n  - name: web\n');
    const client = { 'infras.list': async () => ['shop', 'lost'] };
    const { said, exitCode } = await ws('doctor', ['shop'], {}, { client, json: true });
    expect(exitCode).toBe(1);
    const findings: { is: string; about: string; text: string }[] = JSON.parse(said).workspaces[0].findings;
    const wrong = findings.filter(({ is }) => is === 'wrong').map(({ about, text }) => [about, text]);
    expect(wrong).toEqual([
      [join(root, 'shop/infra/bad.yaml'), expect.stringContaining('bad.yaml:2:11')],
      ['shop', expect.stringContaining('define this infra')],
      ['lost', 'the engine has this infra, and no file in infra/ defines it'],
    ]);
  });
});
