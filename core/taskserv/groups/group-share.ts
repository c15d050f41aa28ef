import * as z from 'zod';
import { actor, name, word } from '../../schema/request-fields.js';

/** Request for the share of a group that an output of the applied definition names. */
export const groupShare = z.strictObject({ workspace: name, infra: name, actor, output: word });

export const groupShareAnswer = z.strictObject({
  /** Name by which its value is kept among the secrets of the infra. The value itself is in no answer of a workflow. */
  secret: z.string(),
  /** When it expires, in milliseconds. */
  until: z.number(),
  /** A member made it for this request. */
  made: z.boolean(),
});

export type GroupShareRequest = z.output<typeof groupShare>;
export type GroupShareAnswer = z.output<typeof groupShareAnswer>;
