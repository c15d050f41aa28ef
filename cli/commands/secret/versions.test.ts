import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Decrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSecrets } from '../../../stores/open-secrets.js';
import type { SecretStore } from '../../../stores/secrets.js';
import { runLine } from '../../fake-run.js';
import { type FakeOptions, fakeSession } from '../../fake-session.js';

let root: string;
let store: SecretStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'versions-'));
  store = (await openSecrets(fakeSession({ root }).home, {})).secrets;
});
afterEach(() => rm(root, { recursive: true }));

const run = (line: string, options: FakeOptions = {}) => runLine(line, { root, ...options });
const own = () => store.within({ workspace: 'default' });
const names = async () => (await store.listScoped('default')).map(({ name }) => name);
const TIME = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ';

describe('versions', () => {
  test('are listed with who made them, and one is used again', async () => {
    for (const value of ['one', 'two']) await run('secret set pw', { stdin: value });
    const listed = await run('secret history pw');
    expect(listed.out).toMatch(
      new RegExp(`^#.*\\n2 +in use +${TIME} +ann@desk +secret set\\n1 +former +${TIME} +ann@desk +secret set\\n$`),
    );
    expect((await run('secret rollback pw --to 1')).out).toBe('rolled back: pw (workspace default) to 1, now version 3\n');
    expect(await own().get('pw')).toBe('one');
    const { versions } = JSON.parse((await run('secret history pw --json')).out);
    expect(versions[0]).toEqual({ version: 3, at: expect.any(String), by: 'ann@desk', how: 'rolled back to 1' });
    for (const line of ['secret history pw', 'secret history pw --json']) expect((await run(line)).out).not.toMatch(/one|two/);
  });

  test.each([
    ['rollback pw --to 7', 'cannot roll back the secret: pw: version 7 is not stored; stored versions: 1'],
    ['rollback pw', 'the version is missing'],
    ['rollback other --to 1', 'cannot find the secret: other: the secret is not set for workspace default'],
    ['history pw --shared', 'provisioning secret history pw'],
    ['usage gone', 'the secret is not set'],
    ['access gone', 'the secret is not set'],
    ['rotate gone --yes', 'the secret is not set'],
  ])('secret %s: %s', async (line, why) => {
    await run('secret set pw', { stdin: 'one' });
    const { code, out, err } = await run(`secret ${line}`);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(why)]);
  });

  test('of another workspace are not told of, and neither is what was generated for it', async () => {
    const name = 'generated/default/shop/redis.password';
    await store.ensureGenerated(name);
    await run('secret set pw', { stdin: 'one' });
    for (const verb of ['history', 'access', 'rollback', 'usage', 'rotate']) {
      for (const secret of ['pw', name]) {
        const line = `secret ${verb} ${secret}${verb === 'rollback' ? ' --to 1' : ''}`;
        const { code, out } = await run(line, { workspace: 'other', stdin: 'x' });
        expect([line, code, out]).toEqual([line, 2, '']);
      }
    }
  });
});

test('who was given a secret is listed, people among them, and of one that is deleted too', async () => {
  await run('secret set pw', { stdin: 'one' });
  expect((await run('secret access pw')).out).toBe('never read\n');
  await run('secret get pw');
  await own().noteRead('pw', {
    at: '2026-01-05T08:00:00.000Z',
    by: 'cluster-ensure-shop-1',
    how: 'operation',
    host: 'web-1',
    infra: 'shop',
  });
  await run('secret get pw --reveal');
  await run('secret delete pw --yes');
  const { out } = await run('secret access pw');
  const rows = out.split('\n').map((line) => line.split(/ {2,}/));
  expect(rows.slice(1, 3)).toEqual([
    [expect.any(String), 'ann@desk', 'secret get'],
    ['2026-01-05T08:00:00Z', 'cluster-ensure-shop-1', 'operation', 'shop', 'web-1'],
  ]);
  expect(JSON.parse((await run('secret access pw --json')).out).reads).toHaveLength(2);
});

