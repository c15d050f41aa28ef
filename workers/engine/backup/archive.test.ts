import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tar } from '../../../providers/local/docker/tar.js';
import { hashOfEntry, readArchive } from './archive-reader.js';
import { takeName, writeArchive } from './archive-writer.js';
import { BLOCK, decodeHeader, encodeHeader } from './tar-header.js';

let place: string;
let file: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'archive-'));
  file = join(place, 'one.tar');
});
afterEach(() => rm(place, { recursive: true, force: true }));

const names = (path: string) => readArchive(path, async ({ entries }) => [...entries.keys()]);
const refused = (why: RegExp) => ({ details: { code: 'backup-damaged', why: expect.stringMatching(why) } });
/** Creates a header that anyone could write, with a matching checksum. */
function forged(change: (block: Buffer) => void): Buffer {
  const block = encodeHeader({ name: 'secret/1', size: 3 }, new Date(0));
  change(block);
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
const archiveOf = (...blocks: Buffer[]) => writeFile(file, Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]));

describe('an archive', () => {
  test('is read as it was written, by us and by tar, and is private', async () => {
    await writeFile(join(place, 'large'), Buffer.alloc(3_000_001, 'x'));
    const written = await writeArchive(file, async (archive) => {
      await archive.bytes('secret/1', Buffer.from('abc'));
      await archive.file('engine/temporal.db', join(place, 'large'));
    });
    expect(written).toBe((await stat(file)).size);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(execFileSync('tar', ['-tvf', file], { encoding: 'utf8' })).toMatch(/-rw------- .* 3000001 .* engine\/temporal\.db/);
    await readArchive(file, async (archive) => {
      const [small, large] = [...archive.entries.values()];
      expect((await archive.bytes(small as never, 3)).toString()).toBe('abc');
      const sum = createHash('sha256').update(Buffer.alloc(3_000_001, 'x')).digest('hex');
      expect(await hashOfEntry(archive, large as never)).toBe(sum);
      await expect(archive.bytes(large as never, 3_000_000)).rejects.toMatchObject(refused(/at most 3000000 are allowed/));
    });
  });

  test('takes the place of no other, and leaves nothing behind where it fails', async () => {
    await writeArchive(file, async () => {});
    await expect(writeArchive(file, async () => {})).rejects.toMatchObject({ details: { code: 'backup-exists' } });
    await rm(file);
    await expect(writeArchive(file, () => Promise.reject(new Error('full')))).rejects.toThrow('full');
    expect(await readdir(place)).toEqual([]);
  });

  test('has its name also where the file system knows no links, and takes the place of no other there', async () => {
    const draft = join(place, 'draft');
    const without = () => Promise.reject(Object.assign(new Error('not permitted'), { code: 'EPERM' }));
    await writeFile(draft, 'whole');
    await takeName(draft, file, without);
    expect([await readdir(place), await readFile(file, 'utf8')]).toEqual([['one.tar'], 'whole']);
    await writeFile(draft, 'another');
    await expect(takeName(draft, file, without)).rejects.toMatchObject({ details: { code: 'backup-exists' } });
    expect(await readFile(file, 'utf8')).toBe('whole');
    await rm(file);
    await expect(takeName(join(place, 'none'), file, without)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readdir(place)).toEqual(['draft']);
  });

  test('of more than 8 GiB has its size in the form that tar reads', () => {
    const size = 20 * 1024 ** 3 + 7;
    expect(decodeHeader(encodeHeader({ name: 'engine/temporal.db', size }, new Date(0)))).toEqual({
      name: 'engine/temporal.db',
      size,
    });
  });

  test.each(['../x', '/etc/passwd', 'a/../../b', 'A', ''])('with an entry that leads elsewhere is refused: %j', async (name) => {
    await archiveOf(
      forged((block) => block.fill(0, 0, 100).write(name, 0, 'latin1')),
      Buffer.alloc(BLOCK),
    );
    await expect(names(file)).rejects.toMatchObject(refused(/is not a valid name of an entry/));
  });

  test.each([
    ['a link', '2'],
    ['a hard link', '1'],
    ['a device', '3'],
    ['a folder', '5'],
    ['a long name', 'L'],
  ])('with %s is refused', async (_, type) => {
    await archiveOf(
      forged((block) => block.write(type, 156)),
      Buffer.alloc(BLOCK),
    );
    await expect(names(file)).rejects.toMatchObject(refused(/is not a regular file/));
  });

  test('that says more than it has, or the same twice, is refused', async () => {
    await archiveOf(
      forged((block) => block.write('77777777777', 124)),
      Buffer.alloc(BLOCK),
    );
    await expect(names(file)).rejects.toMatchObject(refused(/goes beyond the end/));
    const one = [encodeHeader({ name: 'secret/1', size: 3 }, new Date(0)), Buffer.alloc(BLOCK)];
    await archiveOf(...one, ...one);
    await expect(names(file)).rejects.toMatchObject(refused(/is there twice/));
    await writeFile(file, Buffer.concat(one));
    await expect(names(file)).rejects.toMatchObject(refused(/ends too early/));
    await writeFile(file, Buffer.alloc(4 * BLOCK, 'no archive'));
    await expect(names(file)).rejects.toMatchObject(refused(/not a tar archive/));
    await expect(names(join(place, 'none'))).rejects.toMatchObject({ details: { code: 'no-backup' } });
    await expect(names(place)).rejects.toMatchObject(refused(/it is not a file/));
  });

  test('that somebody else made is none of ours', async () => {
    await writeFile(file, tar([{ path: 'settings.yaml', mode: 0o644, content: 'store: evil' }]));
    expect(await names(file)).toEqual(['settings.yaml']);
    await symlink('/etc/hostname', join(place, 'link.tar'));
    await expect(names(join(place, 'link.tar'))).rejects.toMatchObject(refused(/./));
  });
});
