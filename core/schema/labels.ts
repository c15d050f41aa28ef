import * as z from 'zod';
import { server } from './loaded-definition.js';
import { actor, name } from './request-fields.js';

/** Request for the labelled resources of all lives of an infra. */
export const labels = z.strictObject({
  workspace: name,
  infra: name,
  actor,
  /** Machines of its definition that were there before. Given, if only as none: what hosts say of themselves is read, too. */
  machines: z.array(server.omit({ taskservs: true })).optional(),
});

export type LabelsRequest = z.output<typeof labels>;
