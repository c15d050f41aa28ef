import * as z from 'zod';
import type { Resource } from '../principal.js';

const text = z.string();

/** Resource that every principal of a platform sees in the same way. */
export const catalogResource = (): Resource => ({ type: 'Template', id: '*' });

/** A taskserv as a list shows it. */
export const listedTaskserv = z.strictObject({
  name: text,
  category: text,
  description: text,
  versions: z.array(text).describe('Supported versions, newest first'),
  default: text.describe('Version of a definition that names none'),
});

/** JSON without a schema here, for documents whose format has its own schema. */
export const jsonDocument = z.record(z.string(), z.unknown());

export const listedProvider = z.strictObject({
  name: text,
  description: text,
  accounts: z.array(text).describe('Accounts that the platform has credentials for'),
  sizes: z.record(z.string(), text).describe("Vendor's plan of each size"),
  regions: z.array(text),
  features: z.array(text),
  images: z.array(text),
});

export const listedTemplate = z.strictObject({
  name: text,
  description: text,
  parameters: z.array(
    z.strictObject({
      name: text,
      type: text,
      description: text.optional(),
      default: z.unknown().optional().describe('Absent if the parameter is required'),
      enum: z
        .array(z.union([text, z.number()]))
        .optional()
        .describe('Allowed values'),
      min: z.number().optional().describe('Smallest allowed number'),
      max: z.number().optional().describe('Largest allowed number'),
    }),
  ),
  sizes: z
    .record(text, z.record(text, z.unknown()))
    .describe('Values of parameters for each size, which the parameter `size` chooses; empty if the template has no sizes'),
  outputs: z.array(z.strictObject({ name: text, description: text.optional() })),
});
