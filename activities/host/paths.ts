import { HOST_STATE } from '../../core/host/foreign-host.js';

/** Folder of the platform's state on a host: owner, hashes of services, journals. Only root can read it. */
export { HOST_STATE };

/** Path of a piece of work's journal: operation, taskserv, and the generation of its plan. */
export const journalOf = (operation: string, taskserv: string, generation: number): string =>
  `${HOST_STATE}/operations/${operation}/${taskserv}/${generation}`;
