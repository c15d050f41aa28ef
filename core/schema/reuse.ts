import * as z from 'zod';

/** A variable, as a definition declares it. */
const variable = z.strictObject({
  type: z.enum(['string', 'number', 'boolean', 'list', 'map']).optional().describe('Default: that of `default`, else string'),
  default: z.unknown().optional().describe('Its value where nobody gives another'),
  description: z.string().max(500).optional().describe('What it is for; who is asked for its value reads it'),
  sensitive: z.boolean().optional().describe('It stands for the secret of its name, and has no value in files'),
  enum: z
    .array(z.union([z.string(), z.number()]))
    .min(1)
    .optional()
    .describe('The values that it may have'),
});

export type VariableEntry = z.output<typeof variable>;

const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,62}$/, 'use letters, digits, dashes and underscores');

/** What makes a definition one that can be reused: nothing of it is left in what is submitted. */
export const reuse = {
  include: z
    .array(z.string().min(1))
    .optional()
    .describe('Files of the workspace that this one is laid over, relative to it; each may hold any part of a definition'),
  vars: z
    .record(variableName, z.union([z.string(), z.number(), z.boolean(), z.array(z.unknown()), variable]))
    .optional()
    .describe('Variables by their names, each as its default or as `{ type, default, description, enum, sensitive }`'),
  env: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'write the name of an environment variable such as HOME'))
    .optional()
    .describe('Environment variables that `{{ env.NAME }}` may name'),
  interpolate: z
    .boolean()
    .optional()
    .describe('Whether texts have expressions such as `{{ infra.name }}`. Default: only where there are `vars` or `env`'),
};
