import { anotherOwnerHint, inputError, type Scope } from '../../../sdk/index.js';

/** Returns a resource of the infra itself. Throws `owned-by-another` for another UUID. */
export function checkOurs<T extends { scope: Scope }>(
  kind: string,
  name: string,
  scope: Scope,
  found: T | undefined,
): T | undefined {
  if (!found || found.scope.uuid === scope.uuid) return found;
  throw inputError({
    code: 'owned-by-another',
    what: `use the ${kind}`,
    on: name,
    why: `the infra "${found.scope.infra}" of workspace "${found.scope.workspace}" with UUID ${found.scope.uuid} has it`,
    hint: anotherOwnerHint(scope, found.scope),
  });
}

/** Returns the infra's own resources, by name. */
export function ownOf<T extends { scope: Scope; name: string }>(table: Record<string, T>, { workspace, infra, uuid }: Scope): T[] {
  return Object.values(table)
    .filter(({ scope }) => scope.workspace === workspace && scope.infra === infra && scope.uuid === uuid)
    .sort((a, b) => a.name.localeCompare(b.name));
}
