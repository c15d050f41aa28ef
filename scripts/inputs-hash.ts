import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Hashes the sources of these folders, except tests, and these files: the inputs of a build step.
 *
 * @param read what of a file counts; `undefined`: not even that it is there; default: all of it
 */
export function inputsHash(
  root: string,
  folders: readonly string[],
  files: readonly string[],
  read: (path: string) => string | Buffer | undefined = (path) => readFileSync(path),
): string {
  const sum = createHash('sha256');
  const sources = folders.flatMap((folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
      : [],
  );
  const wanted = sources.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  for (const name of [...wanted.sort(), ...files].filter((name) => existsSync(join(root, name)))) {
    const text = read(join(root, name));
    if (text !== undefined) sum.update(name).update('\0').update(text).update('\0');
  }
  return sum.digest('hex');
}
