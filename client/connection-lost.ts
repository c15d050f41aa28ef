import { type ErrorDetails, ProvisioningError, TRANSIENT } from '../core/errors.js';

const WORKER: ErrorDetails = {
  code: 'engine-not-answering',
  blame: TRANSIENT,
  what: 'ask the worker',
  why: 'the worker closed the connection',
  hint: 'provisioning status; operations continue as soon as a worker runs',
};

/** Whoever answers ended, or the connection broke: what was asked may have taken effect. */
export class ConnectionLost extends ProvisioningError {
  constructor(details: ErrorDetails = WORKER, options?: ErrorOptions) {
    super(details, options);
  }
}
