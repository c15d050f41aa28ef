import type { OperationRequest, OperationResult } from '../../core/operation/operation.js';
import type { HandedOn } from '../operation/carried.js';
import { runOperation } from '../operation/run-operation.js';
import { runbook } from './runbook.js';

/** Installs, updates or removes the named taskservs on existing servers of an infra. */
export async function taskserv(request: OperationRequest, handed?: HandedOn): Promise<OperationResult> {
  return runOperation(request, runbook, handed);
}
