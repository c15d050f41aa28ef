import { absentValues } from '../../core/host/facts.js';
import type { Answer, Question } from '../../core/host/question.js';
import type { Scope } from '../../core/machine/call-context.js';
import type { Dependencies } from '../dependencies.js';
import type { Sight } from '../host/host.js';
import { callContexts } from '../machine/call-context.js';
import type { ConnectionOf } from '../machine/provider-connections.js';
import { isOfRecords, lookAtRecords } from '../records/look-at-records.js';
import type { PlannedServer } from './host-context.js';

/** What is expected of a host that does not exist yet: nothing is there. Records of zones are looked at all the same. */
export async function createExpectedSight(
  questions: readonly Question[],
  { scope, server }: { scope: Scope; server: PlannedServer },
  { connectionOf, taskQueue }: { connectionOf: ConnectionOf } & Pick<Dependencies, 'taskQueue'>,
): Promise<Sight> {
  const ofRecords = questions.filter(isOfRecords);
  const found =
    ofRecords.length > 0
      ? await lookAtRecords(ofRecords, { server: server.name }, connectionOf, callContexts(taskQueue)(scope))
      : [];
  return {
    answers: questions.map((question) => found[ofRecords.indexOf(question)] ?? expectedAnswer(question)),
  };
}

const expectedAnswer = ({ facts, health }: Question): Answer => ({
  found: absentValues(facts),
  ...(health ? { why: 'not installed yet' } : {}),
  toDo: (planned) => planned,
  toRemove: () => [],
  installed: () => undefined,
});

/** Its name stands for the address that it will have; a machine that exists already may have none. */
export const expectAddress = ({ name, existing }: PlannedServer): string | undefined => (existing ? undefined : name);
