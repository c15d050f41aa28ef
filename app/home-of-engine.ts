import { unreachableError } from '../core/errors.js';
import type { Engine, HomeBeside } from './engine.js';

/** Returns the home of the platform. @throws unreachableError `no-worker` if this process has no home */
export function homeOfEngine({ beside }: Pick<Engine, 'beside'>): HomeBeside {
  if (beside) return beside;
  const why = 'this process has no home of the platform';
  throw unreachableError({ code: 'no-worker', what: 'open the home', why, hint: 'provisioning up' });
}
