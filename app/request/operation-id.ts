import { randomBytes } from 'node:crypto';

/** `cluster-ensure-quickstart-mf3k2p9x4af1`: sorts by time among its like, and is never given twice. */
export function operationId(kind: string, verb: string, infra: string, now = Date.now()): string {
  return `${kind}-${verb}-${infra}-${now.toString(36)}${randomBytes(3).toString('hex')}`;
}

/** The verb in the ids of previews. */
export const PREVIEW_VERB = 'check';

/** What the ids of previews begin with: lists leave them out by it. */
export const previewPrefix = (kind: string): string => `${kind}-${PREVIEW_VERB}-`;
