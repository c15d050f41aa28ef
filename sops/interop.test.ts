import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ProvisioningError } from '../core/errors.js';
import { sopsBinary } from '../test/support/sops-binary.js';
import { formatOf } from './formats/formats.js';
import type { Rule } from './selection.js';
import { closeSopsFile, newSopsFile, openSopsFile, plainOf, readSopsFile } from './sops-file.js';
import type { Entry, Node } from './tree.js';

// No test waits; the timeouts are for busy machines.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 });

const binary = sopsBinary();
if (!binary)
  console.log(
    'skipped: there is no sops; GOBIN=~/.cache/provisioning/tools/sops-3.13.3 go install github.com/getsops/sops/v3/cmd/sops@v3.13.3',
  );

let folder: string;
let key: string;
let recipient: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sops-interop-'));
  key = await generateIdentity();
  recipient = await identityToRecipient(key);
  const rules = 'creation_rules: [{ encrypted_suffix: _1, mac_only_encrypted: true, age: RECIPIENT }]'.replace(
    'RECIPIENT',
    recipient,
  );
  await writeFile(join(folder, 'rules.yaml'), rules);
});
afterAll(() => rm(folder, { recursive: true }));

/** Creates a file in each format, with the given number of values. */
const FORMATS: Record<string, (count: number) => Buffer> = {
  'a.yaml': (count) => Buffer.from(yamlOf(count)),
  'a.json': (count) => Buffer.from(jsonOf(count)),
  'a.env': (count) => Buffer.from(dotenvOf(count)),
  'a.bin': (count) => Buffer.from(Array.from({ length: count * 7 }, (_, index) => (index * 37) % 256)),
};
const SIZES = [1, 12, 300];
/** Ways of encryption. */
const OPTIONS: { rule?: Rule; macOnly?: boolean; args: string[] }[] = [
  { args: [] },
  { rule: { name: 'encrypted_regex', text: '^(password|TOKEN_1)' }, args: ['--encrypted-regex', '^(password|TOKEN_1)'] },
  { rule: { name: 'unencrypted_suffix', text: '_plain' }, args: ['--unencrypted-suffix', '_plain'] },
  { rule: { name: 'encrypted_suffix', text: '_1' }, macOnly: true, args: ['--config', 'rules.yaml'] },
  { rule: { name: 'unencrypted_regex', text: 'port|TOKEN_2' }, args: ['--unencrypted-regex', 'port|TOKEN_2'] },
];

const times = (count: number, make: (index: number) => string) => Array.from({ length: count }, (_, index) => make(index)).join('');
const yamlOf = (count: number) => `# the top
---
empty: ""
none: null
day: 2024-02-03
octal: 0755
text: "0755"
list: [a, a, 1.50, {x: true, y: [1, 2]}]
block: |
  one
    two

  three
folded: >-
  a
  b
unicode: "é \\u0001 \\U0001F600"
colon: "a: b # c"
# before the services
services:
${times(
  count,
  (index) => `  - name: s${index} # behind ${index}
    # within ${index}
    password: "p${index}\\n"
    port: ${8000 + index}
    ratio: ${index}.25
    token_1: "yes"
    note_plain: null
    # at the end of ${index}
`,
)}# the end
`;
const jsonOf = (count: number) =>
  JSON.stringify({
    '10': 'x',
    '2': { empty: {}, none: null, list: [[], [1, 2.5, -3e-7, true]] },
    html: '<a href="x">&</a>\u2028',
    services: Array.from({ length: count }, (_, index) => ({
      password: `p${index}\n`,
      port: index,
      token_1: index / 8,
      note_plain: 'x',
    })),
  });
const dotenvOf = (count: number) =>
  `# note\nEMPTY=\n${times(count, (index) => `TOKEN_${index}=v=${index} # no comment\\nnext\nport_plain${index}=x\n`)}`;

