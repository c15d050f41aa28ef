/** Builds the former release and its engine before the upgrade test, which waits for them. Run by .ci/run. */
import { formerRelease } from './former.js';

await formerRelease();
