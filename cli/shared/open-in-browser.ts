import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unreachableError } from '../../core/errors.js';
import type { Home } from '../../home/home.js';

/**
 * Opens a link in the user's browser through a file that only the user can read. Process arguments are visible to all
 * users of the machine.
 */
export async function openInBrowser(link: string, { engine }: Home, env: NodeJS.ProcessEnv): Promise<void> {
  const page = join(engine, 'open-web-ui.html');
  const url = link.replaceAll('&', '&amp;');
  await writeFile(page, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}"><title>Web UI</title>\n`, {
    mode: 0o600,
  });
  const program = env.BROWSER || 'xdg-open';
  await new Promise<void>((resolve, reject) => {
    const child = spawn(program, [page], { env, stdio: 'ignore', detached: true });
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
    child.once('error', ({ message }) =>
      reject(
        unreachableError({
          code: 'no-browser',
          what: 'open the browser',
          on: program,
          why: message,
          hint: 'open the printed link',
        }),
      ),
    );
  });
}
