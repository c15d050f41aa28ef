import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noEngine } from '../../../test/support/home-secrets.js';
import { runLine } from '../../fake-run.js';

const PASSPHRASE = 'four random words here';
let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'key-'));
});
afterEach(() => rm(place, { recursive: true, force: true }));

const at = (name: string) => join(place, name);
const run = (line: string, stdin = '', machine = 'one') =>
  runLine(line, { root: at('home'), stdin, env: { XDG_STATE_HOME: at(machine) }, connect: noEngine });
/** Returns the keys as seen by a program that has not unwrapped any yet. */
const statusOn = async (machine: string) => (await run('encryption status --json', '', machine)).out;
const keysFile = () => readFile(at('home/encryption/keys.json'), 'utf8');

async function exported(): Promise<string> {
  await run('secret set pw', 'hunter2');
  const done = await run(`key export ${at('copy.age')}`, `${PASSPHRASE}\n`);
  expect([done.code, done.err]).toEqual([0, '']);
  return readFile(at('copy.age'), 'utf8');
}

describe('a recovery copy', () => {
  test('is private, shows nothing, and is written over nothing', async () => {
    const text = await exported();
    expect(text).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n/);
    expect((await stat(at('copy.age'))).mode & 0o777).toBe(0o600);
    const again = await run(`key export ${at('copy.age')}`, PASSPHRASE);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('a file with this name exists')]);
    expect(await readFile(at('copy.age'), 'utf8')).toBe(text);
    for (const [stdin, why] of [
      ['', 'no passphrase was given'],
      ['short', 'fewer than 12 characters'],
    ] as const)
      expect((await run(`key export ${at('other.age')}`, stdin)).err).toContain(why);
    await expect(stat(at('other.age'))).rejects.toThrow('ENOENT');
  });

  test('gives a machine without the wrapping key all that was sealed', async () => {
    await exported();
    const before = await keysFile();
    const done = await run(`key import ${at('copy.age')} --json`, PASSPHRASE, 'two');
    expect(JSON.parse(done.out)).toMatchObject({ wrapping: 1 });
    const { setUp } = JSON.parse(before) as { setUp: string };
    const wrapping = (machine: string) => readFile(join(at(machine), 'provisioning/keys', setUp), 'utf8');
    expect(await wrapping('two')).toBe(await wrapping('one'));
    expect((await run(`key import ${at('copy.age')}`, PASSPHRASE, 'two')).out).toContain('nothing to do');
  });

  test('makes a new home of a lost one, with its keys in their order', async () => {
    await exported();
    await run('encryption rotate');
    expect((await run(`key export ${at('two.age')}`, PASSPHRASE)).code).toBe(0);
    const ids = (text: string) => (JSON.parse(text) as { keys: { id: string }[] }).keys.map(({ id }) => id);
    const before = ids(await statusOn('one'));
    expect(before).toHaveLength(2);
    await rm(at('home/encryption'), { recursive: true });
    expect((await run(`key import ${at('two.age')}`, PASSPHRASE)).out).toBe('took up 2 of 2 keys\n');
    expect(ids(await statusOn('one'))).toEqual(before);
    expect((await run('secret get pw --reveal')).out).toBe('hunter2\n');
    // An older copy does not remove keys.
    expect((await run(`key import ${at('copy.age')}`, PASSPHRASE)).out).toContain('nothing to do');
    expect(ids(await statusOn('one'))).toEqual(before);
  });

  test('may be for an age recipient', async () => {
    await run('secret set pw', 'hunter2');
    const identity = await generateIdentity();
    await writeFile(at('identity'), identity, { mode: 0o600 });
    await run(`key export ${at('copy.age')} --recipient ${await identityToRecipient(identity)}`);
    await rm(at('home/encryption'), { recursive: true });
    expect((await run(`key import ${at('copy.age')}`, PASSPHRASE)).err).toContain('--identity FILE');
    expect((await run(`key import ${at('copy.age')} --identity ${at('identity')}`)).code).toBe(0);
    expect((await run('secret get pw --reveal')).out).toBe('hunter2\n');
    expect((await run(`key export ${at('x.age')} --recipient age1nonsense`)).err).toContain(
      '"age1nonsense" is not an age recipient',
    );
  });

  test.each([
    ['another passphrase', (text: string) => text, 'another passphrase', 'the passphrase does not open it'],
    [
      'a byte changed',
      (text: string) => text.replace(/(.)(\n-----END)/, (_, one, end) => `${one === 'A' ? 'B' : 'A'}${end}`),
      PASSPHRASE,
      '',
    ],
    ['something else', () => 'provisioning', PASSPHRASE, 'it is not a recovery copy'],
    [
      'more work than fits',
      (text: string) => {
        const lines = text.split('\n');
        const bytes = Buffer.from(lines.slice(1, -2).join(''), 'base64').toString('latin1').replace(/ 17\n/, ' 20\n');
        return `${lines[0]}\n${(
          Buffer.from(bytes, 'latin1')
            .toString('base64')
            .match(/.{1,64}/g) ?? []
        ).join('\n')}\n${lines.at(-2) || lines.at(-1)}\n`;
      },
      PASSPHRASE,
      '2^20 rounds of scrypt',
    ],
  ])('with %s is refused, and changes nothing', async (_, change, passphrase, why) => {
    const text = await exported();
    await writeFile(at('copy.age'), change(text));
    const before = await keysFile();
    const refused = await run(`key import ${at('copy.age')}`, passphrase);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('cannot open the recovery copy')]);
    expect(refused.err).toContain(why);
    expect(refused.err + refused.out).not.toContain(passphrase);
    expect(await keysFile()).toBe(before);
  });

  test('is not there, and a home has no key', async () => {
    expect((await run(`key import ${at('none.age')}`, PASSPHRASE)).code).toBe(2);
    expect((await run(`key export ${at('copy.age')}`, PASSPHRASE)).err).toContain('the home has no key');
  });
});
