import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { packedRollback, type RollbackOwner, type RollbackStore, unpackedRollback } from '../rollbacks.js';

/** Roll-back data as files, `<root>/<workspace>/<infra>/<operation>.json.gz`, private to their owner. */
export function rollbackFiles(root: string): RollbackStore {
  const folderOf = ({ workspace, infra }: Omit<RollbackOwner, 'operation'>) =>
    join(root, encodeURIComponent(workspace), encodeURIComponent(infra));
  const fileOf = (operation: string) => `${encodeURIComponent(operation)}.json.gz`;
  const pathOf = (owner: RollbackOwner) => join(folderOf(owner), fileOf(owner.operation));

  async function read(owner: RollbackOwner) {
    const bytes = await orNothing(readFile(pathOf(owner)));
    return bytes && unpackedRollback(bytes);
  }

  return {
    async keep(owner, kept) {
      const path = pathOf(owner);
      const folder = dirname(path);
      if (await mkdir(folder, { recursive: true, mode: 0o700 }))
        for (const above of [dirname(folder), root]) await keepNames(above);
      const draft = join(folder, `.${randomUUID()}`);
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(await packedRollback(kept));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, path);
      await keepNames(folder);
    },
    read,
    async find(operation) {
      const name = fileOf(operation);
      for (const workspace of (await orNothing(readdir(root))) ?? []) {
        for (const infra of (await orNothing(readdir(join(root, workspace)))) ?? []) {
          const owner = { workspace: decodeURIComponent(workspace), infra: decodeURIComponent(infra), operation };
          const bytes = await orNothing(readFile(join(root, workspace, infra, name)));
          if (bytes) return { ...owner, ...(await unpackedRollback(bytes)) };
        }
      }
      return undefined;
    },
    async drop({ operation, ...infra }) {
      const path = operation === undefined ? folderOf(infra) : pathOf({ ...infra, operation });
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** Sees that the names in a folder outlive a crash of the machine. */
async function keepNames(folder: string): Promise<void> {
  const own = await open(folder, 'r');
  await own.sync().finally(() => own.close());
}

const orNothing = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
