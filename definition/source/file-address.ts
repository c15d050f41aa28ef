import { createHash } from 'node:crypto';
import { fileRecord } from '../../core/definition/bundle.js';

/** SHA-256 of a text's record: the content address of a file of a bundle. */
export const addressOfFile = (workspace: string, text: string): string =>
  createHash('sha256').update(fileRecord(workspace, text)).digest('hex');
