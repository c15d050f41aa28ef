import { HOST_STATE } from '../../core/host/foreign-host.js';

/** Where a host keeps what we must know of it: owner, services' hashes, journals. Root-only. */
export { HOST_STATE };

/** The journal of one piece of work: operation, taskserv, and the generation of its plan. */
export const journalOf = (operation: string, taskserv: string, generation: number): string =>
  `${HOST_STATE}/operations/${operation}/${taskserv}/${generation}`;
