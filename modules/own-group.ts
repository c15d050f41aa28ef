import * as z from 'zod';
import type { Facts } from '../core/host/facts.js';
import type { Step } from '../core/host/step.js';
import type { Group, Standing } from '../core/taskserv/groups/group.js';
import * as answers from './answers.js';
import type { Asker } from './asking.js';
import { compareFiles, sendFound, sendGroup, sendMember } from './sent-found.js';

const groupName = z.strictObject({ name: z.string().min(1).max(200).optional() });
const script = z.strictObject({
  run: z
    .string()
    .min(1)
    .max(64 * 1024),
});
const factValue = z.strictObject({ value: z.unknown() });
const standing = z.strictObject({
  group: z.string().min(1).max(500).optional(),
  serves: z.boolean(),
  leads: z.literal(true).optional(),
  voters: z.int().min(0).max(10_000).optional(),
  lists: z.array(z.string().max(253)).max(10_000).readonly().optional(),
  id: z.string().max(500).optional(),
  why: z.string().max(2_000).optional(),
  // A part that authors may give, and this does not know, would be refused where their taskserv runs.
} satisfies Record<keyof Standing, z.ZodType>);

/** The group of a taskserv whose code comes with the definition. */
export function createOwnGroup(
  asking: Asker,
  { quorum, leave, handOver, shares }: NonNullable<z.output<typeof answers.descriptionAnswer>['has']['group']>,
): Group<unknown> {
  return {
    quorum,
    of: (config) => asking(groupName, 'groupName', [config]).name,
    facts: (config): Facts =>
      Object.fromEntries(
        Object.entries(asking(answers.facts, 'groupFacts', [config])).map(([fact, sent]) => [
          fact,
          sent.kind === 'command'
            ? {
                ...{ absent: undefined, ...sent, given: { entry: fact, command: sent.run } },
                parse: (output) => asking(factValue, 'groupFact', [config, fact, output]).value,
              }
            : sent,
        ]),
      ),
    standing: (found) => asking(standing, 'groupStanding', [sendFound(found)], compareFiles(found)) as Standing,
    ...(leave && {
      leave: (config, leaving, group) =>
        asking(answers.steps, 'groupLeave', [config, sendMember(leaving), sendGroup(group)]) as Step[],
    }),
    ...(handOver && {
      handOver: (config, leader, group, to) =>
        asking(answers.steps, 'groupHandOver', [
          config,
          sendMember(leader),
          sendGroup(group),
          to ? sendMember(to) : null,
        ]) as Step[],
    }),
    ...(shares && {
      shares: Object.fromEntries(
        Object.entries(shares).map(([name, one]) => [
          name,
          {
            ...one,
            make: (config, at, group) => asking(script, 'groupShare', [config, name, sendMember(at), sendGroup(group)]).run,
          },
        ]),
      ) as Group<unknown>['shares'],
    }),
  };
}
