import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, truncate } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BadInput } from './run-row.js';

const run = promisify(execFile);
const MiB = 1024 * 1024;
const good = 'infra: shop\nprovider: demo\nservers:\n  - name: web\n';
const FILE = 'infra.yaml';
const at = (line: number, column: number, file = FILE) => `${file}:${line}:${column}`;
/** One file with this content and an error at a place. */
const yaml = (title: string, content: string | Buffer, place: string, says: RegExp): BadInput => ({
  title,
  files: { [FILE]: content },
  exit: 2,
  place,
  says,
});
const json = (title: string, content: string, place: string, says: RegExp): BadInput => ({
  title,
  files: { 'infra.json': content },
  args: ['apply', 'infra.json', '--yes'],
  exit: 2,
  place: `infra.json:${place}`,
  says,
});
const special = (title: string, prepare: BadInput['prepare'], says: RegExp, args?: string[]): BadInput => ({
  title,
  prepare,
  ...(args ? { args } : {}),
  exit: 2,
  ...(args ? {} : { place: at(1, 1) }),
  says,
});

/** A text of this size in an otherwise valid definition. */
const padded = (bytes: number) => `${good}# ${'x'.repeat(bytes)}\n`;
/** Aliases of aliases, ten times ten times ten … */
const bomb = `a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${Array.from(
  { length: 9 },
  (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index},`.repeat(10)}]\n`,
).join('')}`;

/** Paths that are missing, not regular files, or other files than their names suggest. */
export const KINDS: readonly BadInput[] = [
  { title: 'a file that is not there', exit: 2, place: at(1, 1), says: /the file does not exist/ },
  special('a directory', (folder) => mkdir(join(folder, FILE)).then(() => {}), /it is a directory; use the path of a file in it/),
  special('a FIFO that nobody writes to', (folder) => run('mkfifo', [join(folder, FILE)]).then(() => {}), /it is a FIFO/),
  special('a link to /dev/zero', (folder) => symlink('/dev/zero', join(folder, FILE)), /it is a device/),
  special('a link to a link to itself', (folder) => symlink(FILE, join(folder, FILE)), /links lead in a circle/),
  special(
    'a socket',
    async (folder) => {
      const server = createServer().listen(join(folder, FILE));
      await once(server, 'listening');
      server.unref();
    },
    /it is a socket/,
  ),
  {
    ...yaml('a file below a file', good, '', /something in its path is no directory/),
    args: ['apply', `${FILE}/x.yaml`],
    place: `${FILE}/x.yaml:1:1`,
  },
  { title: 'a name that is too long', args: ['apply', `${'a'.repeat(300)}.yaml`], exit: 2, says: /its name is too long/ },
  {
    ...yaml('a kind that is not known', good, '', /cannot read a file of the kind ".ini"; known: /),
    files: { 'a.ini': good },
    args: ['apply', 'a.ini'],
    place: 'a.ini:1:1',
  },
  { title: 'a device without an ending', args: ['apply', '/dev/zero'], exit: 2, place: '/dev/zero:1:1', says: /it is a device/ },
  {
    ...special(
      'a file that this user may not read',
      async (folder) => void (await run('sh', ['-c', `echo a: 1 >'${folder}/${FILE}'; chmod 000 '${folder}/${FILE}'`])),
      /this user may not read it; look at the modes/,
    ),
    unprivileged: true,
  },
  special('a file of 50 MiB', (folder) => truncate_(folder, 50 * MiB), /the file has 50 MiB, at most 1 MiB are read/),
  special('a sparse file of 1 TiB', (folder) => truncate_(folder, MiB * MiB), /at most 1 MiB are read/),
  yaml('a file of one byte too many', padded(MiB), at(1, 1), /the file has 1\.0 MiB, at most 1 MiB/),
  yaml('an empty file', '', at(1, 1), /the file is empty; examples\/quickstart.yaml/),
  yaml('blanks and nothing else', ' \n\n  \n', at(1, 1), /the file is empty/),
  yaml('a NUL byte', `${good}# \0\n`, at(5, 3), /it contains a NUL byte/),
  yaml('UTF-16', Buffer.from(`\ufeff${good}`, 'utf16le'), at(1, 1), /looks like UTF-16; save it as UTF-8/),
  yaml(
    'bytes that are no UTF-8',
    Buffer.concat([Buffer.from(good), Buffer.from([0x23, 0x20, 0xc3, 0x28, 0x0a])]),
    at(5, 4),
    /it is not UTF-8/,
  ),
  yaml('a picture', Buffer.from('89504e470d0a1a0a0000000d', 'hex'), '', /it is not UTF-8|NUL byte/),
  yaml('an escape in a comment', `${good}# \u001b[2J\n`, at(5, 3), /the character U\+001B does not belong/),
  yaml('text from right to left', `${good}# \u202e\n`, at(5, 3), /the character U\+202E/),
  yaml('an escape that YAML writes', good.replace('name: web', 'name: "w\\u001beb"'), at(4, 11), /U\+001B|use lower-case/),
];

