import type { Readable, Writable } from 'node:stream';
import { cancellationSignal } from '@temporalio/activity';
import { inputError } from '../../../core/errors.js';
import type { ScriptedHost } from './scripted-host.js';

/** Reported lines and characters of a script's error output. */
const SAID = { lines: 3, characters: 400 };

/** Runs a script that reads or prints data. A connection of its own: the data must not delay what others ask the host. */
export async function streamOn(
  host: ScriptedHost,
  script: string,
  ends: { input?: Readable; output?: Writable; limitMs?: number } = {},
): Promise<string> {
  const transport = await host.open({ fresh: true });
  try {
    const { exit, stdout, stderr } = await transport.exec(`set -euo pipefail\n${script}`, {
      signal: cancellationSignal(),
      ...ends,
    });
    if (exit === 0) return stdout.trim();
    const said = stderr.trim().split('\n').slice(-SAID.lines).join('; ').slice(-SAID.characters);
    throw inputError({
      code: 'data-not-moved',
      what: 'move the data',
      on: host.server,
      why: said || `a script ended with code ${exit}`,
    });
  } finally {
    transport.close();
  }
}
