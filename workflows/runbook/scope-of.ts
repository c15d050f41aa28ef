import type { InfraView } from '../operation/operation.js';

/** Whose things they are at a provider: those of the operation's infra. */
export const scopeOf = ({ inventory: { workspace, infra, uuid } }: InfraView) => ({ workspace, infra, uuid });
