import { gzipSync } from 'node:zlib';

/** Entry of an archive with the contents of its header. `size` may be larger than the content. */
export interface Entry {
  name: string;
  /** Type in the header: 0 file, 1 hard link, 2 symbolic link, 3 and 4 devices, 5 folder, 6 named pipe. Default: 0. */
  type?: '0' | '1' | '2' | '3' | '4' | '5' | '6';
  target?: string;
  text?: string;
  mode?: number;
  size?: number;
}

const BLOCK = 512;

/** @param format `ustar` or, for sizes from 8 GiB, GNU's binary number */
function header({ name, type = '0', target = '', text = '', mode = type === '5' ? 0o755 : 0o644, size }: Entry): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) => block.write(value.toString(8).padStart(length - 1, '0'), at);
  block.write(name, 0, 100);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  const bytes = size ?? Buffer.byteLength(text);
  if (bytes < 8 ** 11) octal(bytes, 124, 12);
  else {
    block[124] = 0x80;
    block.writeBigUInt64BE(BigInt(bytes), 128);
  }
  octal(1_795_000_000, 136, 12);
  block.fill(' ', 148, 156);
  block.write(type, 156);
  block.write(target, 157, 100);
  block.write('ustar\0' + '00', 257);
  octal(8, 329, 8);
  octal(1, 337, 8);
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return block;
}

/** Returns the blocks of entries, without the end of an archive. */
function blocksOf(entries: readonly Entry[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const content = Buffer.from(entry.text ?? '');
      return [header(entry), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
    }),
  );
}

/** Returns an archive with these exact entries, which no `tar` would write. */
export const archiveOf = (entries: readonly Entry[]): Buffer =>
  gzipSync(Buffer.concat([blocksOf(entries), Buffer.alloc(2 * BLOCK)]));

/** Archive with a harmful action for root, and the expected error. */
export interface Hostile {
  title: string;
  archive: () => Buffer;
  /** Expected error text: the entry and its fault. */
  said: RegExp;
}

/** File that all of them try to create; a link cannot create it. */
export const PRIZE = '/etc/prize';

const honest: Entry = { name: 'index.html', text: 'shop' };
const link = (name: string, target: string): Entry => ({ name, type: '2', target });
const hostile = (title: string, entries: Entry[], said: RegExp): Hostile => ({
  title,
  archive: () => archiveOf([honest, ...entries]),
  said,
});

const OUT = 'is a link that leads out of the archive';
const deep = Array.from({ length: 6 }, (_, index) => ({
  name: 'abcdef'
    .slice(0, index + 1)
    .split('')
    .join('/'),
  type: '5' as const,
}));

/** Ways out of a folder through a link in it, one of each kind. */
const WAYS_OUT: [string, Entry[], string][] = [
  ['absolute', [link('l', PRIZE)], 'l'],
  ['upwards', [link('l', '../../etc/prize')], 'l'],
  ['upwards by one', [link('l', '..')], 'l'],
  [
    'over a link whose text stays inside',
    [...deep, link('a/b/c/d/e/l', '../../../../..'), link('m', 'a/b/c/d/e/l/../../../../etc/prize')],
    'm',
  ],
  [
    'over a link to a folder',
    [{ name: 'a', type: '5' }, { name: 'a/b', type: '5' }, link('s', 'a/b'), link('t', 's/../../../x')],
    't',
  ],
  ['in a circle', [link('l', 'm'), link('m', 'l')], '[lm]'],
  ['down into a folder and out', [{ name: 'a', type: '5' }, link('a/l', '../../x')], 'a/l'],
];

/** Entries that use the name of a former release's mark. */
const MARKS: [string, Entry][] = [
  ['a link', link('.provisioning-artifact', PRIZE)],
  ['a link inside', link('.provisioning-artifact', 'index.html')],
  ['a file', { name: '.provisioning-artifact', text: `${'0'.repeat(64)}\n` }],
  ['a folder', { name: '.provisioning-artifact', type: '5' }],
];

/** All hostile archives. Add a line here for a new kind of harm. */
export const HOSTILE: readonly Hostile[] = [
  ...WAYS_OUT.map(([how, entries, name]) => hostile(`a link ${how}`, entries, new RegExp(`entry ${name} ${OUT}`))),
  ...MARKS.map(([what, entry]) =>
    hostile(`the mark as ${what}`, [entry], /entry \.provisioning-artifact (has a name that is reserved|is a link)/),
  ),
  hostile(
    'a link, and a file beneath it',
    [link('l', '/etc'), { name: 'l/prize', text: 'x' }],
    /l\/prize: Cannot open|entry l is a link/,
  ),
  hostile('a block device', [{ name: 'disk', type: '4' }], /entry disk is a device/),
  hostile('a character device', [{ name: 'dev/mem', type: '3' }], /entry dev\/mem is a device/),
  hostile('a named pipe', [{ name: 'pipe', type: '6' }], /entry pipe is a named pipe/),
  hostile('an absolute name', [{ name: PRIZE, text: 'x' }], /entry \/etc\/prize has an absolute name/),
  hostile('a name upwards', [{ name: '../../etc/prize', text: 'x' }], /entry \.\.\/\.\.\/etc\/prize has a name with \.\. in it/),
  hostile('a hard link outside', [{ name: 'h', type: '1', target: '../../etc/passwd' }], /h: Cannot hard link|tar failed/),
  hostile('a hard link over a link', [link('l', '/etc'), { name: 'h', type: '1', target: 'l/shadow' }], /l\/shadow|tar failed/),
  hostile('more bytes than are allowed', [{ name: 'huge', size: 9 * 1024 ** 3 }], /entry huge makes it more than \d+ bytes/),
  {
    title: 'more entries than are allowed',
    archive: () =>
      gzipSync(
        Buffer.concat(
          Array.from({ length: 501 }, () => blocksOf([{ name: 'e' }])).map((one) =>
            Buffer.concat(Array.from({ length: 1000 }, () => one)),
          ),
        ),
        { level: 1 },
      ),
    said: /entry e makes it more than \d+ entries/,
  },
  {
    title: 'an archive before the archive',
    archive: () => Buffer.concat([archiveOf([link('l', PRIZE)]), archiveOf([honest])]),
    said: /entry l is a link that leads out/,
  },
];

/** Returns a benign archive: links inside, programs, hidden files, unusual modes and names. */
export const HONEST = (): Buffer =>
  archiveOf([
    { name: './', type: '5', mode: 0o777 },
    honest,
    { name: 'bin', type: '5' },
    { name: 'bin/shop', text: '#!/bin/sh\necho shop\n', mode: 0o6755 },
    { name: '.hidden', text: 'h', mode: 0o600 },
    { name: 'a b\nc', text: 'odd' },
    link('bin/to', '../bin/./shop'),
    link('current', 'bin'),
    link('later', 'not/yet'),
    { name: 'same', type: '1', target: 'index.html' },
  ]);
