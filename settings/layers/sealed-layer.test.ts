import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { homeOf } from '../../home/home.js';
import { newSopsFile } from '../../sops/sops-file.js';
import { configProblemText } from '../config-error.js';
import { changeLayer } from '../edit/change-layer.js';
import { editLayer } from '../edit/edit-layer.js';
import { filesOf } from './layers.js';
import { lookAtConfig } from './resolve.js';

let folder: string;
let key: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sealed-layer-'));
  key = await generateIdentity();
  await mkdir(join(folder, 'home'));
  await mkdir(join(folder, 'ws/environments'), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const place = (keys: string | undefined = key) => ({
  home: homeOf({ PROVISIONING_HOME: join(folder, 'home') }),
  env: { ...(keys && { SOPS_AGE_KEY: keys }), EDITOR: 'true', XDG_CONFIG_HOME: folder },
  workspaceFolder: join(folder, 'ws'),
  environment: 'prod',
});
/** Writes a file with SOPS; with a rule, only the matching values are encrypted. */
async function seal(name: string, text: string, regex?: string) {
  const rule = regex === undefined ? undefined : ({ name: 'encrypted_regex', text: regex } as const);
  const made = await newSopsFile(name, Buffer.from(text), { recipients: [await identityToRecipient(key)], rule }, new Date());
  await writeFile(join(folder, name), made);
}
const look = async (keys?: string) => {
  const { settled, problems } = await lookAtConfig(place(keys));
  return { settled, texts: problems.map((one) => configProblemText(one).replaceAll(`${folder}/`, '')) };
};

describe('a layer that is a file of SOPS', () => {
  test.each([
    ['home/config.yaml', 'operation:\n    priority: 2\n', 2],
    ['home/config.json', '{ "operation": {\n "priority": 2 } }', 3],
    ['ws/environments/prod.yaml', 'config:\n    operation:\n        priority: 2\n', 3],
    ['ws/environments/prod.json', '{ "config": {\n "operation": { "priority": 2 } } }', 4],
  ])('%s says what was encrypted, and its values are hidden', async (name, text, line) => {
    await seal(name, text);
    expect(await readFile(join(folder, name), 'utf8')).not.toMatch(/priority"?: 2/);
    const { settled, texts } = await look();
    expect(texts.filter((one) => !one.includes('there is no environment'))).toEqual([]);
    expect(settled.get('operation.priority')).toMatchObject({ value: 2, key: { sensitive: true }, winner: { line } });
  });

  test('what is left legible in it is not hidden', async () => {
    await seal('ws/environments/prod.yaml', 'config:\n  operation:\n    priority: 2\n    onFailure: keep\n', '^priority$');
    const { settled, texts } = await look();
    expect(texts).toEqual([]);
    expect(settled.get('operation.priority')?.key.sensitive).toBe(true);
    expect(settled.get('operation.onFailure')).toMatchObject({ value: 'keep', key: { name: 'operation.onFailure' } });
    expect(settled.get('operation.onFailure')?.key.sensitive).toBeUndefined();
  });

  test('what becomes part of definitions cannot be encrypted', async () => {
    await seal('ws/environments/prod.yaml', 'config:\n    servers:\n        defaultPlan: large\n');
    expect((await look()).texts).toEqual([
      expect.stringMatching(
        /^ws\/environments\/prod.yaml:3:9: servers.defaultPlan: it is encrypted, and becomes part of definitions/,
      ),
    ]);
  });

  test('without a key, and after a change by anything else, one problem says so', async () => {
    await seal('ws/environments/prod.yaml', 'config:\n    operation:\n        priority: 2\n');
    expect((await look('')).texts).toEqual([expect.stringMatching(/^ws\/environments\/prod.yaml: there is no age key here/)]);
    const path = join(folder, 'ws/environments/prod.yaml');
    await writeFile(path, (await readFile(path, 'utf8')).replace('priority', 'priorities'));
    expect((await look()).texts).toEqual([expect.stringMatching(/^ws\/environments\/prod.yaml: .*changed by something/)]);
  });

  test('is read once there is a key, though it could not be before', async () => {
    await seal('home/config.yaml', 'operation:\n    priority: 2\n');
    // A recently written file is always read again.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect((await look('')).texts).toContainEqual(expect.stringMatching(/there is no age key here/));
    await mkdir(join(folder, 'sops/age'), { recursive: true });
    await writeFile(join(folder, 'sops/age/keys.txt'), key);
    expect((await look('')).settled.get('operation.priority')?.value).toBe(2);
  });

  test('that holds what no settings hold is told without quoting it', async () => {
    await seal('home/config.yaml', 'operation:\n    priority: "hunter2\\u0007"\n');
    const { texts } = await look();
    expect(texts).toContainEqual(expect.stringMatching(/^home\/config.yaml/));
    expect(texts.join()).not.toContain('hunter2');
  });

  test('is changed by the editor of encrypted files alone', async () => {
    await seal('home/config.yaml', 'operation:\n    priority: 2\n');
    const before = await readFile(join(folder, 'home/config.yaml'), 'utf8');
    const user = filesOf(place()).find(({ layer }) => layer === 'user');
    if (!user) throw new Error('there is a layer of the user');
    for (const work of [() => changeLayer(place(), 'user', 'operation.priority', 3), () => editLayer(place(), user)])
      await expect(work()).rejects.toMatchObject({
        details: { code: 'config-sealed', hint: expect.stringContaining('secret edit') },
      });
    expect(await readFile(join(folder, 'home/config.yaml'), 'utf8')).toBe(before);
  });
});
