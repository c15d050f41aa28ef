import { chmod, copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineRecord } from '../../../core/engine/engine.js';
import type { Home } from '../../../home/home.js';
import { ignoreMissing } from '../../../stores/files/listing.js';

/** Returns the folder in which a former version kept the certificates of the engine, with their keys. */
const formerFolder = (home: Home): string => join(home.engine, 'certificates');

/** Copies the certificates that a former version kept in the home: a draining worker still uses them. */
export async function bringCertificates(home: Home, folder: string): Promise<void> {
  const names = (await ignoreMissing(readdir(formerFolder(home)))) ?? [];
  if (names.length === 0 || (await ignoreMissing(readdir(folder)))) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of names) {
    await copyFile(join(formerFolder(home), name), join(folder, name));
    await chmod(join(folder, name), 0o600);
  }
}

/** Removes those in the home once the engine that is recorded uses others. */
export async function dropFormerCertificates(home: Home, { kind, certificates }: EngineRecord): Promise<void> {
  if (kind === 'own' && certificates && certificates !== formerFolder(home))
    await rm(formerFolder(home), { recursive: true, force: true });
}
