import type { Definition } from '../../core/definition/definition.js';
import { findExcess, SMALLER, weighValue } from '../../core/definition/weight.js';
import { LIMITS, sizeText } from '../../core/limits.js';
import type { ExpandedServer } from '../expanded-server.js';
import type { Assignment } from '../place-taskservs.js';
import type { Findings } from './findings.js';
import { isRecord } from './salvage.js';

/** Lists of a file, and how many entries of each are taken. */
const LISTS = { servers: LIMITS.servers, taskservs: LIMITS.taskservs, networks: LIMITS.taskservs } as const;

/** Whether a file names more than is taken; says so, once. To be asked before anything is made of its entries. */
export function namesTooMuch(file: Record<string, unknown>, findings: Findings): boolean {
  const before = findings.all.length;
  for (const [name, most] of Object.entries(LISTS)) {
    const list = file[name];
    if (Array.isArray(list) && list.length > most) findings.value([name], `${list.length} entries, at most ${most} are allowed`);
  }
  if (findings.all.length > before || !Array.isArray(file.servers)) return findings.all.length > before;
  let servers = 0;
  file.servers.forEach((entry: unknown, index) => {
    if (!isRecord(entry)) return;
    const { count, taskservs } = entry;
    // The schema reports an invalid or too high count.
    servers += typeof count === 'number' && count >= 1 && count <= 500 ? count : 1;
    if (Array.isArray(taskservs) && taskservs.length > LIMITS.taskservs)
      findings.value(['servers', index, 'taskservs'], `${taskservs.length} entries, at most ${LIMITS.taskservs} are allowed`);
  });
  if (servers > LIMITS.servers)
    findings.value(['servers'], `${servers} servers in all, at most ${LIMITS.servers} are allowed`, 'divide them among infras');
  return findings.all.length > before;
}

/** Whether configurations, each once for every server that gets it, are more than is taken; says so where the first one is that is. */
export function configuresTooMuch(entries: readonly Assignment[], servers: readonly ExpandedServer[], findings: Findings): boolean {
  let bytes = 0;
  let longTexts = 0;
  for (const entry of entries) {
    const carriers = servers.filter((server) => entry.rank(server) !== undefined).length;
    const weight = weighValue(entry.config, LIMITS.definition);
    bytes += weight.bytes * carriers;
    longTexts += weight.longTexts * carriers;
    const [what, size, most] =
      longTexts > LIMITS.longTexts
        ? [`texts of more than ${sizeText(LIMITS.longText)} on all servers come`, longTexts, LIMITS.longTexts]
        : ['the configurations of all servers come', bytes, LIMITS.definition];
    if (size <= most) continue;
    findings.value(
      [...entry.path, 'config'],
      `with this, ${what} to ${sizeText(size)}; at most ${sizeText(most)} are allowed`,
      SMALLER,
    );
    return true;
  }
  return false;
}

/** Says so where a definition as a whole is more than an operation can carry. */
export function checkWhole(definition: Definition, findings: Findings): void {
  const excess = findExcess(definition, LIMITS.definition);
  if (excess) findings.value([], `the definition is too large: ${excess}`, SMALLER);
}
