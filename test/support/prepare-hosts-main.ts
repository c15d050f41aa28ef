/** Makes the images of hosts ahead of the tests; they wait for them where they need them. Run by .ci/run. */
import { whyNoHosts } from './hosts.js';

// That of most tests first: what waits for it goes on while the other is made.
for (const image of ['debian-12', 'debian-13'] as const) {
  const why = await whyNoHosts(image);
  if (why) console.warn(`no hosts for the tests: ${why}`);
}
