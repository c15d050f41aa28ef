/** Gets the emulator of EC2 into the user's cache ahead of the tests; they wait for it where they need it. Run by .ci/run. */
import { messageOf } from '../../core/errors.js';
import { installMoto } from '../clouds/aws/moto.js';

try {
  await installMoto();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
