/** Gets Temporal's own server into the user's cache ahead of the tests; they wait for it where they need it. Run by .ci/run. */
import { messageOf } from '../../core/errors.js';
import { buildServer } from './build-server.js';

try {
  console.log(await buildServer(({ text }) => console.log(text)));
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
