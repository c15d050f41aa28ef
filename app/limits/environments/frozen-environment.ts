/** A freeze of an environment has this before the name, instead of an infra. No infra is called so. */
const MARK = '@';

/** The environment of a freeze, as its place has it instead of an infra. */
export const markEnvironment = (environment: string): string => `${MARK}${environment}`;

/** Returns the environment that a freeze is for; undefined for a freeze of an infra or of a whole workspace. */
export const readFrozenEnvironment = ({ infra }: { infra: string }): string | undefined =>
  infra.startsWith(MARK) ? infra.slice(MARK.length) : undefined;
