import type { Definition } from '../../../core/definition/definition.js';
import type { BatchSubmission } from '../../../core/schema/batch-request.js';
import type { AnyMethod, CallMethod, Passage } from '../../method.js';
import type { AskedOperation } from '../../operation/asked.js';

/** What a change wants of one infra. */
export interface WantedInfra {
  workspace: string;
  infra: string;
  verb: string;
  /** The definition that is applied; absent: the last applied one. */
  definition?: Definition | undefined;
  /** Whether what the definition does not name is removed. */
  prune?: boolean | undefined;
  /** Only these servers of the definition. */
  servers?: readonly string[] | undefined;
}

/** Work that takes of a quota until it ends. */
export interface WantedWork {
  /** Of its workflow. */
  id: string;
  workspace: string;
  /** How many operations run at a time, at most. */
  weight: number;
  infras: WantedInfra[];
}

/**
 * The work that a call starts; undefined for a call that starts none, such as a preview.
 *
 * @param seed what the id of an operation follows from whose caller gave it none
 */
export function readWantedWork(
  { method, action, input }: { method: AnyMethod } & Pick<Passage, 'action' | 'input'>,
  seed: string,
): WantedWork | undefined {
  const { startedBefore } = method as CallMethod;
  if (!startedBefore || action === 'operation:preview') return undefined;
  const { id } = startedBefore(input as never, seed);
  const { request } = input as { request?: AskedOperation };
  if (request) return { id, workspace: request.workspace, weight: 1, infras: [describeWanted(request)] };
  const batch = input as Partial<BatchSubmission>;
  // A roll-back of a batch has as many operations at a time as the batch, which was counted then.
  if (!batch.operations || batch.workspace === undefined) return { id, workspace: batch.workspace ?? '', weight: 1, infras: [] };
  const { workspace, operations, definitions = {}, parallel = 1 } = batch;
  const infras = operations.map(({ infra, verb, definition, prune, servers }) => ({
    ...{ workspace, infra, verb, prune, servers },
    definition: definition === undefined ? undefined : (definitions[definition] as Definition | undefined),
  }));
  return { id, workspace, weight: Math.max(1, Math.min(parallel, operations.length)), infras };
}

/** What a request wants of its infra. */
export const describeWanted = ({ workspace, infra, intent, definition }: Omit<AskedOperation, 'id'>): WantedInfra => ({
  ...{ workspace, infra, verb: intent.verb, definition, prune: intent.prune, servers: intent.servers },
});
