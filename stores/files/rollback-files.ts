import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../home/durable.js';
import { contextOfRollback, packRollback, type RollbackOwner, type RollbackStore, unpackRollback } from '../rollbacks.js';
import { bytesAt, twoDeep } from './listing.js';
import type { Sealer } from './sealer.js';

/** First byte of a file from a former release, which did not seal: the magic number of gzip (RFC 1952). */
const FORMER = 0x1f;

/** Roll-back data as sealed files, `<root>/<workspace>/<infra>/<operation>.json.gz`, private to their owner. */
export function rollbackFiles(root: string, sealer: Sealer): RollbackStore {
  const folderOf = ({ workspace, infra }: Omit<RollbackOwner, 'operation'>) =>
    join(root, encodeURIComponent(workspace), encodeURIComponent(infra));
  const fileOf = (operation: string) => `${encodeURIComponent(operation)}.json.gz`;
  const pathOf = (owner: RollbackOwner) => join(folderOf(owner), fileOf(owner.operation));

  async function read(owner: RollbackOwner) {
    const bytes = await bytesAt(pathOf(owner));
    return bytes && opened(bytes, owner);
  }

  async function opened(bytes: Buffer, owner: RollbackOwner) {
    return unpackRollback(bytes[0] === FORMER ? bytes : await (await sealer()).open(bytes, contextOfRollback(owner)));
  }

  return {
    async keep(owner, kept) {
      const cipher = await sealer();
      await replaceFile(pathOf(owner), cipher.seal(await packRollback(kept), contextOfRollback(owner)));
    },
    read,
    async find(operation) {
      const name = fileOf(operation);
      for await (const [workspace, infra] of twoDeep(root)) {
        const owner = { workspace: decodeURIComponent(workspace), infra: decodeURIComponent(infra), operation };
        const bytes = await bytesAt(root, workspace, infra, name);
        if (bytes) return { ...owner, ...(await opened(bytes, owner)) };
      }
      return undefined;
    },
    async drop({ operation, ...infra }) {
      const path = operation === undefined ? folderOf(infra) : pathOf({ ...infra, operation });
      await rm(path, { recursive: true, force: true });
    },
  };
}
