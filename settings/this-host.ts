import { readFile, writeFile } from 'node:fs/promises';
import { ALLOW_THIS_HOST } from '../core/definition/this-host.js';
import type { Home } from '../home/home.js';
import { settingsFile, settledEnvironment } from './settings.js';

/** Whether a worker of this home may work on its own machine; asked again each time, so that no worker need be restarted. */
export async function allowsThisHost(home: Home, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  return ['1', 'true'].includes((await settledEnvironment(home, env))[ALLOW_THIS_HOST] ?? '');
}

/** Writes into the settings of the home that its worker may work on its own machine; all else in the file stays. */
export async function allowThisHost(home: Home): Promise<void> {
  const file = settingsFile(home);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  // A file that cannot be read as settings is refused here, with its line.
  await settledEnvironment(home, {});
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text);
  if (document.contents === null) document.contents = document.createNode({}) as never;
  document.set('allowThisHost', true);
  await writeFile(file, document.toString(), { mode: 0o600 });
}
