/**
 * Writes all that is made from other files: one process for all, which imports most modules once. Run by `npm run generate`.
 * It takes four seconds of a processor, and many commands begin with it: if no file has changed since, it does nothing.
 */
import { fileURLToPath } from 'node:url';
import { generateOnce, isGenerated } from '../build-inputs.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

if (!isGenerated(root)) await generateOnce(root, generate);

async function generate(): Promise<void> {
  // Each is imported when its turn comes: it imports what those before it write, which a fresh clone lacks.
  const { generateRegistries } = await import('./registry.js');
  await generateRegistries(root);
  const { generateServiceFields } = await import('./service-fields.js');
  await generateServiceFields(root);
  const { generateRequestSchemas } = await import('./request-schemas.js');
  generateRequestSchemas(root);
  const { generateMethods } = await import('./methods.js');
  await generateMethods(root);
}
