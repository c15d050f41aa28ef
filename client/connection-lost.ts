import { type ErrorDetails, ProvisioningError, TRANSIENT } from '../core/errors.js';

const WORKER: ErrorDetails = {
  code: 'engine-not-answering',
  blame: TRANSIENT,
  what: 'ask the worker',
  why: 'the worker closed the connection',
  hint: 'provisioning status; operations continue as soon as a worker runs',
};

/** The answering process ended, or the connection broke: the call may have taken effect. */
export class ConnectionLost extends ProvisioningError {
  constructor(details: ErrorDetails = WORKER, options?: ErrorOptions) {
    super(details, options);
  }
}
