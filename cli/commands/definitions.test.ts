import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runLine } from '../fake-run.js';
import type { FakeOptions } from '../fake-session.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'definitions-'));
});
afterEach(() => rm(folder, { recursive: true }));

const at = (name: string) => join(folder, name);
const run = (line: string, options: FakeOptions = {}) => runLine(line.replaceAll('ROOT', folder), { root: at('home'), ...options });

test('fmt writes what is written otherwise, and says which; --check only says it', async () => {
  await writeFile(at('a.yaml'), 'servers: [{name: a}]\ninfra: x # mine\n');
  await writeFile(at('b.yaml'), 'infra: y\n');
  expect(await run('fmt ROOT/a.yaml ROOT/b.yaml --check')).toMatchObject({ code: 1, out: `${at('a.yaml')}\n` });
  expect(await readFile(at('a.yaml'), 'utf8')).toBe('servers: [{name: a}]\ninfra: x # mine\n');
  expect(await run('fmt ROOT/a.yaml ROOT/b.yaml')).toMatchObject({ code: 0, out: `${at('a.yaml')}\n` });
  expect(await readFile(at('a.yaml'), 'utf8')).toBe('infra: x # mine\nservers: [{ name: a }]\n');
  expect(await run('fmt ROOT/a.yaml ROOT/b.yaml --check')).toMatchObject({ code: 0, out: '' });
});

test('fmt writes nothing where one of the files cannot be read', async () => {
  await writeFile(at('a.yaml'), 'infra:   x\n');
  await writeFile(at('b.yaml'), 'infra: [\n');
  const { code, err } = await run('fmt ROOT/a.yaml ROOT/b.yaml');
  expect([code, err]).toEqual([2, expect.stringContaining('b.yaml')]);
  expect(await readFile(at('a.yaml'), 'utf8')).toBe('infra:   x\n');
});

test('convert prints the other format', async () => {
  await writeFile(at('a.yaml'), 'infra: x # comment\n');
  expect(await run('convert ROOT/a.yaml')).toMatchObject({ code: 0, out: '{\n  "infra": "x"\n}\n' });
  expect(await run('convert ROOT/a.yaml --to yaml')).toMatchObject({ code: 0, out: 'infra: x\n' });
  expect(await run('convert ROOT/a.yaml --to toml')).toMatchObject({ code: 0, out: 'infra = "x"\n' });
  expect(await run('convert ROOT/a.yaml --to xml')).toMatchObject({ code: 2 });
  await writeFile(at('null.yaml'), 'infra: null\n');
  expect(await run('convert ROOT/null.yaml --to toml --json')).toMatchObject({
    code: 2,
    out: expect.stringContaining('not-in-toml'),
  });
});

test('TOML is formatted and converted', async () => {
  await writeFile(at('a.toml'), '[[servers]]\n  name="a"\n# mine\n');
  expect(await run('fmt ROOT/a.toml')).toMatchObject({ code: 0, out: `${at('a.toml')}\n` });
  expect(await readFile(at('a.toml'), 'utf8')).toBe('[[servers]]\nname = "a"\n# mine\n');
  expect(await run('convert ROOT/a.toml --to yaml')).toMatchObject({ code: 0, out: 'servers:\n  - name: a\n' });
});

test('a definition is read with its environment and its variables, also by the methods of --file', async () => {
  const variables = 'vars: { size: { type: string, description: How large } }\n';
  await writeFile(at('shop.yaml'), `${variables}infra: shop\nservers: [{ name: web, provider: demo, plan: "{{ vars.size }}" }]\n`);
  await writeFile(at('shop.prod.yaml'), 'servers: [{ name: web, taskservs: [redis] }]\n');
  expect(await run('validate ROOT/shop.yaml')).toMatchObject({
    code: 2,
    out: expect.stringContaining('the variable "size" has no value'),
  });
  expect(await run('validate ROOT/shop.yaml --var size=small')).toMatchObject({
    code: 0,
    out: expect.stringContaining('taskservs on them: 0'),
  });
  const prod = { env: { PROVISIONING_ENV: 'prod' } };
  expect(await run('validate ROOT/shop.yaml --var size=small', prod)).toMatchObject({
    code: 0,
    out: expect.stringContaining('taskservs on them: 1'),
  });
  expect(await run('graph ROOT/shop.yaml --env prod --var size=large')).toMatchObject({
    code: 0,
    out: expect.stringContaining('["redis"]'),
  });
  const asked = await run('validate ROOT/shop.yaml', { interactive: true, answers: ['medium'] });
  expect([asked.code, asked.session.asked]).toEqual([0, ['How large (size)']]);
  const { code, err } = await run('server create --file ROOT/shop.yaml --env prdo --yes');
  expect([code, err]).toEqual([2, expect.stringContaining('did you mean "prod"?')]);
  const json = await run('apply ROOT/shop.yaml --env prdo --yes --json');
  expect(JSON.parse(json.out)).toMatchObject({ error: { code: 'environment-unknown' } });
});
