/** Builds the images of local hosts ahead of the tests; they wait for them where they need them. Run by .ci/run. */
import { local } from '../../providers/local/index.js';
import { haveImage, whyNoHosts } from './hosts.js';

const why = await whyNoHosts();
if (why) console.warn(`no hosts for the tests: ${why}`);
// That of most tests first: what waits for it goes on while the others are made.
else for (const image of local.images.supported) await haveImage(image);
