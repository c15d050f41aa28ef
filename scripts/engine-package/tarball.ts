import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { execa } from 'execa';

/** Modification time that npm gives all files of a package. It makes packages of identical files identical. */
const MODIFIED = '1985-10-26T08:15:00Z';

/**
 * Packs the subfolder `package` reproducibly, as npm does: sorted names, a fixed time, no owner, no mode bits that
 * depend on the user.
 *
 * @param within the folder that has `package`
 * @param file the tarball to create, renamed into place
 */
export async function tarball(within: string, file: string): Promise<void> {
  const archive = `${file}.${process.pid}.tar`;
  await mkdir(dirname(file), { recursive: true });
  const same = ['--sort=name', '--format=ustar', `--mtime=${MODIFIED}`, '--owner=0', '--group=0', '--numeric-owner'];
  await execa('tar', [...same, '--mode=u+rw,go+r,go-w', '-cf', archive, '-C', within, 'package'], { env: { LC_ALL: 'C' } });
  const packed = `${file}.${process.pid}`;
  await pipeline(createReadStream(archive), createGzip(), createWriteStream(packed));
  await rm(archive);
  await rename(packed, file);
}
