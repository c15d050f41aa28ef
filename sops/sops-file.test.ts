import { generateIdentity, identityToRecipient } from 'age-encryption';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { ProvisioningError } from '../core/errors.js';
import type { RuleName } from './selection.js';
import { closeSopsFile, newSopsFile, openSopsFile, plainOf, readSopsFile, replaceRecipients } from './sops-file.js';

// No test waits; the timeouts are for busy machines.
vi.setConfig({ testTimeout: 120_000 });

let key: string;
let recipient: string;
beforeAll(async () => {
  key = await generateIdentity();
  recipient = await identityToRecipient(key);
});

const NOW = new Date('2026-01-02T03:04:05.678Z');
const LATER = new Date('2026-02-03T04:05:06Z');
const made = (file: string, text: string | Buffer, rule?: { name: RuleName; text: string }, macOnlyEncrypted = false) =>
  newSopsFile(file, Buffer.from(text), { recipients: [recipient], rule, macOnlyEncrypted }, NOW);
const open = (file: string, bytes: Buffer, keys = [key]) => openSopsFile(readSopsFile(file, bytes), { keys, looked: ['A', 'B'] });
const reread = async (file: string, bytes: Buffer) => plainOf(await open(file, bytes)).toString();
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: ProvisioningError) => error.details.code,
  );

const YAML = `# top
db:
    # inside
    password: hunter2 # behind
    port: 5432
    ratio: 1.5
    whole: 5.0
    "on": true
    nothing: null
    empty: ""
    day: 2020-01-02T00:00:00Z
    text: "0777"
    list:
        - same
        - same
        - c: d
          e:
            - 1
    block: |
        line one
          line two
    # tail of db

# head of other
other_unencrypted:
    "y": "yes"
`;
const TEXTS: Record<string, string> = {
  'a.yaml': YAML,
  'two.yaml': 'a: 1\n---\nb: two\n',
  'a.json':
    '{\n\t"b": 1,\n\t"10": "x",\n\t"2": {\n\t\t"y": [\n\t\t\t9007199254740993,\n\t\t\t2.5,\n\t\t\tnull,\n\t\t\ttrue,\n\t\t\t"é"\n\t\t],\n\t\t"e": {}\n\t}\n}\n',
  'a.env': '# note\nA=1\nB=x=y\nC=one\\ntwo\n',
  'a.pem': '-----BEGIN\n\u0001\n',
};

describe.each(Object.entries(TEXTS))('%s', (file, text) => {
  test('what was encrypted is what is decrypted', async () => {
    const sealed = await made(file, text);
    expect(await reread(file, sealed)).toBe(text);
    for (const secret of ['hunter2', 'tail of db', 'line two', 'two', 'BEGIN\n'])
      expect(sealed.toString()).not.toContain(`: ${secret}`);
  });

  test('a file that is closed again has other lines for its checksum alone', async () => {
    const sealed = await made(file, text);
    const opened = await open(file, sealed);
    const again = closeSopsFile(opened, plainOf(opened), LATER).toString().split('\n');
    const before = new Set(sealed.toString().split('\n'));
    const other = again.filter((line) => !before.has(line));
    expect(other.length).toBeGreaterThan(0);
    for (const line of other) expect(line).toMatch(/mac|lastmodified/);
    expect(await reread(file, Buffer.from(again.join('\n')))).toBe(text);
  });

  test('each value that is changed in the file is noticed', async () => {
    const sealed = (await made(file, text)).toString();
    // With several documents, the first document's checksum counts.
    const end = file === 'two.yaml' ? sealed.lastIndexOf('sops:') : sealed.length;
    const values = [...sealed.slice(0, end).matchAll(/data:(.)/g)];
    expect(values.length).toBeGreaterThan(1);
    for (const { index } of values) {
      // A comment that cannot be decrypted is reported too: it was encrypted for another place.
      const at = index + 'data:'.length;
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      expect(await codeOf(open(file, Buffer.from(changed)))).toBe('sops-tampered');
    }
  });
});

test.each([
  ['one map', 'a: &a\n    x: 1\n    y: 2\nb:\n    <<: *a\n    y: 3\n', 'b:\n    x: 1\n    y: 3\n'],
  ['its key after others', 'a: &a\n    x: 1\n    y: 2\nb:\n    y: 3\n    <<: *a\n', 'b:\n    "y": 3\n    x: 1\n'],
  [
    'several maps',
    'a:\n    - &a\n      x: 1\n    - &b\n      x: 2\n      z: 3\nb:\n    <<: [*a, *b]\n',
    'b:\n    x: 1\n    z: 3\n',
  ],
  ['merges of merges', 'a: &a\n    x: 1\nb: &b\n    <<: *a\n    z: 2\nc:\n    <<: *b\n', 'c:\n    x: 1\n    z: 2\n'],
  ['a map in place', 'b:\n    <<: { x: 1 }\n', 'b:\n    x: 1\n'],
])('a merge key of YAML gives its map the keys: %s', async (_, text, end) => {
  const plain = await reread('a.yaml', await made('a.yaml', text));
  expect(plain.replace(/"y"/g, 'y').endsWith(end.replace(/"y"/g, 'y'))).toBe(true);
  expect(plain).not.toContain('<<');
  expect(parseYaml(plain)).toEqual(parseYaml(text, { merge: true }));
});

