import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noteKey } from '../../../core/host/before.js';
import { type Fact, fact, file, systemd } from '../../../core/host/facts.js';
import { quote } from '../../../core/host/shell.js';
import type { AnyUnit } from '../../../core/host/unit.js';
import { journalHost, mayMount } from '../../../test/support/journal-host.js';
import { addReplaced, readReplaced } from './replaced.js';

const unitOf = (facts: Record<string, Fact<unknown>>): AnyUnit => ({ unit: 'x', stage: 'install', facts, plan: () => undefined });
const asked = (...paths: string[]) =>
  addReplaced(unitOf(Object.fromEntries(paths.map((path, index) => [`f${index}`, file(path)]))));

test('a unit that may replace no file by an absolute path asks nothing more', () => {
  const none: Record<string, Fact<unknown>>[] = [{}, { a: fact('id', () => 1, 0), b: systemd('x'), c: file('~ann/.profile') }];
  for (const facts of none) {
    const unit = unitOf(facts);
    expect(addReplaced(unit)).toBe(unit);
  }
  expect(readReplaced({})).toBeUndefined();
});

test('its own facts stay, and one comes along', () => {
  const { facts } = asked('/etc/x') as { facts: Record<string, unknown> };
  expect(facts.f0).toEqual(file('/etc/x'));
  expect(Object.keys(facts)).toEqual(['f0', 'what is replaced']);
});

describe.skipIf(!mayMount)('on a host', () => {
  let folder: string;
  let host: ReturnType<typeof journalHost>;
  let paths: Record<'file' | 'link' | 'dangling' | 'folder' | 'none' | 'secret', string>;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'replaced-'));
    host = journalHost(folder);
    const at = (name: string) => join(folder, name);
    // Names that a shell and a line of text would take apart.
    paths = {
      file: at("a 'file'"),
      link: at('li nk'),
      dangling: at('gone'),
      folder: at('dir'),
      none: at('none'),
      secret: at('$secret'),
    };
    writeFileSync(paths.file, 'one\n');
    writeFileSync(paths.secret, 'two\n', { mode: 0o640 });
    mkdirSync(paths.folder);
    symlinkSync(paths.file, paths.link);
    symlinkSync('/nowhere', paths.dangling);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Value of the fact on a host with these conffiles of Debian. */
  async function found(conffiles: readonly (readonly [path: string, content: string])[] = []) {
    const status = join(folder, 'status');
    const sum = (text: string) => createHash('md5').update(text).digest('hex');
    writeFileSync(status, `Package: x\nConffiles:\n${conffiles.map(([path, text]) => ` ${path} ${sum(text)}\n`).join('')}`);
    const one = (asked(...Object.values(paths)).facts as Record<string, Fact<unknown>>)['what is replaced'];
    if (one?.kind !== 'command') throw new Error('it is asked by a command');
    const { stdout, exit } = await host.host.exec(`mount --bind ${quote(status)} /var/lib/dpkg/status\n${one.run}`);
    const replaced = readReplaced({ 'what is replaced': one.parse({ stdout, exit: exit ?? 1 }) });
    return { kept: [...(replaced?.kept ?? [])].sort(), published: [...(replaced?.published ?? [])].sort() };
  }
  const there = () => [paths.file, paths.link, paths.dangling, paths.folder, paths.secret].sort();
  const put = (name: string, text = '') => writeFileSync(join(host.state, name), text);

  test('without an owner, a copy is kept of all that is there, links that lead nowhere too', async () => {
    expect(await found()).toEqual({ kept: there(), published: [] });
    put('owner', '');
    expect((await found()).kept).toEqual(there());
  });

  test('of an owner: only where the host was adopted, and only of what is not noted yet', async () => {
    put('owner', 'uuid default shop');
    expect((await found()).kept).toEqual([]);
    mkdirSync(join(host.state, 'before', noteKey('file', paths.file)), { recursive: true });
    mkdirSync(join(host.state, 'before', noteKey('directory', paths.folder)));
    expect((await found()).kept).toEqual(there().filter((path) => path !== paths.file));
  });

  test('Debian has published what its package holds for a file that not all may read', async () => {
    const published = [
      [paths.secret, 'two\n'],
      [paths.file, 'one\n'],
      [paths.link, 'one\n'],
    ] as const;
    expect((await found(published)).published).toEqual([paths.secret]);
    expect((await found([[paths.secret, 'another\n']])).published).toEqual([]);
    expect((await found([[`${paths.secret}.more`, 'two\n']])).published).toEqual([]);
  });
});
