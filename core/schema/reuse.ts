import * as z from 'zod';
import { word } from './text-fields.js';

/** A variable, as a definition declares it. */
const variable = z.strictObject({
  type: z
    .enum(['string', 'number', 'boolean', 'list', 'map'])
    .optional()
    .describe('Default: the type of `default`, otherwise string'),
  default: z.unknown().optional().describe('Value if no other value is set'),
  description: z.string().max(500).optional().describe('Purpose; shown when its value is requested'),
  sensitive: z.boolean().optional().describe('True for a reference to the secret of this name, which has no value in files'),
  enum: z
    .array(z.union([z.string(), z.number()]))
    .min(1)
    .optional()
    .describe('Allowed values'),
  min: z.number().optional().describe('Smallest allowed number'),
  max: z.number().optional().describe('Largest allowed number'),
});

export type VariableEntry = z.output<typeof variable>;

/** Name of a variable of a definition, or of a parameter of a template. */
export const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,62}$/, 'use letters, digits, dashes and underscores');

const secretOutput = z.union([
  z.strictObject({ secret: z.string() }),
  z.strictObject({ of: z.string(), path: z.string() }),
  z.strictObject({
    share: z.string().describe('Name of a value that a member of the group makes when a person asks for it, such as a token'),
    of: z.string().describe('Taskserv of the group, or SERVER/TASKSERV'),
  }),
]);

/** Keys for the reuse of definitions. A submitted definition has none of them. */
export const reuse = {
  include: z
    .array(z.string().min(1))
    .optional()
    .describe('Workspace files that this file extends, as relative paths; each can contain any part of a definition'),
  vars: z
    .record(variableName, z.union([z.string(), z.number(), z.boolean(), z.array(z.unknown()), variable]))
    .optional()
    .describe('Variables by name, each as its default or as `{ type, default, description, enum, min, max, sensitive }`'),
  env: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'write the name of an environment variable such as HOME'))
    .optional()
    .describe('Environment variables that `{{ env.NAME }}` can use'),
  use: z
    .union(
      [word(80), z.record(word(80), z.union([z.null(), z.record(variableName, z.unknown())]))],
      'write the name of a template, or { NAME: { PARAMETER: VALUE } }',
    )
    .optional()
    .describe('Templates that this definition extends, by name with parameters: `{ web: { size: large, count: 3 } }`'),
  outputs: z
    .record(
      variableName,
      z.union([
        z.string(),
        z.strictObject({
          value: z.unknown().describe('Text with expressions, a number, or a reference to a secret or to a share of a group'),
          description: z.string().max(500).optional().describe('Purpose'),
        }),
        secretOutput,
      ]),
    )
    .optional()
    .describe(
      'Outputs by name, shown after an apply: a text such as `http://{{ servers.web.address }}`, a secret, or a share of a group',
    ),
  interpolate: z
    .boolean()
    .optional()
    .describe('Whether texts contain expressions such as `{{ infra.name }}`. Default: only with `vars`, `env` or `outputs`'),
};
