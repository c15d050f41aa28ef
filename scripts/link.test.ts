import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { link, unlink } from './link.js';

let place: string;
let root: string;
let folder: string;
let linked: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'link-'));
  root = checkout('ours');
  folder = join(place, 'home/.local/bin');
  linked = join(folder, 'provisioning');
});
afterEach(() => rmSync(place, { recursive: true }));

/** Creates a built checkout whose program prints its name. */
function checkout(name: string): string {
  const at = join(place, name);
  for (const sub of ['bin', 'dist']) mkdirSync(join(at, sub), { recursive: true });
  writeFileSync(join(at, 'dist/cli.js'), '');
  writeFileSync(join(at, 'bin/provisioning.js'), `#!/bin/sh\necho ${name}\n`);
  chmodSync(join(at, 'bin/provisioning.js'), 0o755);
  return at;
}

const onPath = () => `${folder}:${process.env.PATH}`;
const say = () => execFileSync('sh', ['-c', 'provisioning'], { encoding: 'utf8', env: { PATH: onPath() } }).trim();

test('the program is found on PATH, and linking it again changes nothing', () => {
  expect(link({ root, folder, path: onPath() })[0]).toBe(`linked: ${linked} -> ${root}/bin/provisioning.js`);
  expect(say()).toBe('ours');
  const again = link({ root, folder, path: onPath() });
  expect(again[0]).toBe(`linked already: ${linked} -> ${root}/bin/provisioning.js`);
  expect(again.join('\n')).toContain('provisioning help');
});

test('a folder that is not on PATH is named, with the line that puts it there', () => {
  expect(link({ root, folder, path: '/usr/bin' }).join('\n')).toContain(`export PATH="${folder}:$PATH"`);
});

test('a program of this name that a shell finds first is named', () => {
  const other = checkout('other');
  mkdirSync(join(place, 'first'));
  symlinkSync(join(other, 'bin/provisioning.js'), join(place, 'first/provisioning'));
  expect(link({ root, folder, path: `${join(place, 'first')}:${folder}` }).join('\n')).toContain(
    `finds ${place}/first/provisioning first`,
  );
});

test("somebody else's file, link, dangling link or folder is left as it is", () => {
  mkdirSync(folder, { recursive: true });
  const theirs: (() => void)[] = [
    () => writeFileSync(linked, 'theirs'),
    () => symlinkSync(join(checkout('other'), 'bin/provisioning.js'), linked),
    () => symlinkSync('/gone/bin/provisioning.js', linked),
    () => mkdirSync(linked),
  ];
  for (const put of theirs) {
    put();
    expect(() => link({ root, folder, path: onPath() })).toThrow(/^cannot link the program: .*: there is a .* already/);
    expect(() => unlink({ root, folder })).toThrow(/^cannot remove the link/);
    rmSync(linked, { recursive: true });
  }
  writeFileSync(linked, 'theirs');
  expect(() => link({ root, folder, path: onPath() })).toThrow();
  expect(readFileSync(linked, 'utf8')).toBe('theirs');
});

test('only its own link is removed', () => {
  expect(unlink({ root, folder })).toEqual([`not linked: ${linked}`]);
  link({ root, folder, path: onPath() });
  expect(readlinkSync(linked)).toBe(join(root, 'bin/provisioning.js'));
  expect(unlink({ root, folder })).toEqual([`removed: ${linked}`]);
  expect(unlink({ root, folder })).toEqual([`not linked: ${linked}`]);
});

test('what is not built is not linked', () => {
  rmSync(join(root, 'dist'), { recursive: true });
  expect(() => link({ root, folder, path: onPath() })).toThrow('this checkout is not built');
});
