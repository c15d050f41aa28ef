/** Finds or builds the engine before the tests, which wait for it if needed. Run by .ci/run. */
import { setup } from './find-engine.js';

await setup();
