import { FoundFile } from '../core/host/facts.js';
import type { WantedFile } from '../core/host/step.js';
import type { GroupContext, Member } from '../core/taskserv/groups/group.js';
import { findSecretRefs } from '../core/taskserv/secret.js';
import * as answers from './answers.js';
import type { FileCheck } from './sandbox.js';

/** Compares a file outside the sandbox, where the values of secrets are known. */
export function compareFiles(found: FoundFacts): FileCheck {
  return (fact, wanted) => {
    const file = Object.hasOwn(found, fact) ? found[fact] : undefined;
    const shape = answers.wantedFile.safeParse(JSON.parse(wanted));
    if (!(file instanceof FoundFile) || !shape.success) return false;
    return file.is(shape.data as Omit<WantedFile, 'path'>);
  };
}

export type FoundFacts = Record<string, unknown>;

/** Returns the facts for the sandbox, with secret names instead of their values. */
export function sendFound(found: FoundFacts, config?: unknown): FoundFacts {
  const secrets = findSecretRefs(config).map(({ name }) => ({ $secret: name }));
  return Object.fromEntries(
    Object.entries(found).map(([fact, value]) => {
      if (!(value instanceof FoundFile)) return [fact, value];
      const { path, exists, mode, owner } = value;
      // Without a configuration, the content of a private file may contain unknown secrets.
      const isShown = config !== undefined || (Number.parseInt(mode, 8) & 0o004) !== 0;
      const content = isShown ? value.shown(secrets).before : '';
      return [fact, { $file: { path, exists, content, mode, owner } }];
    }),
  );
}

/** Returns a member for the sandbox. What is private on its host stays there. */
export const sendMember = <M extends Member>(member: M): M => ({
  ...member,
  ...(member.found && { found: sendFound(member.found) }),
});

/** Returns a group for the sandbox. */
export const sendGroup = (group: GroupContext): GroupContext => ({ ...group, members: group.members.map(sendMember) });
