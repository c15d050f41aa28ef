import * as z from 'zod';
import { table } from '../collection.js';

const projectionMark = z.strictObject({
  /** `operations`. */
  projection: z.string(),
  /** All that ended before this time is in the projection. Absent: nothing is known to be. */
  through: z.iso.datetime().optional(),
  /** The process that writes the projection, and until when no other one does. */
  holder: z.string(),
  until: z.iso.datetime(),
});

export type ProjectionMark = z.infer<typeof projectionMark>;

/** How far each projection is written, and by whom. */
export const projectionMarks = table({
  name: 'projection_marks',
  row: projectionMark,
  key: ['projection'],
  indexes: [],
  sealed: true,
});