describe('import and export', () => {
  const NASTY = 'it\'s "q" \\ $HOME `x` #1\nline two\r\n \u001b[1m';
  const imported = async (text: string, line: string) => run(`secret import - ${line}`, { stdin: text });

  test.each(['dotenv', 'json', 'yaml'])('what is exported as %s is imported as it was', async (format) => {
    const values = { plain: 'abc', nasty: NASTY, number: '0123', truth: 'yes', 'A_B.c-d': ' spaces ' };
    for (const [name, value] of Object.entries(values)) await own().set(name, value);
    const { code, out } = await run(`secret export --reveal --format ${format}`);
    expect(code).toBe(0);
    for (const name of Object.keys(values)) await own().delete(name);
    expect((await imported(out, `--format ${format}`)).code).toBe(0);
    for (const [name, value] of Object.entries(values)) expect([name, await own().get(name)]).toEqual([name, value]);
    expect((await own().reads('nasty')).map(({ how }) => how)).toEqual(['secret export']);
  });

  test('encrypted ones are for the owner of the age key', async () => {
    await own().set('pw', 'hunter2');
    const identity = await generateIdentity();
    const { out } = await run(`secret export --recipient ${await identityToRecipient(identity)}`);
    expect(out).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----/);
    const { armor } = await import('age-encryption');
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    expect(await decrypter.decrypt(armor.decode(out), 'text')).toBe('pw: "hunter2"\n');
  });

  test('names are shown, values never; what is there is overwritten on a yes only', async () => {
    await own().set('same', 'one');
    await own().set('other', 'former');
    const text = 'same: one\nother: hunter2\ndb: { password: hunter2 }\n';
    const lines = 'same    same (workspace default)\nchanged other (workspace default)\nnew     db/password (workspace default)\n';
    expect((await imported(text, '--format yaml --check')).out).toBe(`${lines}Nothing was changed.\n`);
    expect((await imported(text, '--format yaml')).err).toContain('cannot overwrite other: -: it needs a confirmation');
    const no = await run('secret import - --format yaml', { stdin: text, interactive: true, answers: [false] });
    expect([no.code, no.session.asked[0]]).toEqual([5, `${lines}Set them? 1 existing secrets get another value.`]);
    expect(await names()).toEqual(['other', 'same']);
    expect((await imported(text, '--format yaml --yes')).out).toBe(lines);
    expect([await own().get('db/password'), (await own().history('same')).length]).toEqual(['hunter2', 1]);
    expect((await own().history('other'))[0]).toMatchObject({ version: 2, how: 'secret import' });
  });

  test('a name without a value is left out of a dotenv file, and said', async () => {
    const { code, out } = await imported('A=1\nEMPTY=\nQUOTED=""\n', '--format dotenv --yes');
    const left = ['EMPTY', 'QUOTED'].map((name) => `empty   ${name}: left out, a secret has a value\n`).join('');
    expect([code, out, await names()]).toEqual([0, `new     A (workspace default)\n${left}`, ['A']]);
  });

  test.each([
    [
      'dotenv',
      'A=1\nhunter2 is it\nB="open\n',
      ['2:1: write each entry as NAME=value', '3:1: the quote at its beginning is not closed'],
    ],
    ['dotenv', "A='1' hunter2\nA=2\n", ['1:1: something follows the closing quote', '2:1: A: it is given twice']],
    ['json', '{"a": "hunter2",', ['it is no JSON from here on']],
    ['json', '["hunter2"]', ['it is not a map of names to values']],
    [
      'yaml',
      'a: [hunter2]\nb: 5\n".x": hunter2\nc: ""\n',
      [
        '1:4: a: each value must be a text',
        '2:4: b: each value must be a text; put it in quotes',
        '.x: a name consists of letters',
        'c: it is empty',
      ],
    ],
    ['yaml', '{}', ['it has no secrets']],
  ])('bad %s %j is told with its place, nothing of its values, and nothing is set', async (format, text, messages) => {
    const { code, err } = await imported(text, `--format ${format} --yes`);
    expect(code).toBe(2);
    for (const message of messages) expect(err).toContain(message);
    expect(err).not.toContain('hunter2');
    expect(await names()).toEqual([]);
  });

  test.each([
    ['import .envrc', 'the name of the file does not show its format'],
    ['import gone.yaml', 'no such file'],
    ['import folder.yaml', 'larger than 1 MiB, or is not a regular file'],
    ['import -', 'standard input has no file name'],
    ['import generated.yaml', 'its definition generates this secret'],
    ['export', 'values are printed with --reveal'],
    ['export --recipient age1nonsense', 'cannot encrypt for the age key'],
    ['export --reveal --infra a --shared', 'exclude each other'],
  ])('secret %s is refused: %s', async (line, why) => {
    await writeFile(join(root, 'generated.yaml'), 'generated: { default: { shop: { x: y } } }\n');
    await import('node:fs/promises').then(({ mkdir }) => mkdir(join(root, 'folder.yaml')));
    const { code, out, err } = await run(`secret ${line}`);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(why)]);
  });
});
