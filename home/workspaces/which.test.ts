import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { homeOf } from '../home.js';
import { activate, allRegistered, findRegisteredWorkspace, noteUse, register, registerMoved, unregister } from './registry.js';
import { chooseWorkspace } from './which.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'provisioning-workspaces-')));
});
afterEach(() => rmSync(root, { recursive: true }));

const home = () => homeOf({ PROVISIONING_HOME: join(root, 'home') });
const folder = (name: string): string => {
  mkdirSync(join(root, name, 'infra'), { recursive: true });
  writeFileSync(join(root, name, 'provisioning.yaml'), `name: ${name}\n`);
  return join(root, name);
};
const choose = (cwd: string, env = {}, named?: string) => chooseWorkspace({ home: home(), env, cwd }, named);

describe('the workspace to act in', () => {
  test('is the one that is named, then that of the environment, of the folder, the active one, the default', () => {
    const shop = folder('shop');
    folder('store');
    register(home(), 'shop', shop);
    register(home(), 'store', join(root, 'store'));
    expect(choose(root)).toEqual({ name: 'default', by: 'default' });
    activate(home(), 'store');
    expect(choose(root)).toMatchObject({ name: 'store', by: 'active', registered: { folder: join(root, 'store') } });
    expect(choose(join(shop, 'infra'))).toMatchObject({ name: 'shop', by: 'folder', registered: { folder: shop } });
    const env = { PROVISIONING_WORKSPACE: 'blog' };
    expect(choose(shop, env)).toEqual({ name: 'blog', by: 'environment' });
    expect(choose(shop, env, 'store')).toMatchObject({ name: 'store', by: 'option', registered: { name: 'store' } });
  });

  test('is no folder that nobody has registered', () => {
    const clone = folder('clone');
    activate(home(), 'other');
    expect(() => choose(join(clone, 'infra'))).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ code: 'workspace-not-registered', on: clone }) }),
    );
  });

  test('is the nearest of several folders', () => {
    register(home(), 'outer', folder('outer'));
    const inner = folder('outer/inner');
    expect(() => choose(inner)).toThrow('is not registered on this machine');
    register(home(), 'inner', inner);
    expect(choose(join(inner, 'infra')).name).toBe('inner');
    expect(choose(join(root, 'outer', 'infra')).name).toBe('outer');
  });

  test.runIf(process.getuid?.() === 0)('is not said by a file that another user put above the folder', () => {
    const planted = folder('planted');
    chownSync(join(planted, 'provisioning.yaml'), 12_345, 12_345);
    expect(choose(join(planted, 'infra'))).toEqual({ name: 'default', by: 'default' });
    register(home(), 'planted', planted);
    expect(choose(join(planted, 'infra')).name).toBe('planted');
  });

  test('is not an active one whose folder is gone', () => {
    const shop = folder('shop');
    register(home(), 'shop', shop);
    activate(home(), 'shop');
    rmSync(shop, { recursive: true });
    expect(() => choose(root)).toThrow(`it is the active workspace, and is not in ${shop} any more`);
    unregister(home(), 'shop');
    expect(choose(root).name).toBe('default');
  });

  test.each(['Shop', '../shop', 'a/b', '-a', ''])('is not called %j', (name) => {
    expect(() => choose(root, {}, name)).toThrow('use lower-case letters');
  });
});

describe('the registry', () => {
  test('gives a name to one folder', () => {
    expect(register(home(), 'shop', '/srv/a')).toBe(true);
    expect(register(home(), 'shop', '/srv/b')).toBe(false);
    expect(findRegisteredWorkspace(home(), 'shop')?.folder).toBe('/srv/a');
    registerMoved(home(), 'shop', '/srv/b');
    expect(allRegistered(home()).map(({ name, folder: at }) => [name, at])).toEqual([['shop', '/srv/b']]);
  });

  test('notes the last use, once a minute', () => {
    register(home(), 'shop', '/srv/a');
    const file = join(home().workspaces, 'shop.json');
    utimesSync(file, 1_000, 1_000);
    const first = findRegisteredWorkspace(home(), 'shop');
    if (!first) throw new Error('it is registered');
    noteUse(home(), first, 1_030_000);
    expect(statSync(file).mtimeMs).toBe(1_000_000);
    noteUse(home(), first, 1_090_000);
    expect(findRegisteredWorkspace(home(), 'shop')?.lastUsed).toBe('1970-01-01T00:18:10.000Z');
  });

  test('passes over what a crash left', () => {
    register(home(), 'shop', '/srv/a');
    writeFileSync(join(home().workspaces, 'broken.json'), '');
    expect(allRegistered(home()).map(({ name }) => name)).toEqual(['shop']);
    expect(findRegisteredWorkspace(home(), 'broken')).toBeUndefined();
  });
});
