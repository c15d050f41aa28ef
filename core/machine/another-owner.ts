import type { Scope } from './provider.js';

/** What helps where another infra has something of the name that is wanted, as far as its labels say whose it is. */
export const anotherOwnerHint = ({ workspace, infra }: Scope, owner: Partial<Scope> | undefined): string => {
  const hint = 'choose another name for the infra, or delete the other one first';
  // Another life of the same infra: as likely as not the engine's data were lost.
  if (owner?.workspace !== workspace || owner.infra !== infra) return hint;
  return `were the engine's data lost? \`provisioning infra recover ${infra}\` brings it back; otherwise ${hint}`;
};
