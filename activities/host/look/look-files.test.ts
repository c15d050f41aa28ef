import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommandOutput, type FoundFile, file } from '../../../core/host/facts.js';
import { factValue } from './found.js';
import { renderLook } from './look-script.js';
import { parseLook } from './parse-look.js';

/** Users without a name here: what is read is read by ID. */
const [ANN, BOB] = [20_401, 20_402];

let folder: string;
beforeEach(() => {
  // Not in /tmp: files in a folder that everyone can write to are read with the rights of nobody.
  folder = mkdtempSync(join(process.getuid?.() === 0 ? '/var/lib' : tmpdir(), 'look-files-'));
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

function look(...paths: string[]) {
  const facts = paths.map((path) => file(path));
  const input = renderLook({ facts, health: [] }, String);
  const { facts: found } = parseLook({ facts, health: [] }, execFileSync('bash', ['-s'], { input, encoding: 'utf8' }));
  return found.map(({ stdout }) => stdout);
}

function put(path: string, content: string, { owner = 0, mode = 0o644 } = {}): string {
  const at = join(folder, path);
  writeFileSync(at, content);
  chownSync(at, owner, owner);
  chmodSync(at, mode);
  return at;
}

function folderOf(name: string, owner: number, mode = 0o755): string {
  const at = join(folder, name);
  mkdirSync(at);
  chownSync(at, owner, owner);
  chmodSync(at, mode);
  return at;
}

describe.runIf(process.getuid?.() === 0)('files that others can change', () => {
  it('are read with the rights of their owner, and told with mode and owner', () => {
    folderOf('ann', ANN, 0o700);
    const own = put('ann/own', 'of ann\n', { owner: ANN, mode: 0o600 });
    const text = put('ann/text', 'grüße\n', { owner: ANN });
    expect(look(own, text)).toEqual(['600 UNKNOWN:UNKNOWN\nof ann\n', '644 UNKNOWN:UNKNOWN\ngrüße\n']);
  });

  it('show nothing that their owner cannot read', () => {
    folderOf('ann', ANN);
    const secret = put('secret', 'of root\n', { mode: 0o600 });
    const link = join(folder, 'ann/link');
    symlinkSync(secret, link);
    const given = put('ann/given', 'of root\n', { mode: 0o600 });
    // A folder that is a link leads into one of another.
    folderOf('bob', BOB, 0o700);
    const of = put('bob/of', 'of bob\n', { owner: BOB });
    symlinkSync(join(folder, 'bob'), join(folder, 'ann/bob'));
    expect(look(link, given, join(folder, 'ann/bob/of'), of)).toEqual(['', '', '', '644 UNKNOWN:UNKNOWN\nof bob\n']);
  });

  it('are read with the rights of nobody where several users can change them', () => {
    folderOf('all', 0, 0o1777);
    const open = put('all/open', 'to be seen\n');
    const closed = put('all/closed', 'of root\n', { mode: 0o600 });
    expect(look(open, closed)).toEqual(['644 root:root\nto be seen\n', '']);
  });

  it('are not waited for where they are pipes, and those of others are told whole', () => {
    folderOf('ann', ANN);
    folderOf('bob', BOB);
    execFileSync('bash', ['-c', 'mkfifo "$1"', 'bash', join(folder, 'ann/pipe')]);
    const large = put('bob/large', 'x'.repeat(300_000), { owner: BOB });
    const [pipe, told] = look(join(folder, 'ann/pipe'), large);
    expect(pipe).toBe('');
    expect(told).toHaveLength(300_000 + '644 UNKNOWN:UNKNOWN\n'.length);
  });
});

describe('files below the home of an account', () => {
  it('are found where the account has its home', () => {
    const [home] = execFileSync('sh', ['-c', 'getent passwd sys | cut -d: -f6'], { encoding: 'utf8' }).split('\n');
    const facts = ['~sys/null', '~sys/no/such', '~no-such-account/file'].map((path) => file(path));
    const input = renderLook({ facts, health: [] }, String);
    const { facts: found } = parseLook({ facts, health: [] }, execFileSync('bash', ['-s'], { input, encoding: 'utf8' }));
    expect(found.map(({ path }) => path)).toEqual([`${home}/null`, `${home}/no/such`, undefined]);
    const paths = facts.map((fact, index) => (factValue(fact, found[index] as CommandOutput, String) as FoundFile).path);
    expect(paths).toEqual([`${home}/null`, `${home}/no/such`, '/home/no-such-account/file']);
  });
});

describe.runIf(process.getuid?.() === 0)('links of root', () => {
  it('are followed, as far as only root can change what they lead to', () => {
    const target = put('target', 'text\n');
    symlinkSync(target, join(folder, 'link'));
    mkdirSync(join(folder, 'within'));
    symlinkSync(join(folder, 'within'), join(folder, 'way'));
    put('within/file', 'behind\n');
    folderOf('ann', ANN, 0o700);
    put('ann/own', 'of ann\n', { owner: ANN });
    symlinkSync(join(folder, 'ann/own'), join(folder, 'to-ann'));
    symlinkSync(join(folder, 'missing'), join(folder, 'dangling'));
    expect(look(...['link', 'way/file', 'to-ann', 'dangling'].map((name) => join(folder, name)))).toEqual([
      '644 root:root\ntext\n',
      '644 root:root\nbehind\n',
      '644 UNKNOWN:UNKNOWN\nof ann\n',
      '',
    ]);
  });
});

it('is refused where the files were not read', () => {
  expect(() => parseLook({ facts: [file('/etc/passwd')], health: [] }, 'O debian amd64 1 1 1\nB \nE\n')).toThrow(
    'perl may be missing',
  );
});

it('many files are asked for in parts', () => {
  const paths = Array.from({ length: 900 }, (_, index) => join(folder, `file ${index}`));
  for (const path of [paths[0], paths[450], paths[899]] as string[]) writeFileSync(path, path);
  const found = look(...paths).flatMap((text, index) => (text === '' ? [] : [[index, text.split('\n')[1]]]));
  expect(found).toEqual([0, 450, 899].map((index) => [index, paths[index]]));
});
