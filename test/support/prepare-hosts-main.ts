/** Builds the image of local hosts ahead of the tests; they wait for it where they need it. Run by .ci/run. */
import { whyNoHosts } from './hosts.js';

const why = await whyNoHosts();
if (why) console.warn(`no hosts for the tests: ${why}`);
