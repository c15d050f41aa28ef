import type { Facts } from '../../../core/host/facts.js';
import type { GivenCommand, RanCommand } from '../../../core/host/ran-command.js';
import type { HealthCheck } from '../../../core/taskserv/taskserv.js';
import { clipText } from '../../../core/text.js';
import { asksNothing, type ScriptAnswer } from './look-script.js';

/** Characters of a command that are told. */
const MOST = 200;

interface Asked {
  unit: string;
  facts: Facts;
  outputOf(fact: Facts[string]): ScriptAnswer;
  /** The checks of the unit, each with its answer and with what is wrong by it. */
  checks: readonly { check: HealthCheck; answer: ScriptAnswer; why: string | undefined }[];
  hide(text: string): string;
}

/** The commands of a definition that a look has run for one unit, each once, and how each ended. */
export function listRanCommands({ unit, facts, outputOf, checks, hide }: Asked): RanCommand[] {
  const ran = new Map<string, RanCommand>();
  const add = ({ entry, command }: GivenCommand, { exit, fault }: ScriptAnswer, result: RanCommand['result']) => {
    const told = { taskserv: unit, entry: clipText(hide(entry)), command: clipText(hide(command), MOST) };
    const key = JSON.stringify([entry, command]);
    if (ran.has(key)) return;
    ran.set(key, fault === undefined ? { ...told, exit, result } : { ...told, result: 'no answer' });
  };
  for (const fact of Object.values(facts)) {
    if (fact.kind !== 'command' || !fact.given || asksNothing(fact)) continue;
    const answer = outputOf(fact);
    const result = !fact.given.isCheck ? 'answered' : answer.exit === 0 ? 'satisfied' : 'not satisfied';
    add(fact.given, answer, result);
  }
  for (const { check, answer, why } of checks)
    if ('command' in check && check.given) add(check.given, answer, why === undefined ? 'satisfied' : 'not satisfied');
  return [...ran.values()];
}
