import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { packTar } from './tar.js';

test('the archive of a directory has the bytes that GNU tar makes of it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tar-'));
  try {
    const long = `${'long-name-'.repeat(12)}/${'é'.repeat(70)}`;
    const files: [string, string, number?][] = [
      ['a', ''],
      ['b/run', 'x'.repeat(513), 0o755],
      ['b/private', 'x'.repeat(512), 0o600],
      ['b/written-by-all', 'y', 0o666],
      ['-rf', 'dash'],
      ['new\nline', 'n'],
      [`${'n'.repeat(99)}`, '99'],
      [`${'n'.repeat(100)}`, '100'],
      [`${'n'.repeat(101)}`, '101'],
      [long, 'long'],
    ];
    for (const [path, text, mode = 0o644] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
      chmodSync(join(folder, path), mode);
    }
    const links = {
      link: 'a',
      'link-100': 'm'.repeat(100),
      'link-99': 'm'.repeat(99),
      [`b/${'l'.repeat(120)}`]: `../${'m'.repeat(150)}`,
    };
    for (const [path, target] of Object.entries(links)) symlinkSync(target, join(folder, path));
    const paths = [...files.map(([path]) => path), ...Object.keys(links)].sort();
    const same = [
      '--sort=none',
      '--mtime=@0',
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--mode=u+rw,go+r,go-w',
      '--format=gnu',
    ];
    const args = [...same, '-C', folder, '--null', '--verbatim-files-from', '--no-recursion', '-T', '-', '-cf', '-'];
    const expected = execFileSync('tar', args, { input: paths.map((path) => `${path}\0`).join('') });
    const made = packTar(
      paths.map((path) => {
        const found = lstatSync(join(folder, path));
        const isLink = found.isSymbolicLink();
        const content = isLink ? Buffer.from(readlinkSync(join(folder, path))) : readFileSync(join(folder, path));
        return { path: Buffer.from(path), mode: found.mode, content, isLink };
      }),
    );
    for (let at = 0; at < expected.length; at += 512) {
      const block = (bytes: Buffer) => bytes.subarray(at, at + 512).toString('latin1');
      expect([at, block(made)]).toEqual([at, block(expected)]);
    }
    expect(made.equals(expected)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
