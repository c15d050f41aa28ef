import type { OperationRequest, OperationResult } from '../core/operation.js';
import { carryOut } from './cluster.js';
import { runOperation } from './operation.js';

/** Installs, updates or removes the named taskservs on existing servers of an infra. */
export async function taskserv(request: OperationRequest): Promise<OperationResult> {
  return runOperation(request, carryOut);
}
