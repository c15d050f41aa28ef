import type { OperationRequest, OperationResult } from '../../core/operation/operation.js';
import type { HandedOn } from '../operation/carried.js';
import { runOperation } from '../operation/run-operation.js';
import { runbook } from './runbook.js';

/** Makes a whole infra what its definition says: machines, then services across hosts, then health. Or takes it all away. */
export async function cluster(request: OperationRequest, handed?: HandedOn): Promise<OperationResult> {
  return runOperation(request, runbook, handed);
}
