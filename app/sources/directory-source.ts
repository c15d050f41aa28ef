import { spawn } from 'node:child_process';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS, sizeText } from '../../core/limits.js';
import { git, SMALLER } from './git.js';
import { refuseLinksOut } from './links.js';
import { SourceFault } from './source-fault.js';

/**
 * What a directory has, as a tar archive that is the same for the same files. Of a Git checkout it is what Git knows,
 * and what it does not ignore.
 *
 * @throws SourceFault
 */
export async function archiveOfDirectory(env: Readonly<Record<string, string | undefined>>, folder: string): Promise<Buffer> {
  const there = await lstat(folder).catch(() => undefined);
  if (!there?.isDirectory()) throw new SourceFault(there ? 'it is not a directory' : 'there is no such directory');
  const files: string[] = [];
  let size = 0;
  for (const path of (await filesIn(env, folder)).sort()) {
    const found = await lstat(join(folder, path)).catch(() => undefined);
    if (!found) continue; // Git still knows it, and it was removed.
    if (found.isSymbolicLink()) refuseLinksOut(path, await readlink(join(folder, path)));
    else if (!found.isFile()) throw new SourceFault(`${path} is neither a file nor a link`);
    size += found.size;
    if (size > LIMITS.sourceFiles) throw new SourceFault(`it is larger than ${sizeText(LIMITS.sourceFiles)}`, SMALLER);
    files.push(path);
  }
  if (files.length === 0) throw new SourceFault('there is no file in it');
  return tarOf(folder, files);
}

async function filesIn(env: Readonly<Record<string, string | undefined>>, folder: string): Promise<string[]> {
  const known = await git(env, ['-C', folder, 'ls-files', '-z', '--cached', '--others', '--exclude-standard']).catch(
    () => undefined,
  );
  if (known?.exit === 0) return [...new Set(known.stdout.toString('utf8').split('\0').filter(Boolean))];
  const found: string[] = [];
  const walk = async (inside: string): Promise<void> => {
    for (const entry of await readdir(join(folder, inside), { withFileTypes: true })) {
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
      if (entry.isDirectory()) {
        if (entry.name !== '.git') await walk(path);
      } else found.push(path);
      if (found.length > 100_000) throw new SourceFault('it has more than 100,000 files', SMALLER);
    }
  };
  await walk('');
  return found;
}

async function tarOf(folder: string, files: readonly string[]): Promise<Buffer> {
  const same = ['--sort=none', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u+rw,go+r,go-w', '--format=gnu'];
  const child = spawn('tar', [...same, '-C', folder, '--null', '--verbatim-files-from', '--no-recursion', '-T', '-', '-cf', '-'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const out: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  child.stdin.on('error', () => {});
  child.stdin.end(files.map((path) => `${path}\0`).join(''));
  const exit = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (exit !== 0) throw new SourceFault(`tar cannot pack it: ${stderr.trim().split('\n').at(-1)}`);
  return Buffer.concat(out);
}