test('a key "<<" in quotes is a text, and a merge of no map is refused', async () => {
  expect(await reread('a.yaml', await made('a.yaml', "'<<': x\n"))).toBe("'<<': x\n");
  await expect(made('a.yaml', 'a: &a text\nb:\n    <<: *a\n')).rejects.toThrow('merges something that is no map');
});

test('comments before the first key and after the last one are kept', async () => {
  const text = '# first\n\na: x\n\n# last\n';
  const plain = await reread('a.yaml', await made('a.yaml', text));
  expect(plain.split('\n').filter(Boolean)).toEqual(['# first', 'a: x', '# last']);
});

test('bytes that are no text are kept', async () => {
  const bytes = Buffer.from([0, 255, 128, 10]);
  expect(plainOf(await open('key.bin', await made('key.bin', bytes)))).toEqual(bytes);
});

test('values cannot change places, be taken away, or be written out', async () => {
  const sealed = (await made('a.yaml', 'a: one\nb: two\nplain_unencrypted: x\n')).toString();
  const line = (name: string) => sealed.split('\n').find((text) => text.startsWith(`${name}:`)) ?? '';
  const swapped = sealed.replace(line('a'), `a: ${line('b').slice(3)}`);
  const shorter = sealed.replace(`${line('b')}\n`, '');
  const bare = sealed.replace(line('a'), 'a: one');
  const other = sealed.replace('plain_unencrypted: x', 'plain_unencrypted: y');
  const moved = sealed.replace(/lastmodified: .*/, 'lastmodified: "2020-01-01T00:00:00Z"');
  for (const text of [swapped, shorter, bare, other, moved])
    expect(await codeOf(open('a.yaml', Buffer.from(text)))).toBe('sops-tampered');
});

test.each<[RuleName, string, string[]]>([
  ['encrypted_regex', '^(password|data)$', ['one']],
  ['encrypted_regex', '(?i)^PASSWORD$', ['one']],
  ['unencrypted_regex', '^pass', ['two', 'three']],
  ['encrypted_suffix', '_key', ['three']],
  ['unencrypted_suffix', '_key', ['one', 'two']],
  ['encrypted_comment_regex', 'secret', ['two']],
  ['unencrypted_comment_regex', 'secret', ['one', 'three']],
])('%s %s encrypts %j', async (name, text, hidden) => {
  const plain = 'password: one\n# secret\nname: two\nhost_key: three\n';
  const sealed = (await made('a.yaml', plain, { name, text })).toString();
  expect(['one', 'two', 'three'].filter((value) => !sealed.includes(`: ${value}\n`))).toEqual(hidden);
  expect(await reread('a.yaml', Buffer.from(sealed))).toBe(plain);
});

test('with mac_only_encrypted others may change, and encrypted ones may not', async () => {
  const rule = { name: 'encrypted_regex', text: '^a$' } as const;
  const sealed = (await made('a.yaml', 'a: one\nb: two\n', rule, true)).toString();
  expect(await reread('a.yaml', Buffer.from(sealed.replace('b: two', 'b: other')))).toBe('a: one\nb: other\n');
  expect(await codeOf(open('a.yaml', Buffer.from(sealed.replace(/^a: .*$/m, 'a: ""'))))).toBe('sops-tampered');
  expect(await codeOf(open('a.yaml', Buffer.from(sealed.replace(/.*mac_only_encrypted.*\n/, ''))))).toBe('sops-tampered');
});

test('an expression is one of Go, and takes time in proportion to the file', async () => {
  const text = `${'a'.repeat(900)}b: 1\nPassword: two\n`;
  const sealed = async (expression: string) =>
    (await made('a.yaml', text, { name: 'encrypted_regex', text: expression }, true)).toString();
  expect(await sealed('^(a+)+$')).toContain('Password: two');
  expect(await sealed('(?i)^pass[[:alpha:]]+$')).not.toContain('two');
  expect(await codeOf(sealed('^(?=a)a'))).toBe('sops-unsupported');
});

