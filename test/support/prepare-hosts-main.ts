/** Builds the images of hosts before the tests, which wait for them if needed. Run by .ci/run. */
import { whyNoHosts } from './hosts.js';

// The image of most tests comes first: tests that wait for it continue while the other is built.
for (const image of ['debian-12', 'debian-13'] as const) {
  const why = await whyNoHosts(image);
  if (why) console.warn(`no hosts for the tests: ${why}`);
}
