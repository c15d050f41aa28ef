import { quote } from '../../core/host/shell.js';
import type { Scope } from '../../core/machine/call-context.js';

/** Mark on a host that an infra manages. */
export const ownerMark = ({ uuid, workspace, infra }: Scope): string => `${uuid} ${workspace} ${infra}`;

/**
 * Bash that marks a host, in its folder for journals, unless it has a mark. The mark appears atomically: if two infras
 * come at the same moment, one gets the host, and no script reads half a mark.
 */
export const keepMark = (mark: string): string =>
  `{ [ -s owner ] || { { [ ! -e owner ] || [ -s owner ] || rm -f owner; } && echo ${quote(mark)} >owner.new.$$ && { said=$(ln owner.new.$$ owner 2>&1) || [ -s owner ] || { echo "$said" >&2; rm -f owner.new.$$; false; }; } && rm -f owner.new.$$; }; }`;
