/** Finds or builds the engine ahead of the tests; they wait for it where they need it. Run by .ci/run. */
import { setup } from './find-engine.js';

await setup();