test('other recipients: values keep their text, and only who is named can read', async () => {
  const other = await generateIdentity();
  const sealed = await made('a.yaml', 'a: one\n');
  expect(await codeOf(open('a.yaml', sealed, [other]))).toBe('sops-key');
  const both = await replaceRecipients(await open('a.yaml', sealed), [recipient, await identityToRecipient(other)]);
  expect(both.toString().split('\n')[0]).toBe(sealed.toString().split('\n')[0]);
  expect(plainOf(await open('a.yaml', both, [other])).toString()).toBe('a: one\n');
  const alone = await replaceRecipients(await open('a.yaml', both), [await identityToRecipient(other)]);
  expect(await codeOf(open('a.yaml', alone))).toBe('sops-key');
});

test('without a key the error says for whom the file is, and where keys are looked for', async () => {
  const error = await open('a.yaml', await made('a.yaml', 'a: one\n'), []).catch((thrown: ProvisioningError) => thrown);
  expect(error).toMatchObject({
    details: { code: 'sops-key', why: expect.stringContaining(recipient), hint: 'put one into A, or B' },
  });
});

test.each([
  ['a.yaml', 'a: 1\n', 'sops-file', 'it is not a SOPS file'],
  ['a.json', '{"a": 1,}', 'sops-file', 'double quotes'],
  ['a.env', 'nothing', 'sops-file', 'neither NAME=VALUE'],
  ['a.ini', '[a]\n', 'sops-unsupported', '.ini'],
  ['a.yaml', 'sops:\n  mac: x\n', 'sops-file', '"lastmodified" is missing'],
  ['a.yaml', 'sops:\n  mac: x\n  lastmodified: "x"\n  encrypted_regex: a\n  encrypted_suffix: b\n', 'sops-file', 'both'],
  ['a.yaml', 'sops:\n  mac: x\n  lastmodified: "x"\n  key_groups: [{age: []}, {age: []}]\n', 'sops-unsupported', 'several'],
  ['a.yaml', 'sops:\n  mac: x\n  lastmodified: "x"\n  kms: [{arn: x}]\n  pgp: [{fp: x}]\n', 'sops-unsupported', 'kms, pgp'],
  ['a.yaml', 'a: &x [1]\nb: hunter2: 3\n', 'sops-file', 'line 2'],
  ['a.yaml', `a: ${'['.repeat(100)}${']'.repeat(100)}\n`, 'sops-file', 'deep'],
  ['a.yaml', 'a: 1\na: 2\n', 'sops-file', 'twice'],
  ['a.yaml', '1: a\n', 'sops-file', 'no text'],
  ['a.yaml', 'a: !!binary aGk=\n', 'sops-file', '!!binary'],
])('%s of %j is refused: %s', async (file, text, code, why) => {
  const error = await Promise.resolve()
    .then(() => open(file, Buffer.from(text)))
    .catch((thrown: ProvisioningError) => thrown);
  expect(error).toMatchObject({ details: { code, on: file, why: expect.stringContaining(why) } });
  expect((error as Error).message).not.toContain('hunter2');
});

test.each([
  ['a large number', 'a.yaml', 'a: 1\nb: 12345678901234567890\n', 2],
  ['a number that is none', 'a.yaml', 'a:\n  b: 1\n  c: .nan\n', 3],
  ['a second document', 'a.yaml', 'a: 1\n---\nb: [x,\n  !!binary aGk=]\n', 4],
  ['a key that is none', 'a.yaml', '# note\n\n1: a\n', 3],
  ['a key of YAML that is there twice', 'a.yaml', 'a: 1\nb: 2\na: hunter2\n', 3],
  ['a merge of no map', 'a.yaml', 'a: 1\n<<: hunter2\n', 2],
  ['a large number of JSON', 'a.json', '{\n  "a": 1,\n  "b": 1e999\n}\n', 3],
  ['a key of JSON that is there twice', 'a.json', '{\n  "a": 1,\n  "a": "hunter2"\n}\n', 3],
  ['what is no JSON', 'a.json', '{\n  "a": 1,\n  "b": hunter2\n}\n', 3],
  ['a name that is there twice', 'a.env', 'A=1\n\nA=hunter2\n', 3],
])('says the line of %s', async (_, file, text, line) => {
  const error = await made(file, text).catch((thrown: ProvisioningError) => thrown);
  expect(error).toMatchObject({ details: { on: file, why: expect.stringMatching(`\\bline ${line}: `) } });
  expect((error as Error).message).not.toContain('hunter2');
});

test('an alias bomb is given up before it grows', async () => {
  const levels = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 9; level++) {
    const [name, below] = [String.fromCharCode(97 + level), String.fromCharCode(96 + level)];
    levels.push(`${name}: &${name} [${Array(10).fill(`*${below}`).join(', ')}]`);
  }
  expect(await codeOf(Promise.resolve().then(() => open('a.yaml', Buffer.from(`${levels.join('\n')}\n`))))).toBe('sops-file');
});