async function sops(args: string[]): Promise<Buffer> {
  const env = { PATH: process.env.PATH, HOME: folder, SOPS_AGE_KEY: key };
  const options = { env, cwd: folder, encoding: 'buffer' as const, maxBuffer: 64 * 2 ** 20 };
  const { stdout } = await promisify(execFile)(binary ?? 'sops', ['--disable-version-check', ...args], options).catch((error) => {
    throw new Error(String(error.stderr));
  });
  return stdout;
}

const open = (file: string, bytes: Buffer) => openSopsFile(readSopsFile(file, bytes), { keys: [key], looked: [] });
/**
 * Returns the content of a file: its values in order, and its comments sorted, because each writer places them
 * differently.
 */
function said(file: string, bytes: Buffer) {
  const comments: string[] = [];
  const values = formatOf(file)
    .readPlain(bytes)
    .map((document) => dataOf(document, comments));
  return { values, comments: comments.sort() };
}
function dataOf(node: Node | Entry, comments: string[]): unknown {
  if (node.kind === 'leaf') return `${node.type} ${node.data.toString('latin1')}`;
  if (node.kind === 'entry') return [node.key, dataOf(node.value, comments)];
  const items = node.items.flatMap((item): unknown[] => {
    if (item.kind !== 'comment') return [dataOf(item, comments)];
    comments.push(item.text);
    return [];
  });
  return { [node.kind]: items };
}
/** Returns the text with another value. */
const turned = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(bytes.toString('latin1').replace('p0', 'q0').replace('v=0', 'w=0'), 'latin1')]);

let files = 0;
let tampered = 0;
describe.skipIf(!binary)('the real sops', () => {
  const cases = Object.keys(FORMATS).flatMap((file) => OPTIONS.flatMap((option) => SIZES.map((size) => ({ file, option, size }))));

  test.each(cases)('$file $option.args of $size', async ({ file, option, size }) => {
    files += 1;
    const plain = FORMATS[file]?.(size) ?? Buffer.alloc(0);
    const [given, ours] = [join(folder, `${files}-${file}`), join(folder, `${files}-ours-${file}`)];
    await writeFile(given, plain);

    // This code reads the files of sops, and changes only the lines of changed values.
    const theirs = await sops([
      ...(option.macOnly ? option.args : []),
      'encrypt',
      ...(option.macOnly ? [] : ['--age', recipient, ...option.args]),
      given,
    ]);
    const opened = await open(file, theirs);
    await writeFile(given, theirs);
    expect(said(file, plainOf(opened))).toEqual(said(file, await sops(['decrypt', given])));
    const again = closeSopsFile(opened, plainOf(opened), new Date());
    await writeFile(given, again);
    expect(said(file, await sops(['decrypt', given]))).toEqual(said(file, plainOf(opened)));
    const before = new Set(theirs.toString('latin1').split('\n'));
    const other = again
      .toString('latin1')
      .split('\n')
      .filter((line) => line !== '' && !before.has(line));
    expect(other.filter((line) => !/lastmodified|mac/.test(line))).toEqual([]);

    // sops reads the files of this code, even after a change here.
    await writeFile(
      ours,
      await newSopsFile(file, plain, { recipients: [recipient], rule: option.rule, macOnlyEncrypted: option.macOnly }, new Date()),
    );
    expect(said(file, await sops(['decrypt', ours]))).toEqual(said(file, plainOf(opened)));
    const changed = turned(plainOf(opened));
    await writeFile(ours, closeSopsFile(await open(file, await readFile(ours)), changed, new Date()));
    expect(said(file, await sops(['decrypt', ours]))).toEqual(said(file, changed));

    // This code detects changes by other programs.
    const text = theirs.toString('latin1');
    const at = text.indexOf('data:') + 'data:'.length;
    const broken = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
    const error = await open(file, Buffer.from(broken, 'latin1')).catch((thrown: ProvisioningError) => thrown);
    expect(error).toMatchObject({ details: { code: 'sops-tampered' } });
    tampered += 1;
  });

  test('over all files', () => {
    console.log(`SOPS: ${files} files both ways with ${binary}, tampering found in ${tampered}`);
    expect([files, tampered]).toEqual([60, 60]);
  });
});
