import fc from 'fast-check';
import { seedOf } from './seed.js';

fc.configureGlobal({ seed: seedOf(process.env, 34) });

/** All tests import fast-check from here, the only place that sets its seed (docs/contribute/testing.md). */
export { fc };
