/** Installs the emulator of EC2 in the user's cache before the tests, which wait for it if needed. Run by .ci/run. */
import { messageOf } from '../../core/errors.js';
import { installMoto } from '../clouds/aws/moto.js';

try {
  await installMoto();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
