import * as z from 'zod';
import { NAME, NAME_RULE } from '../names.js';

/** `provisioning.yaml`, which makes a folder a workspace. */
export const workspaceFile = z.strictObject({
  name: z.string().regex(NAME, `use ${NAME_RULE}`).describe('Name of the workspace, the same on every machine'),
  description: z.string().max(500, 'at most 500 characters').optional().describe('Purpose, in one line'),
  config: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Settings for all users of the workspace: provisioning config schema'),
});
