import type { Definition } from '../../../core/definition/definition.js';
import type { BatchSubmission } from '../../../core/schema/batch-request.js';
import type { AnyMethod, CallMethod, Passage } from '../../method.js';
import type { AskedOperation } from '../../operation/asked.js';

/** Part of a change that concerns one infra. */
export interface WantedInfra {
  workspace: string;
  infra: string;
  verb: string;
  /** The definition that is applied; absent: the last applied one. */
  definition?: Definition | undefined;
  /** Whether resources that the definition does not name are removed. */
  prune?: boolean | undefined;
  /** Only these servers of the definition. */
  servers?: readonly string[] | undefined;
}

/** Work that takes of a quota until it ends. */
export interface WantedWork {
  /** Id of its workflow. */
  id: string;
  workspace: string;
  /** How many operations run at a time, at most. */
  weight: number;
  infras: WantedInfra[];
}

/**
 * Returns the work that a call starts; undefined for a call that starts no work, such as a preview.
 *
 * @param seed source of the operation's id, if the caller gave none
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

/** Returns the change of an infra that a request asks for. */
export const describeWanted = ({ workspace, infra, intent, definition }: Omit<AskedOperation, 'id'>): WantedInfra => ({
  ...{ workspace, infra, verb: intent.verb, definition, prune: intent.prune, servers: intent.servers },
});
