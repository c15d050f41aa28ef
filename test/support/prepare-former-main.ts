/** Builds the former release and its engine ahead of the test of upgrades, which waits for them. Run by .ci/run. */
import { formerRelease } from './former.js';

await formerRelease();
