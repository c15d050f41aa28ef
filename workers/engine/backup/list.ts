import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupListing } from '../../../core/engine/backup.js';
import { messageOf, ProvisioningError } from '../../../core/errors.js';
import type { Home } from '../../../home/home.js';
import { readArchive } from './archive-reader.js';
import { infoOf, readManifest } from './manifest.js';

/** Lists the backups in a folder, the newest first, by their own unverified statements. */
export async function listBackups(home: Home, folder = home.backups): Promise<BackupListing[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found: BackupListing[] = [];
  for (const name of names.filter((one) => one.endsWith('.tar')).sort()) {
    const file = join(folder, name);
    try {
      const { size } = await stat(file);
      found.push(await readArchive(file, async (archive) => infoOf(file, size, (await readManifest(file, archive)).manifest)));
    } catch (error) {
      found.push({ file, problem: error instanceof ProvisioningError ? error.details.why : messageOf(error) });
    }
  }
  const created = (one: BackupListing) => ('created' in one ? one.created : '');
  return found.sort((a, b) => created(b).localeCompare(created(a)));
}
