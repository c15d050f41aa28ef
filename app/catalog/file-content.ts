import * as z from 'zod';
import type { Source } from '../../definition/source/source.js';
import { jsonDocument } from '../schemas/catalog.js';

/** A file of the platform: its data and its text. */
export const fileContent = {
  document: jsonDocument.describe('The file as JSON'),
  text: z.string().describe('The file as it is written, with comments'),
};

/** Describes a file that was read. */
export const describeContent = ({ value, texts }: Source) => ({
  // As JSON: the value of a reader has more than a document can have.
  document: JSON.parse(JSON.stringify(value)) as Record<string, unknown>,
  text: texts?.[0]?.text ?? '',
});
