import { posix } from 'node:path';
import { SourceFault } from './source-fault.js';

/** Refuses a symbolic link that leads out of its source. @throws SourceFault */
export function refuseLinksOut(path: string, target: string): void {
  const leads = posix.normalize(posix.join(posix.dirname(path), target));
  if (!posix.isAbsolute(target) && leads !== '..' && !leads.startsWith('../')) return;
  throw new SourceFault(`${path} is a link that leads out of it, to ${target}`, 'put what it names into the source');
}
