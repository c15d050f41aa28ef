import { absentValues } from '../../core/host/facts.js';
import type { Answer, Question } from '../../core/host/question.js';
import type { Sight } from '../host/host.js';
import type { PlannedServer } from './host-context.js';

/** What is expected of a host that does not exist yet: nothing is there, and nothing can be asked. */
export const expectedSight = (questions: readonly Question[]): Sight => ({
  answers: questions.map(
    ({ facts, health }): Answer => ({
      found: absentValues(facts),
      ...(health ? { why: 'not installed yet' } : {}),
      toDo: (planned) => planned,
      toRemove: () => [],
      installed: () => undefined,
    }),
  ),
});

/** Its name stands for the address that it will have; a machine that exists already may have none. */
export const expectedAddress = ({ name, existing }: PlannedServer): string | undefined => (existing ? undefined : name);
