import fc from 'fast-check';
import { seedOf } from './seed.js';

fc.configureGlobal({ seed: seedOf(process.env, 34) });

/** All tests import fast-check here, the one place that sets its seed (docs/contribute/testing.md). */
export { fc };
