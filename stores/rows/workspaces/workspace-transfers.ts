import * as z from 'zod';
import { table } from '../collection.js';

const part = z.strictObject({
  /** SHA-256 of its bytes, in hex. */
  hash: z.string(),
  /** Bytes. */
  size: z.int(),
  /** Address of the text that it is kept as; absent: it has not come yet. */
  kept: z.string().optional(),
  /** Address of the text that a call is about to keep it as: the end of the transfer removes it, and until then it has not come. */
  coming: z.string().optional(),
});

const workspaceTransfer = z.strictObject({
  /** There is a fixed number of slots, so that open transfers never fill the store. */
  slot: z.string(),
  /** Of an import the hash of its workspace and parts, so that the same file goes on; of an export random. Empty: it is being removed. */
  id: z.string(),
  /** Random: texts of parts begin with it, so that transfers share none. */
  mark: z.string(),
  kind: z.enum(['import', 'export']),
  workspace: z.string(),
  by: z.string(),
  /** Time of the last part: an idle transfer is removed. */
  at: z.iso.datetime(),
  parts: z.array(part),
});

export type WorkspaceTransfer = z.infer<typeof workspaceTransfer>;

/** Contents of workspaces on their way between platforms, in parts. A part is found only by the transfer that it belongs to. */
export const workspaceTransfers = table({
  name: 'workspace_transfers',
  row: workspaceTransfer,
  key: ['slot'],
  indexes: [],
  sealed: true,
});
