import { inputError, messageOf, ProvisioningError, unreachableError } from '../../../core/errors.js';

/** Converts an error of ssh2 or of a socket. `on` names the server and its address. */
export function faultOf(error: Error & { level?: string }, on: string): ProvisioningError {
  if (error instanceof ProvisioningError) return error;
  if (error.level === 'client-authentication') {
    return inputError(
      {
        code: 'ssh-key-refused',
        what: 'log in',
        on,
        why: 'the host refuses the SSH key',
        hint: 'add the public key of the infra (`provisioning server key INFRA`) to authorized_keys, or set another key with `identity`',
      },
      { cause: error },
    );
  }
  return unreachableError({ code: 'host-unreachable', what: 'connect by SSH', on, why: messageOf(error) }, { cause: error });
}

/** Something takes the connection, and is no SSH server that works. */
export const handshakeFault = (on: string, why: string, cause?: unknown): ProvisioningError =>
  unreachableError(
    {
      code: 'ssh-handshake',
      what: 'connect by SSH',
      on,
      why,
      hint: 'check which program listens on the port, and the log of the SSH server',
    },
    { cause },
  );

/** A script, or what is before it, took longer than it may. */
export const tooLate = (on: string, ms: number, what = 'run a script'): ProvisioningError =>
  unreachableError({ code: 'host-too-late', what, on, why: `no answer within ${Math.round(ms / 1000)} s` });
