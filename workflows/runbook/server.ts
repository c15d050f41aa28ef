import type { OperationRequest, OperationResult } from '../../core/operation/operation.js';
import type { HandedOn } from '../operation/carried.js';
import { runOperation } from '../operation/run-operation.js';
import { runbook } from './runbook.js';

/** Creates, updates or deletes the named machines of an infra, and nothing on them. */
export async function server(request: OperationRequest, handed?: HandedOn): Promise<OperationResult> {
  return runOperation(request, runbook, handed);
}
