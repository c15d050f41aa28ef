import { quote } from '../../../core/host/shell.js';
import type { JobProgress } from '../host.js';
import { journalOf } from '../paths.js';
import { SHORT_MS } from '../time-limits.js';
import type { Transport } from '../transport.js';
import type { Job } from './execute.js';

/**
 * Reads from the journal on a host how far work has come. Without a journal nothing has begun.
 *
 * @param positions of steps that matter
 */
export async function readProgress(transport: Transport, job: Job, positions: readonly number[]): Promise<JobProgress> {
  const { stdout } = await transport.exec(renderProgress(journalOf(job.operation, job.taskserv, job.generation), positions), {
    limitMs: SHORT_MS,
  });
  const said = stdout.split('\n');
  return { begun: said.includes('begun'), attached: said.includes('attached') };
}

/** Prints `begun` and `attached` where they hold. */
export function renderProgress(journal: string, positions: readonly number[]): string {
  const done = positions.map((position) => `grep -qx 'done ${position}' "$J/steps" 2>/dev/null`).join(' && ');
  return `J=${quote(journal)}
alive() { [ -r "$J/pid" ] && read -r pid born <"$J/pid" && [ "$(cut -d' ' -f22 "/proc/$pid/stat" 2>/dev/null)" = "$born" ]; }
[ ! -s "$J/steps" ] || echo begun
if { [ -r "$J/end" ] && [ "$(cat "$J/end")" = ok ]; } || alive${done ? ` || { ${done}; }` : ''}; then echo attached; fi
`;
}
