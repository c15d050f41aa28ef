import type { Scope } from './call-context.js';

/** Suggestion if another infra has a resource of the wanted name, as far as labels show its owner. */
export const anotherOwnerHint = ({ workspace, infra }: Scope, owner: Partial<Scope> | undefined): string => {
  const hint = 'choose another name for the infra, or delete the other one first';
  // Another life of the same infra: that of another person's home, or of this one before the engine's data were lost.
  if (owner?.workspace !== workspace || owner.infra !== infra) return hint;
  return `if another home has it, work there or share one (docs/operate/team.md); if this home lost its data, \`provisioning infra recover ${infra}\`; otherwise ${hint}`;
};
