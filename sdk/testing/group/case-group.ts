import { type AnyTaskserv, absentValue, type Facts, type GroupContext, type Member } from '../../index.js';

/**
 * Members of a group in a case, by the names of their servers, in the order of the definition. A member that was seen has
 * its answers by the names of the group's facts; facts that are not named are absent. `silent`: its host did not answer.
 * `expected`: it is not installed.
 *
 * @example { "a": { "member": { "leads": true } }, "b": "silent", "c": "expected" }
 */
export type CaseGroup = Record<string, 'silent' | 'expected' | Record<string, unknown>>;

/** Returns the group as a plan sees it. Throws for a taskserv without groups, and for an unknown fact. */
export function readGroup({ name, group }: AnyTaskserv, config: unknown, given: CaseGroup): GroupContext {
  const called = group?.of(config);
  if (!group || called === undefined) throw new Error(`${name} belongs to no group with this configuration`);
  const facts: Facts = group.facts(config);
  const absent = Object.fromEntries(Object.entries(facts).map(([fact, asked]) => [fact, absentValue(asked)]));
  const members = Object.entries(given).map(([server, said]): Member => {
    const base = { server, address: server, machine: `machine-${server}` };
    if (typeof said === 'string') return { ...base, state: said };
    const strange = Object.keys(said).find((fact) => !(fact in facts));
    if (strange) throw new Error(`the group of ${name} has no fact "${strange}", only ${Object.keys(facts).join(', ')}`);
    const found = { ...absent, ...said };
    return { ...base, state: 'seen', standing: group.standing(found), found };
  });
  return { name: called, members };
}
