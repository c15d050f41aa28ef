import type { ServerSpec } from '../core/definition/definition.js';
import type { Path } from './source/problem.js';

/** A server with the place in the file that it comes from. */
export interface ExpandedServer {
  spec: Omit<ServerSpec, 'taskservs'>;
  index: number;
  path: Path;
}
