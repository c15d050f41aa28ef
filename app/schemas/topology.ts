import * as z from 'zod';

const text = z.string();

/** A topology of test environments, as a list shows it. */
export const listedTopology = z.strictObject({
  name: text,
  description: text,
  unavailable: text.optional().describe('Reason why it cannot be created yet'),
});
export type ListedTopology = z.output<typeof listedTopology>;
