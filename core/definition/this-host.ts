import { inputError, type ProvisioningError } from '../errors.js';
import type { ExistingHost } from './definition.js';

/** By which a worker's operator lets definitions name the machine that the worker runs on. */
export const ALLOW_THIS_HOST = 'PROVISIONING_ALLOW_THIS_HOST';

/** Whether a server of a definition is the machine that the worker runs on. */
export const isThisHost = (host: ExistingHost | undefined): boolean => host?.kind === 'this';

/** Error of a worker that may not work on its own machine. */
export const thisHostRefused = (server: string): ProvisioningError =>
  inputError({
    code: 'this-host-not-allowed',
    what: 'use the host',
    on: server,
    why: '"host: this" is the machine of the worker, and its operator has not allowed changes to it',
    hint: 'to allow it: run provisioning up --allow-this-host on that machine',
  });
