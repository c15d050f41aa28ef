import * as z from 'zod';
import { KIND } from './fields.js';

/** How a definition names a file, or a folder, whose content it takes from beside itself. */
export const CONTENT_OF = 'content-of';
export const TREE_OF = 'tree-of';

/** A file next to a definition, after reading: a text, or base64 for binary content. */
export interface FileContent {
  text?: string;
  base64?: string;
  /** Its owner may run it. */
  executable?: true;
}

const unread = (form: string) =>
  z
    .strictObject({ [form]: z.string(), template: z.boolean().optional() })
    .refine(() => false, { error: `{ ${form} } is read in a definition and what it includes, not in a template of clusters/` });

/** The content of a file: written out, or `{ content-of: PATH }`. */
export function fileContent() {
  const error = 'write a text, or { content-of: PATH } for a file of the workspace';
  const read = z
    .strictObject({ text: z.string().optional(), base64: z.base64().optional(), executable: z.literal(true).optional() })
    .refine(({ text, base64 }) => (text === undefined) !== (base64 === undefined), { error });
  return z
    .union([z.string(), read, unread(CONTENT_OF)], { error })
    .transform((value): FileContent => (typeof value === 'string' ? { text: value } : (value as FileContent)))
    .meta({ [KIND]: 'content' });
}

/** A path below a folder: no part is `.`, `..` or empty, and none has control characters or a backslash. */
export const IS_BELOW = /^(?!\.{1,2}(?:\/|$))[^\p{C}\\/]+(?:\/(?!\.{1,2}(?:\/|$))[^\p{C}\\/]+)*$/u;

/** The files of a folder by their paths in it: `{ tree-of: PATH }`, or each with its content. */
export function folderContent() {
  const error = 'write { tree-of: PATH } for a folder of the workspace, or a map of paths to files';
  const path = z.string().max(500).regex(IS_BELOW, { error: 'a path in a tree is relative, without "." and ".."' });
  return z.record(path, fileContent(), { error }).meta({ [KIND]: 'tree' });
}
