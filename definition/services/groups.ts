import type { Findings } from '../source/findings.js';
import type { Path } from '../source/problem.js';
import type { FurnishedServer } from './furnished.js';
import type { PlacedService } from './settle-services.js';

/** A service that belongs to a group, on its server. */
interface PlacedMember {
  server: FurnishedServer['server'];
  placed: PlacedService;
}

/**
 * Joins services to groups, as their taskservs say it, and reports groups that cannot do what a group is for. Members
 * refer to each other, so that narrower operations know where the others are.
 */
export function joinGroups(all: readonly FurnishedServer[], findings: Findings): void {
  const groups = new Map<string, PlacedMember[]>();
  for (const { server, placed } of all) {
    for (const one of placed) {
      const { taskserv, spec } = one;
      const name = spec.config === undefined ? undefined : taskserv.group?.of(spec.config);
      if (name === undefined) continue;
      spec.group = name;
      const key = JSON.stringify([spec.name, name]);
      groups.set(key, [...(groups.get(key) ?? []), { server, placed: one }]);
    }
  }
  for (const members of groups.values()) {
    for (const { placed } of members) {
      const others = members.filter((one) => one.placed !== placed);
      if (others.length === 0) continue;
      const known = placed.spec.refersTo ?? [];
      const missing = others
        .map((one) => ({ server: one.server.spec.name, taskserv: placed.spec.name }))
        .filter((one) => !known.some((other) => other.server === one.server && other.taskserv === one.taskserv));
      if (missing.length > 0) placed.spec.refersTo = [...known, ...missing];
    }
    checkSize(members.filter(hasVote), findings);
    checkPlaces(members, findings);
  }
}

/** Whether it decides together with the others. */
const hasVote = ({ placed: { taskserv, spec } }: PlacedMember): boolean => taskserv.group?.votes?.(spec.config) ?? true;

const nameOf = ({ placed: { spec } }: PlacedMember): string => `${spec.name} group "${spec.group}"`;

/** How many members a group can lose. */
function checkSize(members: readonly PlacedMember[], findings: Findings): void {
  const last = members.at(-1);
  if (last?.placed.taskserv.group?.quorum !== 'majority' || members.length % 2 === 1) return;
  const { path } = last.placed;
  const count = members.length;
  if (count === 2) {
    const message = `the ${nameOf(last)} has two members, and stops when either of them is lost`;
    findings.value(path, message, 'use three members, or one');
    return;
  }
  const message = `the ${nameOf(last)} has ${count} members, and survives the loss of ${count / 2 - 1}, as ${count - 1} members do`;
  findings.warn(path, message, `use ${count - 1} or ${count + 1} members`);
}

/** Members that one fault takes away together. */
function checkPlaces(members: readonly PlacedMember[], findings: Findings): void {
  const first = new Map<string, PlacedMember>();
  for (const member of members) {
    const address = machineOf(member);
    if (address === undefined) continue;
    const other = first.get(address);
    if (!other) {
      first.set(address, member);
      continue;
    }
    const [one, two] = [other.server.spec.name, member.server.spec.name];
    const path: Path = member.server.path;
    const message = `"${two}" and "${one}" are both at ${address}, and the ${nameOf(member)} may lose them together`;
    findings.warn(path, message, 'place each member on its own machine');
  }
}

/** What is known of the machine that it runs on: the address of one that exists. */
function machineOf({ server: { spec } }: PlacedMember): string | undefined {
  if (!spec.host) return undefined;
  return spec.host.kind === 'this' ? 'this machine' : spec.host.address;
}
