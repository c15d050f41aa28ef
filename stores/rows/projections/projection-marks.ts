import * as z from 'zod';
import { table } from '../collection.js';

const projectionMark = z.strictObject({
  /** `operations`. */
  projection: z.string(),
  /** Time before which all ended operations are in the projection. Absent: unknown. */
  through: z.iso.datetime().optional(),
  /** The process that writes the projection, and until when no other one does. */
  holder: z.string(),
  until: z.iso.datetime(),
});

export type ProjectionMark = z.infer<typeof projectionMark>;

/** Progress of each projection, and the process that writes it. */
export const projectionMarks = table({
  name: 'projection_marks',
  row: projectionMark,
  key: ['projection'],
  indexes: [],
  sealed: true,
});
