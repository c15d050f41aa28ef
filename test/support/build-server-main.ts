/** Builds Temporal's own server in the user's cache before the tests, which wait for it if needed. Run by .ci/run. */
import { messageOf } from '../../core/errors.js';
import { buildServer } from './build-server.js';

try {
  console.log(await buildServer(({ text }) => console.log(text)));
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
