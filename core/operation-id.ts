import { inputError } from './errors.js';
import { OPERATION_KINDS } from './names.js';

/** `cluster-ensure-quickstart-mf3k2p9x4af1`: sorts by time among its like, and is never given twice. */
export function operationId(kind: string, verb: string, infra: string, now = Date.now()): string {
  return `${kind}-${verb}-${infra}-${now.toString(36)}${randomHex(3)}`;
}

const randomHex = (bytes: number) =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The verb in the ids of previews. */
const PREVIEW_VERB = 'check';

/** Prefixes of previews' ids. Lists omit ids with one of them. */
export const PREVIEW_PREFIXES: readonly string[] = OPERATION_KINDS.map((kind) => `${kind}-${PREVIEW_VERB}-`);

/** Characters of an id, at most: core/schema/request-fields.ts. */
const LONGEST = 200;

/** Whether an id is that of a preview: no operation that changes something can have such an id. */
export const isPreviewId = (id: string): boolean => PREVIEW_PREFIXES.some((prefix) => id.startsWith(prefix));

/**
 * Returns the id of a request's preview, which follows from the request's id. A caller that repeats a request after a
 * lost answer gets the same preview.
 */
export function previewIdOf({ id, kind, intent }: { id: string; kind: string; intent: { verb: string } }): string {
  if (isPreviewId(id)) return id;
  const prefix = `${kind}-${PREVIEW_VERB}-`;
  const own = `${kind}-${intent.verb}-`;
  const rest = id.startsWith(own) ? id.slice(own.length) : id;
  // The end of an id is what tells it from others.
  return `${prefix}${rest.slice(-(LONGEST - prefix.length))}`;
}

/**
 * Refuses an id that lists would take for that of a preview, and leave out.
 *
 * @throws inputError `preview-id`
 */
export function checkNoPreviewId(id: string, what: string): void {
  if (!isPreviewId(id)) return;
  const why = 'ids with this beginning are for previews, and lists would not show the operation';
  throw inputError({ code: 'preview-id', what, on: id, why, hint: 'choose another id' });
}
