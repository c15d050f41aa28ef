import type { DecidedService } from '../../activities/service/decide.js';

/** Decision about the taskservs of one server. */
export interface ServerDecision {
  server: string;
  /** The host did not exist when this was decided. */
  expected: boolean;
  services: DecidedService[];
}