async function truncate_(folder: string, bytes: number): Promise<void> {
  await run('touch', [join(folder, FILE)]);
  await truncate(join(folder, FILE), bytes);
}

/** Texts that are not valid YAML or JSON, or exceed its limits. */
export const TEXTS: readonly BadInput[] = [
  yaml('20,000 lists inside each other', '['.repeat(20_000), at(1, 66), /more than 64 levels deep/),
  yaml(
    '20,000 closed lists inside each other',
    `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    at(1, 68),
    /more than 64 levels deep/,
  ),
  yaml(
    'maps inside each other',
    Array.from({ length: 400 }, (_, index) => `${' '.repeat(index)}a:`).join('\n'),
    '',
    /more than 64 levels deep/,
  ),
  yaml(
    'an alias bomb',
    `${good}${bomb}`,
    at(6, 10),
    /the aliases \(\*name\) cannot be resolved: its aliases expand to too much data/,
  ),
  yaml(
    'one large text a hundred times',
    `a: &a ${'x'.repeat(200_000)}\nb: [${'*a,'.repeat(90)}]\n`,
    at(2, 5),
    /with its aliases resolved, it is more than 4 MiB/,
  ),
  yaml('an alias of itself', `${good}a: &a [*a]\n`, at(5, 8), /with its aliases resolved/),
  yaml('an alias of nothing', `${good}a: *b\n`, at(5, 4), /Unresolved alias/),
  yaml('a million signs', `a: [${'1,'.repeat(400_000)}]\n`, '', /more than 250000 names, values and signs/),
  yaml('100,000 keys', Array.from({ length: 80_000 }, (_, index) => `k${index}: 1`).join('\n'), '', /more than 250000 names/),
  yaml('a map that does not end', 'infra: {a: 1\n', '', /flow map|}/i),
  yaml('a text that does not end', 'infra: "shop\n', '', /quote/i),
  yaml('tabs', 'infra:\n\tshop: 1\n', '', /tab/i),
  yaml('a tag', `${good}protect: !!python/object:os.system x\n`, at(5, 10), /tag/i),
  yaml('two documents', `${good}---\n${good}`, '', /a file may contain only one document/),
  yaml('YAML 1.1', `%YAML 1.1\n---\n${good}`, '', /only YAML 1.2 is supported/),
  yaml('a key twice', `${good}infra: other\n`, at(5, 1), /this key is given twice/),
  yaml('a key that is a list', `${good}? [a]\n: b\n`, at(5, 3), /a key is a text/),
  yaml('a list', '- a\n- b\n', at(1, 1), /a definition is a map of keys/),
  yaml('a text', 'just words\n', at(1, 1), /a definition is a map of keys/),
  yaml('merged maps', `${good}<<: { a: 1 }\n`, at(5, 1), /unknown key "<<"/),
  yaml('__proto__', `${good}__proto__: { protect: true }\n`, at(5, 1), /no key may be called "__proto__"/),
  yaml(
    'constructor in a configuration',
    `${good}taskservs:\n  - name: postgres\n    config: { settings: { constructor: x } }\n`,
    at(7, 27),
    /no key may be called "constructor"/,
  ),
  yaml('prototype as a label', `${good}    labels: { prototype: x }\n`, at(5, 15), /no key may be called "prototype"/),
  json('__proto__ in JSON', '{\n "infra": "a",\n "__proto__": {}\n}', '3:2', /no key may be called "__proto__"/),
  json('JSON with comments', '{\n // the shop\n "infra": "a"\n}', '2:2', /JSON/),
  json('JSON with a sign of comment', '{ "infra": "a" # the shop\n}', '1:16', /JSON has no comments/),
  json('JSON with a comma at the end', '{ "infra": "a", "servers": [{ "name": "web" },] }', '1:1', /no JSON/),
  json('JSON with single quotes', "{ 'infra': 'a' }", '1:3', /double quotes/),
  json('YAML in a file of JSON', good, '1:1', /double quotes|braces/),
  json('JSON that ends too early', '{ "infra": "a"', '', /flow|}/i),
  json(
    'a key twice in JSON',
    '{ "infra": "a", "provider": "demo", "servers": [{ "name": "web" }], "infra": "b" }',
    '1:69',
    /given twice/,
  ),
];
