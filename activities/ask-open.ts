import {
  type Client,
  QueryNotRegisteredError,
  QueryRejectedError,
  WorkflowClient,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { messageOf, unreachableError } from '../core/errors.js';

/** Answer of an entity, or the reason for its absence. */
export type EntityAnswer<Answer> =
  | { answer: Answer }
  /**
   * `absent`: the entity does not exist. `unable`: its worker is of a former build, as a fleet may have for a while,
   * and does not know the query.
   */
  | { none: 'absent' | 'unable' }
  /** Temporal's number for how it ended. */
  | { none: 'closed'; status: number };

/** Message of the SDK about a query that a workflow does not know. */
const NO_HANDLER = /did not register a handler/;
/** Of Temporal's API: the run that was asked has just handed on to the next. */
const CONTINUED_AS_NEW = 6;
/** Of Temporal's API: it answers once it is unpaused. */
const PAUSED = 8;

/**
 * Reports whether an error means an unknown query. The class is not enough, because every failure of a query has it.
 */
export const isUnknownQuery = (error: unknown): boolean =>
  error instanceof QueryNotRegisteredError && NO_HANDLER.test(error.message);

/**
 * Asks the entity of an infra. One that has ended would answer still, from the state that it ended with: it is not asked.
 *
 * @param what is asked, for people
 * @throws unreachableError `engine-not-answering`
 */
export async function askOpen<Answer, Args extends unknown[] = []>(
  { connection, workflow }: Pick<Client, 'connection' | 'workflow'>,
  entity: string,
  what: string,
  query: string,
  ...args: Args
): Promise<EntityAnswer<Answer>> {
  const open = new WorkflowClient({ ...workflow.options, connection, queryRejectCondition: 'NOT_OPEN' });
  for (;;) {
    try {
      return { answer: await open.getHandle(entity).query<Answer, Args>(query, ...args) };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return { none: 'absent' };
      if (isUnknownQuery(error)) return { none: 'unable' };
      const status = error instanceof QueryRejectedError ? Number(error.status) : undefined;
      if (status === CONTINUED_AS_NEW) continue;
      if (status !== undefined && status !== PAUSED) return { none: 'closed', status };
      const why = status === PAUSED ? 'it was paused from outside' : messageOf(error);
      throw unreachableError({ code: 'engine-not-answering', what, on: entity, why }, { cause: error });
    }
  }
}
