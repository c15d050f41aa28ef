import { API } from './api.js';
import { CHANGE } from './change.js';
import { MAIN } from './main.js';
import { OBJECTS } from './objects.js';
import { PLAN } from './plan.js';

/** Python's `-c`, with the modes `look`, `presence`, `health`, `apply`, `remove` and `undo`. `SPEC` is in its environment. */
export const PROGRAM = [API, OBJECTS, PLAN, CHANGE, MAIN].join('');
